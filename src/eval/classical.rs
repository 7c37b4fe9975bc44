//! The classical evaluation: material and piece-square tables.
//!
//! A piece counts what it is worth on its square, in the middlegame and in the endgame; the pieces
//! left on the board weigh the two. It serves if there is no network, as the evaluation that no new
//! network changes, and as the one that training starts from.
//!
//! The values are fitted to 0.54 million quiet positions of the engine's own games at 1000 nodes
//! per move. The fit minimises the squared error of the winning chances, for which 200 centipawns
//! are a factor of e in the odds. On held-out positions the error is 0.0163; with material alone it
//! is 0.0237.

use super::endings::lone_king;
use crate::position::{Color, Position, Role, Square};
use crate::score::Score;

/// Centipawns for the side to move.
const TEMPO: i32 = 20;
/// The phase with all pieces on the board: a minor piece counts 1, a rook 2, a queen 4.
const FULL_PHASE: i32 = 24;

/// Values in the middlegame of pawn to king, each from its own first rank to its eighth. The four
/// values of a rank are those of the files a to d, and of h to e.
#[rustfmt::skip]
const MIDDLEGAME: [[i32; 32]; 6] = [
    [100, 100, 100, 100,   36,  91,  81,  60,   51,  94,  81,  82,   43,  82,  87,  96,
      48,  98,  90, 105,   80, 109, 128, 136,  155, 151, 157, 166,  100, 100, 100, 100],
    [271, 276, 292, 286,  286, 289, 306, 304,  291, 321, 314, 327,  314, 322, 336, 337,
     345, 330, 366, 353,  312, 371, 363, 404,  310, 306, 355, 337,  254, 312, 296, 310],
    [339, 344, 324, 329,  360, 360, 348, 349,  351, 355, 360, 356,  356, 351, 363, 378,
     358, 361, 376, 387,  359, 384, 378, 392,  338, 335, 345, 340,  311, 317, 309, 325],
    [447, 460, 474, 493,  429, 455, 455, 461,  443, 463, 452, 460,  450, 470, 476, 473,
     483, 502, 502, 508,  498, 518, 528, 535,  525, 517, 550, 540,  526, 530, 519, 525],
    [952, 947, 943, 953,  954, 956, 965, 956,  951, 955, 945, 944,  952, 953, 952, 947,
     983, 948, 970, 964,  979, 997, 988, 989,  978, 959, 984, 978,  964, 978, 974, 978],
    [ 47,  48,   5,   7,   26,   4, -18, -47,  -29, -18, -44, -47,  -16,  -7, -12, -13,
      -2,   6,  -1,  -2,    6,  17,  13,   4,    7,  13,  15,   7,   -4,  14,  12,  10],
];

/// Values in the endgame, in the same order.
#[rustfmt::skip]
const ENDGAME: [[i32; 32]; 6] = [
    [100, 100, 100, 100,  139, 144, 146, 144,  128, 134, 123, 127,  133, 142, 125, 120,
     161, 158, 157, 139,  210, 220, 199, 193,  258, 260, 248, 229,  100, 100, 100, 100],
    [285, 257, 287, 291,  281, 303, 295, 308,  296, 311, 323, 335,  304, 326, 352, 344,
     314, 343, 340, 356,  312, 317, 341, 334,  312, 307, 320, 324,  282, 312, 310, 312],
    [334, 326, 308, 323,  328, 323, 328, 330,  334, 337, 341, 348,  317, 334, 346, 350,
     332, 348, 343, 354,  329, 334, 337, 334,  342, 346, 341, 340,  327, 332, 328, 330],
    [516, 540, 528, 515,  529, 514, 532, 538,  535, 534, 541, 533,  545, 547, 549, 543,
     561, 559, 561, 556,  569, 569, 564, 554,  568, 575, 564, 567,  541, 550, 555, 552],
    [ 943,  930,  906,  894,   937,  934,  927,  942,   956,  967,  980,  980,   954,  988,  999, 1020,
      977, 1002, 1003, 1013,   975,  991, 1015, 1013,   985, 1000,  996, 1002,   976,  986,  981,  988],
    [-78, -50, -52, -81,  -45, -34, -27, -22,  -30, -28, -17, -13,  -28, -11,  -3,  -2,
      -2,  21,  24,  21,   19,  61,  57,  44,   18,  67,  61,  45,  -24,  39,  33,  37],
];

/// The raw classical evaluation of a position that is not in check, for the side to move.
pub fn evaluate(position: &Position) -> Score {
    Score::eval(lone_king(position).unwrap_or_else(|| TEMPO + pieces(position)))
}

/// The difference in value between the pieces of the side to move and those of the other side.
fn pieces(position: &Position) -> i32 {
    let (mut middlegame, mut endgame, mut phase) = (0, 0, 0);
    for (square, piece) in position.board() {
        let (role, index) = (piece.role as usize - 1, index(square, piece.color));
        let sign = if piece.color == position.turn() { 1 } else { -1 };
        middlegame += sign * MIDDLEGAME[role][index];
        endgame += sign * ENDGAME[role][index];
        phase += weight(piece.role);
    }
    let phase = phase.min(FULL_PHASE);
    (middlegame * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// The index in a table of a square that `color` has a piece on.
fn index(square: Square, color: Color) -> usize {
    let rank = color.relative_rank(square.rank()) as usize;
    let file = square.file().min(square.file().flip_horizontal()) as usize;
    4 * rank + file
}

/// The weight of a piece in the game phase.
const fn weight(role: Role) -> i32 {
    match role {
        Role::Pawn | Role::King => 0,
        Role::Knight | Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::random_positions;
    use crate::position::START_FEN;

    fn eval(fen: &str) -> i32 {
        evaluate(&Position::from_fen(fen).unwrap()).get()
    }

    #[test]
    fn colors_and_wings_are_equal() {
        assert_eq!(eval(START_FEN), TEMPO);
        for position in random_positions(3000) {
            assert_eq!(evaluate(&position), evaluate(&position.mirrored()), "{position:?}");
        }
        for square in Square::ALL {
            let [white, black] = Color::ALL.map(|color| index(square, color));
            assert_eq!(white, index(square.flip_vertical(), Color::Black));
            assert_eq!(black, index(square.rotate_180(), Color::White));
        }
    }

    #[test]
    fn the_pieces_left_weigh_middlegame_and_endgame() {
        let knight = (MIDDLEGAME[1][4] + 23 * ENDGAME[1][4]) / FULL_PHASE;
        assert_eq!(eval("4k3/p7/8/8/8/8/P6N/4K3 w - - 0 1"), TEMPO + knight);
        assert_eq!(eval("4k3/p7/8/8/8/8/P6N/4K3 b - - 0 1"), TEMPO - knight);
        // A queen for a rook: more than all pieces.
        let queen = MIDDLEGAME[4][0] - MIDDLEGAME[3][0];
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNQ w Qkq - 0 1";
        assert_eq!(eval(fen), TEMPO + queen);
    }
}
