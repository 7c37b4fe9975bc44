//! Moves as the histories know them: a piece and its target, the moves that led to a node, a quiet
//! move's entry in the butterfly history.

use crate::position::{Bitboard, Color, Move, Square};

/// Kinds of coloured pieces times squares.
pub(super) const PIECE_TO: usize = 2 * 6 * 64;
/// Entries of the butterfly history: by color, by whether the opponent attacks the square left and the
/// square entered, and by both squares.
pub(super) const BUTTERFLY: usize = 2 * 4 * 64 * 64;

/// A coloured piece and the square it went to; the row of a continuation history.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move: the root's predecessor, or a null move.
    pub const NONE: Self = Self(PIECE_TO as u16);

    /// The piece and target of a move of `color`.
    #[must_use]
    pub fn new(color: Color, m: Move) -> Self {
        let kind = color as usize * 6 + (m.role() as usize - 1);
        Self((kind * 64 + usize::from(m.to())) as u16)
    }

    /// The piece went to `square`.
    #[must_use]
    pub fn is_to(self, square: Square) -> bool {
        self != Self::NONE && self.index() % 64 == usize::from(square)
    }

    /// A number for this move and the one before it.
    #[must_use]
    pub(super) fn mix(self, before: Self) -> usize {
        self.index() * (PIECE_TO + 1) + before.index()
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// How far back the continuation histories look, in plies.
pub const CONTINUATION_PLIES: [usize; 3] = [1, 2, 4];

/// The rows of the continuation histories at one node: the moves so far back that led to it, or
/// [`PieceTo::NONE`].
#[derive(Copy, Clone)]
pub struct Continuation(pub [PieceTo; CONTINUATION_PLIES.len()]);

/// A quiet move's entry in the butterfly history.
///
/// Source: threat-aware history, Koivisto (K. Kahre and F. Eggers, 2021).
#[derive(Copy, Clone, Debug)]
pub struct ButterflySlot(pub(super) usize);

impl ButterflySlot {
    /// The entry of a move by `us`, the opponent attacking `threats`.
    #[must_use]
    pub fn new(us: Color, threats: Bitboard, m: Move) -> Self {
        let leaves = m.from().is_some_and(|from| threats.contains(from));
        let exposure = usize::from(leaves) * 2 + usize::from(threats.contains(m.to()));
        Self((us as usize * 4 + exposure) * 64 * 64 + from_to(m))
    }
}

/// The index of a move by its squares.
fn from_to(m: Move) -> usize {
    m.from().map_or(0, usize::from) * 64 + usize::from(m.to())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn a_quiet_move_has_an_entry_for_each_way_to_be_attacked() {
        let position = Position::default();
        let m = position.parse_move("g1f3").unwrap();
        let (from, to) = (Bitboard::from(Square::G1), Bitboard::from(Square::F3));
        let slots: std::collections::HashSet<_> = Color::ALL
            .into_iter()
            .flat_map(|us| {
                [Bitboard::EMPTY, from, to, from | to].map(|t| ButterflySlot::new(us, t, m).0)
            })
            .collect();
        assert_eq!(slots.len(), 8);
        assert!(slots.into_iter().all(|slot| slot < BUTTERFLY));
    }
}
