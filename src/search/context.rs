//! Moves as the histories know them, and the surroundings of a node's quiet moves, which decide their order.
//!
//! Attacked squares and squares that give check are computed when first asked for: a node that its
//! first capture refutes needs neither.

use std::cell::OnceCell;

use crate::position::{Bitboard, CheckSquares, Color, Key, Move, Position, Square, Threats};

use super::params;

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
    pub fn new(color: Color, m: Move) -> Self {
        let kind = color as usize * 6 + (m.role() as usize - 1);
        Self((kind * 64 + usize::from(m.to())) as u16)
    }

    /// The piece went to `square`.
    pub fn is_to(self, square: Square) -> bool {
        self != Self::NONE && self.index() % 64 == usize::from(square)
    }

    /// A number for this move and the one before it.
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
pub type Continuation = [PieceTo; CONTINUATION_PLIES.len()];

/// A quiet move's entry in the butterfly history.
///
/// Source: threat-aware history, Koivisto (K. Kahre and F. Eggers, 2021).
#[derive(Copy, Clone, Debug)]
pub struct ButterflySlot(pub(super) usize);

impl ButterflySlot {
    /// The entry of a move by `us`, the opponent attacking `threats`.
    pub fn new(us: Color, threats: Bitboard, m: Move) -> Self {
        let leaves = threats.contains(m.from());
        let exposure = usize::from(leaves) * 2 + usize::from(threats.contains(m.to()));
        Self((us as usize * 4 + exposure) * 64 * 64 + m.from_to())
    }
}

/// The surroundings of a node's quiet moves.
pub struct Context<'a> {
    position: &'a Position,
    continuation: Continuation,
    threats: OnceCell<Threats>,
    checks: OnceCell<CheckSquares>,
}

impl<'a> Context<'a> {
    /// The context of `position`, to which the moves of `continuation` have led.
    pub fn new(position: &'a Position, continuation: Continuation) -> Self {
        Self { position, continuation, threats: OnceCell::new(), checks: OnceCell::new() }
    }

    /// The position.
    pub fn position(&self) -> &'a Position {
        self.position
    }

    /// The side to move.
    pub fn us(&self) -> Color {
        self.position.turn()
    }

    /// The key of both sides' pawns.
    pub fn pawn_key(&self) -> Key {
        self.position.pawn_key()
    }

    /// The moves that led to the node.
    pub fn continuation(&self) -> Continuation {
        self.continuation
    }

    /// The squares that the opponent attacks.
    pub fn threats(&self) -> &Threats {
        self.threats.get_or_init(|| self.position.threats(!self.us()))
    }

    /// The entry of a quiet move in the butterfly history.
    pub fn butterfly(&self, m: Move) -> ButterflySlot {
        ButterflySlot::new(self.us(), self.threats().all, m)
    }

    /// The legal move `m` gives check.
    pub fn gives_check(&self, m: Move) -> bool {
        self.checks().gives_check(self.position, m)
    }

    /// The squares from which a piece gives check.
    fn checks(&self) -> &CheckSquares {
        self.checks.get_or_init(|| self.position.check_squares())
    }

    /// The bonuses of quiet moves in the order for a threat or an escape, in units of history: a check from a square
    /// that no lesser piece attacks, and leaving or entering the reach of a lesser piece. Source: Stockfish's
    /// scoring of quiet moves.
    #[inline]
    pub fn bonuses(&self) -> impl Fn(Move) -> i32 {
        let (threats, checks) = (self.threats(), self.checks());
        let minor = params::order_minor();
        let worth = [0, minor, minor, params::order_rook(), params::order_queen(), 0];
        move |m| {
            let lesser = threats.by_lesser(m.role());
            let (leaves, enters) = (lesser.contains(m.from()), lesser.contains(m.to()));
            let is_safe_check = !enters && checks.gives_check(self.position, m);
            worth[m.role() as usize - 1] * (i32::from(leaves) - i32::from(enters))
                + params::order_check() * i32::from(is_safe_check)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn bonus(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        let continuation = [PieceTo::NONE; CONTINUATION_PLIES.len()];
        Context::new(&position, continuation).bonuses()(position.parse_move(m).unwrap())
    }

    #[test]
    fn safe_checks_come_first_and_losing_ones_do_not() {
        let fen = "4k3/2p5/8/8/8/8/8/3QK2R w K - 0 1";
        assert_eq!(bonus(fen, "d1e2"), params::order_check());
        assert_eq!(bonus(fen, "h1h2"), 0);
        assert!(bonus("4k3/2p1p3/8/8/8/8/8/4KQ2 w - - 0 1", "f1b5") > 0);
        assert!(bonus("4k3/p1p1p3/2p5/8/8/8/8/4KQ2 w - - 0 1", "f1b5") < 0);
    }

    #[test]
    fn pieces_leave_and_do_not_enter_the_reach_of_lesser_ones() {
        let fen = "4k3/8/4p3/3R4/8/8/8/4K1N1 w - - 0 1";
        assert_eq!(bonus(fen, "d5d1"), params::order_rook());
        assert_eq!(bonus(fen, "d5f5"), 0);
        assert_eq!(bonus(fen, "g1f3"), 0);
        assert_eq!(bonus("4k3/8/4p3/8/5p2/8/8/4K1N1 w - - 0 1", "g1e2"), 0);
        assert_eq!(bonus("4k3/8/4p3/8/4p3/8/8/4K1N1 w - - 0 1", "g1f3"), -params::order_minor());
    }
}
