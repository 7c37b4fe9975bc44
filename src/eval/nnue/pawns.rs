//! How each pawn stands: whether it is passed, and which pawns are beside it.
//!
//! Both depend on several squares at once, which a network of pieces on squares has to put
//! together.

use super::features::FLIP_COLOR;
use crate::position::{Bitboard, Board, Color, beside, pawn_threats};

/// Kinds of support: isolated, others on adjacent files, or one beside it or one rank behind.
pub const SUPPORTS: usize = 3;
/// Inputs of pawns of one kind: a color and a square.
const KIND_INPUTS: usize = 2 * FLIP_COLOR;
/// Inputs of the pawns' standing: passed or not, with each kind of support.
pub const PAWN_INPUTS: usize = 2 * SUPPORTS * KIND_INPUTS;
/// The most pawns of a position.
pub const MAX_PAWNS: usize = 16;
/// Squares of a rank.
const RANK: i32 = 8;

/// Visits the inputs, below [`PAWN_INPUTS`], of all pawns, as White with its king on the files a to
/// d sees them.
#[inline]
pub fn each(board: &Board, mut visit: impl FnMut(u16)) {
    let pawns = board.pawns();
    for color in Color::ALL {
        let own = pawns & board.by_color(color);
        let passed = own & !stopped(pawns & board.by_color(!color), !color);
        let adjacent = beside(own);
        let (near, in_company) = (adjacent | pawn_threats(color, own), files(adjacent));
        let side = if color.is_black() { FLIP_COLOR } else { 0 };
        for square in own {
            let is_in = |set: Bitboard| usize::from(set.contains(square));
            let kind = is_in(passed) * SUPPORTS + is_in(in_company) + is_in(near);
            visit((kind * KIND_INPUTS + side + square as usize) as u16);
        }
    }
}

/// The squares where the `pawns` of a color stop opposing ones from being passed: ahead of them on
/// their own and adjacent files.
fn stopped(pawns: Bitboard, color: Color) -> Bitboard {
    let ahead = ahead(pawns, color);
    ahead | beside(ahead)
}

/// All squares ahead of these, as `color` sees it.
fn ahead(squares: Bitboard, color: Color) -> Bitboard {
    let forward = color.fold_wb(RANK, -RANK);
    let mut span = squares.shift(forward);
    for ranks in [1, 2, 4] {
        span |= span.shift(forward * ranks);
    }
    span
}

/// All squares of the files of these.
fn files(squares: Bitboard) -> Bitboard {
    squares | ahead(squares, Color::White) | ahead(squares, Color::Black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::random_positions;
    use crate::position::{Piece, Position, Role, Square};

    /// The kind of a pawn by the definition.
    fn kind(board: &Board, square: Square, color: Color) -> usize {
        let pawn = |color| Piece { color, role: Role::Pawn };
        let pawns = |color: Color| board.iter().filter(move |&(_, piece)| piece == pawn(color));
        let forward = color.fold_wb(1, -1);
        // Files to the right and ranks forward.
        let away = |other: Square| {
            let ranks = other.rank() as i32 - square.rank() as i32;
            (other.file() as i32 - square.file() as i32, ranks * forward)
        };
        let mut own =
            pawns(color).map(|(other, _)| away(other)).filter(|&(files, _)| files.abs() == 1);
        let is_passed = !pawns(!color)
            .map(|(other, _)| away(other))
            .any(|(files, ranks)| files.abs() <= 1 && ranks > 0);
        let is_near = own.clone().any(|(_, ranks)| ranks == 0 || ranks == -1);
        let support = if is_near { 2 } else { usize::from(own.next().is_some()) };
        usize::from(is_passed) * SUPPORTS + support
    }

    #[test]
    fn every_pawn_has_the_kind_of_the_definition() {
        let mut seen = [0; 2 * SUPPORTS];
        let endings =
            ["8/1p3k2/p6p/2PP4/6P1/1K5P/P7/8 w - - 0 1", "k7/7P/P6p/8/8/p6P/p7/K7 w - - 0 1"];
        let endings = endings.map(|fen| Position::from_fen(fen).unwrap());
        for position in random_positions(300).into_iter().chain(endings) {
            let board = position.board();
            let mut expected = Vec::new();
            for (square, piece) in board.iter().filter(|(_, piece)| piece.role == Role::Pawn) {
                let kind = kind(board, square, piece.color);
                let side = usize::from(piece.color.is_black()) * FLIP_COLOR;
                expected.push((kind * KIND_INPUTS + side + square as usize) as u16);
                seen[kind] += 1;
            }
            let mut found = Vec::new();
            each(board, |input| found.push(input));
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{position:?}");
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }
}
