//! The attacked pieces, which have a second input: by what they are attacked, and how they are
//! defended.
//!
//! A few hundred neurons hardly learn from pieces on squares alone which pieces attack which, so
//! the most important part is an input. Only a few pieces are attacked at a time.

use super::features::{FLIP_COLOR, MAX_PIECES};
use crate::position::{Bitboard, Board, ByColor, Color, Role, Square, Threats};

/// Kinds of the least attacker: a pawn, a minor piece, a rook, the queen or the king.
pub const ATTACKERS: usize = 4;
/// Kinds of the defence: by a pawn, none, by pieces alone.
const DEFENCES: usize = 3;
/// Roles that can be attacked: all but the king.
const ATTACKABLE: usize = 5;
/// Inputs of a role under one kind of attack and defence: a color and a square.
const KIND_INPUTS: usize = 2 * FLIP_COLOR;
/// Inputs of attacked pieces in one side's view.
pub const ATTACKED_INPUTS: usize = ATTACKERS * DEFENCES * ATTACKABLE * KIND_INPUTS;
/// The most attacked pieces of a position: kings are none.
pub const MAX_ATTACKED: usize = MAX_PIECES - 2;

/// The number of no defence.
const LOOSE: usize = 1;
/// Pawns attack the squares where a knight is attacked by a lesser piece.
const ABOVE_PAWNS: Role = Role::Knight;
/// The roles of pieces that are worth more than each kind of attacker but the last.
const ABOVE: [Role; ATTACKERS - 1] = [ABOVE_PAWNS, Role::Rook, Role::Queen];

/// Visits the inputs, below [`ATTACKED_INPUTS`], of the attacked pieces of both sides, as White
/// with its king on the files a to d sees them. Pins are ignored.
#[inline]
pub fn each(board: &Board, attacks: &ByColor<Threats>, mut visit: impl FnMut(u16)) {
    for color in Color::ALL {
        let (own, their) = (attacks.get(color), attacks.get(!color));
        let side = if color.is_black() { FLIP_COLOR } else { 0 };
        for square in board.by_color(color) & !board.kings() & their.all {
            let kind = least_attacker(their, square) * DEFENCES + defence(own, square);
            let kind = kind * ATTACKABLE + role(board, square);
            visit((kind * KIND_INPUTS + side + square as usize) as u16);
        }
    }
}

// Branch-free: the branches would be unpredictable.

/// The kind of the least attacker of an attacked square.
#[inline]
fn least_attacker(their: &Threats, square: Square) -> usize {
    let [knight, rook, queen] = ABOVE.map(|role| is_in(their.by_lesser(role), square));
    ATTACKERS - 1 - knight - rook - queen
}

/// The kind of the defence of a square.
#[inline]
fn defence(own: &Threats, square: Square) -> usize {
    LOOSE + is_in(own.all, square) - 2 * is_in(own.by_lesser(ABOVE_PAWNS), square)
}

/// The number of the role of a piece other than a king, pawns first.
#[inline]
fn role(board: &Board, square: Square) -> usize {
    is_in(board.knights(), square)
        + 2 * is_in(board.bishops(), square)
        + 3 * is_in(board.rooks(), square)
        + 4 * is_in(board.queens(), square)
}

/// 1 if the square is in the set, or else 0.
#[inline]
fn is_in(set: Bitboard, square: Square) -> usize {
    usize::from(set.contains(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::random_positions;
    use crate::position::{Position, attacks};

    const BY_PAWN: usize = 0;
    const BY_PIECES: usize = 2;

    fn inputs(board: &Board) -> Vec<u16> {
        let attacks = ByColor::new_with(|color| Threats::new(board, color));
        let mut inputs = Vec::new();
        each(board, &attacks, |input| inputs.push(input));
        inputs
    }

    /// The attacker, defence, role, side and square of an input.
    fn parts(input: u16) -> [usize; 5] {
        let mut rest = usize::from(input);
        let mut parts = [64, 2, ATTACKABLE, DEFENCES, ATTACKERS].map(|count| {
            let part = rest % count;
            rest /= count;
            part
        });
        parts.reverse();
        parts
    }

    /// Square, attacker and defence of the attacked pieces.
    fn found(fen: &str) -> Vec<(Square, usize, usize)> {
        let position = Position::from_fen(fen).unwrap();
        let kinds = inputs(position.board()).into_iter().map(|input| {
            let [attacker, defence, .., square] = parts(input);
            (Square::new(square as u32), attacker, defence)
        });
        let mut found: Vec<_> = kinds.collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn the_least_attacker_and_the_defence_decide() {
        let fen = "4k3/8/8/3r4/4P3/1N6/n7/R3K3 w - - 0 1";
        let loose = [(Square::A2, 2, LOOSE), (Square::D5, 0, LOOSE)];
        assert_eq!(found(fen), loose);
        let fen = "4k3/8/4p3/3r4/4P3/1N6/n7/R3K3 w - - 0 1";
        assert_eq!(found(fen), [loose[0], (Square::D5, 0, BY_PAWN)]);
        // A king attacks as a queen does, and a knight as a bishop.
        let fen = "4k3/8/8/8/2n5/8/B4n2/3RK3 w - - 0 1";
        let attacked = [(Square::D1, 1, BY_PIECES), (Square::F2, 3, LOOSE), (Square::C4, 1, LOOSE)];
        assert_eq!(found(fen), attacked);
    }

    /// The attackers of `square` by `color`.
    fn attackers(board: &Board, square: Square, color: Color) -> Vec<Role> {
        let attack = |&(from, piece): &(Square, _)| {
            attacks::attacks(from, piece, board.occupied()).contains(square)
        };
        let pieces = board.iter().filter(|(_, piece)| piece.color == color);
        pieces.filter(attack).map(|(_, piece)| piece.role).collect()
    }

    /// The number of a kind of attackers.
    fn kind(role: Role) -> usize {
        match role {
            Role::Pawn => 0,
            Role::Knight | Role::Bishop => 1,
            Role::Rook => 2,
            Role::Queen | Role::King => 3,
        }
    }

    #[test]
    fn the_inputs_are_what_the_definition_says() {
        let mut all = Bitboard::EMPTY;
        for position in random_positions(300) {
            let board = position.board();
            let mut expected = Vec::new();
            for (square, piece) in board.iter().filter(|(_, piece)| piece.role != Role::King) {
                let by = attackers(board, square, !piece.color).into_iter().map(kind).min();
                let defence = match attackers(board, square, piece.color) {
                    defenders if defenders.is_empty() => LOOSE,
                    defenders if defenders.contains(&Role::Pawn) => BY_PAWN,
                    _ => BY_PIECES,
                };
                let (role, side) = (piece.role as usize - 1, usize::from(piece.color.is_black()));
                expected.extend(by.map(|by| [by, defence, role, side, square as usize]));
                all |= Bitboard::from(square);
            }
            let mut found: Vec<_> = inputs(board).into_iter().map(parts).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{position:?}");
        }
        assert!(all.count() > 60);
    }
}
