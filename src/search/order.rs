//! The order of quiet moves: all its terms.

use crate::position::{Color, Key, Move, Threats};
use crate::smp::recorder::Observer;

use super::histories::Histories;
use super::history::{ButterflyIndex, CONTINUATION_PLIES, ContinuationRow, History, PieceTo};
use super::node::Node;
use super::params;
use super::shared::Shared;

/// The order of the quiet moves of a node: by their history, and a bonus beyond that.
///
/// Its functions are inlined into the loops over the moves, where the compiler leaves out an
/// observer that is known to be absent.
pub(super) struct QuietOrder<'a> {
    node: &'a Node<'a>,
    us: Color,
    pawns: Key,
    continuation: [ContinuationRow<'a>; CONTINUATION_PLIES.len()],
    threats: &'a Threats,
    histories: &'a Histories,
    observer: Observer<'a>,
}

impl<'a> QuietOrder<'a> {
    /// The order at `node`, unobserved.
    #[inline(always)]
    pub fn new(shared: &Shared<'a>, node: &'a Node<'a>) -> Self {
        Self {
            node,
            us: node.position.turn(),
            pawns: node.position.pawn_key(),
            continuation: node.continuation.map(|m| shared.histories.continuation.after(m)),
            threats: node.threats(),
            histories: shared.histories,
            observer: Observer::default(),
        }
    }

    /// The same, seen by the observer.
    #[inline(always)]
    pub fn observed(shared: &Shared<'a>, node: &'a Node<'a>) -> Self {
        Self { observer: shared.observer, ..Self::new(shared, node) }
    }

    /// The sum of the butterfly, pawn and continuation histories.
    #[inline(always)]
    pub fn history(&self, m: Move) -> i32 {
        let Self { histories, observer, .. } = *self;
        let to = PieceTo::new(self.us, m);
        let butterfly = ButterflyIndex::new(self.us, self.threats.all, m);
        let base = histories.butterfly.get(butterfly, observer)
            + histories.pawn.get((self.pawns, to), observer);
        self.continuation.iter().fold(base, |sum, row| sum + row.get(to, observer))
    }

    /// The bonus for a threat or an escape, in units of history: a check from a square that no
    /// lesser piece attacks, and leaving or entering the reach of a lesser piece. Source:
    /// Stockfish's scoring of quiet moves.
    #[inline(always)]
    pub fn bonus(&self, m: Move) -> i32 {
        let minor = params::order_minor();
        let worth = [0, minor, minor, params::order_rook(), params::order_queen(), 0];
        let lesser = self.threats.by_lesser(m.role());
        let (leaves, enters) = (lesser.contains(m.from()), lesser.contains(m.to()));
        let is_safe_check = !enters && self.node.gives_check(m);
        worth[m.role() as usize - 1] * (i32::from(leaves) - i32::from(enters))
            + params::order_check() * i32::from(is_safe_check)
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture;
    use super::*;
    use crate::position::Position;

    fn bonus(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        let node = fixture::node(&position, 1);
        let (common, run) = fixture::search(&position);
        let shared = Shared::new(&common, &run, 0);
        QuietOrder::new(&shared, &node).bonus(position.parse_move(m).unwrap())
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
