//! The surroundings of a node's quiet moves, which decide their order.
//!
//! Attacked squares and squares that give check are computed when first asked for: a node that its
//! first capture refutes needs neither.

use std::cell::OnceCell;

use crate::position::{CheckSquares, Color, Key, Move, Position, Role, Threats};

use super::move_keys::{ButterflySlot, Continuation};
use super::params;

/// The surroundings of a node's quiet moves.
pub struct Context<'a> {
    position: &'a Position,
    continuation: Continuation,
    threats: OnceCell<Threats>,
    checks: OnceCell<CheckSquares>,
}

impl<'a> Context<'a> {
    /// The context of `position`, to which the moves of `continuation` have led.
    #[must_use]
    pub fn new(position: &'a Position, continuation: Continuation) -> Self {
        Self { position, continuation, threats: OnceCell::new(), checks: OnceCell::new() }
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &'a Position {
        self.position
    }

    /// The side to move.
    #[must_use]
    pub fn us(&self) -> Color {
        self.position.turn()
    }

    /// The key of both sides' pawns.
    #[must_use]
    pub fn pawn_key(&self) -> Key {
        self.position.pawn_key()
    }

    /// The moves that led to the node.
    #[must_use]
    pub fn continuation(&self) -> Continuation {
        self.continuation
    }

    /// The squares that the opponent attacks.
    #[must_use]
    pub fn threats(&self) -> &Threats {
        self.threats.get_or_init(|| self.position.threats(!self.us()))
    }

    /// The entry of a quiet move in the butterfly history.
    #[must_use]
    pub fn butterfly(&self, m: Move) -> ButterflySlot {
        ButterflySlot::new(self.us(), self.threats().all, m)
    }

    /// The legal move `m` gives check.
    #[must_use]
    pub fn gives_check(&self, m: Move) -> bool {
        self.checks.get_or_init(|| self.position.check_squares()).gives_check(self.position, m)
    }

    /// The bonus of a quiet move in the order for a threat or an escape, in units of history: a check from a square that no lesser piece attacks, and leaving or entering the reach
    /// of a lesser piece. Source: Stockfish's scoring of quiet moves.
    #[must_use]
    pub fn bonus(&self, m: Move) -> i32 {
        let (role, to) = (m.role(), m.to());
        let lesser = self.threats().by_lesser(role);
        let mut bonus = 0;
        if !lesser.contains(to) && self.gives_check(m) {
            bonus += params::ORDER_CHECK.get();
        }
        let worth = match role {
            Role::Queen => params::ORDER_QUEEN.get(),
            Role::Rook => params::ORDER_ROOK.get(),
            Role::Knight | Role::Bishop => params::ORDER_MINOR.get(),
            Role::Pawn | Role::King => return bonus,
        };
        bonus += worth * i32::from(m.from().is_some_and(|from| lesser.contains(from)));
        bonus - worth * i32::from(lesser.contains(to))
    }
}

#[cfg(test)]
mod tests {
    use super::super::move_keys::{CONTINUATION_PLIES, PieceTo};
    use super::*;

    fn bonus(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        let continuation = Continuation([PieceTo::NONE; CONTINUATION_PLIES.len()]);
        Context::new(&position, continuation).bonus(position.parse_move(m).unwrap())
    }

    #[test]
    fn safe_checks_come_first_and_losing_ones_do_not() {
        let fen = "4k3/2p5/8/8/8/8/8/3QK2R w K - 0 1";
        assert_eq!(bonus(fen, "d1e2"), params::ORDER_CHECK.get());
        assert_eq!(bonus(fen, "h1h2"), 0);
        assert!(bonus("4k3/2p1p3/8/8/8/8/8/4KQ2 w - - 0 1", "f1b5") > 0);
        assert!(bonus("4k3/p1p1p3/2p5/8/8/8/8/4KQ2 w - - 0 1", "f1b5") < 0);
    }

    #[test]
    fn pieces_leave_and_do_not_enter_the_reach_of_lesser_ones() {
        let fen = "4k3/8/4p3/3R4/8/8/8/4K1N1 w - - 0 1";
        assert_eq!(bonus(fen, "d5d1"), params::ORDER_ROOK.get());
        assert_eq!(bonus(fen, "d5f5"), 0);
        assert_eq!(bonus(fen, "g1f3"), 0);
        assert_eq!(bonus("4k3/8/4p3/8/5p2/8/8/4K1N1 w - - 0 1", "g1e2"), 0);
        assert_eq!(
            bonus("4k3/8/4p3/8/4p3/8/8/4K1N1 w - - 0 1", "g1f3"),
            -params::ORDER_MINOR.get()
        );
    }
}
