//! The pieces in danger, which have a second input.
//!
//! A network of pieces on squares has to find out by itself which of them attack which, and a few hundred neurons hardly do.
//! So it is told the most important part. A piece is threatened if a lesser one attacks it, or if it is attacked and not
//! defended; its input says by what. Only a few pieces are threatened at a time, so their rows are added whenever
//! a position is evaluated, and nothing is kept from move to move. They reach only the first [`SEEING`] neurons, which teaches
//! the network as much as if they reached all.
//!
//! Source of inputs that tell attacked pieces from others: the value network of Monty (J. Merrill and others, 2024), which has
//! four for each piece on each square.
//!
//! [`SEEING`]: super::row::SEEING

use crate::position::{Board, ByColor, Color, Role, Square, Threats};

/// Kinds of the least attacker: a pawn, a minor piece, a rook, the queen or the king.
pub const ATTACKERS: usize = 4;
/// The most threatened pieces of a position: kings are none.
pub const MAX_THREATENED: usize = 30;

/// The roles of pieces that are worth more than each kind of attacker but the last.
const ABOVE: [Role; ATTACKERS - 1] = [Role::Knight, Role::Rook, Role::Queen];
/// The roles that can be threatened.
const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// A threatened piece.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Threatened {
    /// Its color.
    pub color: Color,
    /// Its role.
    pub role: Role,
    /// Where it is.
    pub square: Square,
    /// The kind of its least attacker, below [`ATTACKERS`].
    pub attacker: usize,
}

/// Visits the threatened pieces of both sides. Pins are ignored.
#[inline]
pub fn each_threatened(board: &Board, mut visit: impl FnMut(Threatened)) {
    let attacks = ByColor::new_with(|color| Threats::new(board, color));
    for color in Color::ALL {
        let (own, their) = (attacks.get(color), attacks.get(!color));
        let loose = their.all & !own.all;
        for role in ROLES {
            for square in board.by_piece(role.of(color)) & (their.by_lesser(role) | loose) {
                let is_below = |&&above: &&Role| !their.by_lesser(above).contains(square);
                let attacker = ABOVE.iter().take_while(is_below).count();
                visit(Threatened { color, role, square, attacker });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::random_positions;
    use crate::position::{Bitboard, Position, attacks};

    fn found(fen: &str) -> Vec<(Square, usize)> {
        let position = Position::from_fen(fen).unwrap();
        let mut found = Vec::new();
        each_threatened(position.board(), |piece| found.push((piece.square, piece.attacker)));
        found.sort_unstable();
        found
    }

    #[test]
    fn the_least_attacker_decides() {
        // Black's rook is defended: the pawn alone threatens it. The knight is not.
        let fen = "4k3/8/4p3/3r4/4P3/1N6/n7/R3K3 w - - 0 1";
        assert_eq!(found(fen), [(Square::A2, 2), (Square::D5, 0)]);
        // A king attacks as a queen does, and a knight as a bishop.
        let fen = "4k3/8/8/8/2n5/8/B4n2/3RK3 w - - 0 1";
        assert_eq!(found(fen), [(Square::D1, 1), (Square::F2, 3), (Square::C4, 1)]);
    }

    /// The attackers of `square` by `color`.
    fn attackers(board: &Board, square: Square, color: Color) -> Vec<Role> {
        let attack = |&(from, piece): &(Square, _)| {
            attacks::attacks(from, piece, board.occupied()).contains(square)
        };
        let pieces = board.iter().filter(|(_, piece)| piece.color == color);
        pieces.filter(attack).map(|(_, piece)| piece.role).collect()
    }

    /// What a piece is worth beside others.
    fn rank(role: Role) -> usize {
        match role {
            Role::Pawn => 0,
            Role::Knight | Role::Bishop => 1,
            Role::Rook => 2,
            Role::Queen => 3,
            Role::King => 4,
        }
    }

    #[test]
    fn a_piece_is_threatened_as_the_definition_says() {
        let mut all = Bitboard::EMPTY;
        for position in random_positions(300) {
            let board = position.board();
            let mut found = Vec::new();
            each_threatened(board, |piece| found.push(piece));
            for (square, piece) in board.iter().filter(|(_, piece)| piece.role != Role::King) {
                let least = attackers(board, square, !piece.color).into_iter().map(rank).min();
                let is_defended = !attackers(board, square, piece.color).is_empty();
                let wanted = least.filter(|&least| least < rank(piece.role) || !is_defended);
                let piece = found.iter().find(|threatened| threatened.square == square);
                let attacker = wanted.map(|least| least.min(ATTACKERS - 1));
                assert_eq!(piece.map(|piece| piece.attacker), attacker, "{position:?}, {square}");
                all |= Bitboard::from(square);
            }
        }
        assert!(all.count() > 60);
    }
}
