//! The order of quiet moves: all its terms.

use crate::position::Move;
use crate::smp::recorder::Observer;

use super::history::{ButterflyIndex, Histories, History, PieceTo};
use super::node::Node;
use super::params;

/// What ranks a quiet move of `node`: its history, and a bonus beyond that.
///
/// The history is the sum of the butterfly, pawn and continuation histories. The bonus, in the same
/// units, is for a threat or an escape: a check from a square that no lesser piece attacks, and
/// leaving or entering the reach of a lesser piece. Source: Stockfish's scoring of quiet moves.
#[inline(always)]
pub(super) fn quiet_terms<'a>(
    histories: &'a Histories,
    node: &'a Node<'_>,
    observer: Observer<'a>,
) -> (impl Fn(Move) -> i32 + 'a, impl Fn(Move) -> i32 + 'a) {
    let Node { position, continuation, .. } = *node;
    let (us, pawns, threats) = (position.turn(), position.pawn_key(), node.threats());
    let history = move |m| {
        let to = PieceTo::new(us, m);
        let butterfly = ButterflyIndex::new(us, threats.all, m);
        let base = histories.butterfly.get(butterfly, observer)
            + histories.pawn.get((pawns, to), observer);
        continuation
            .iter()
            .fold(base, |sum, &earlier| sum + histories.continuation.get((earlier, to), observer))
    };
    let minor = params::order_minor();
    let worth = [0, minor, minor, params::order_rook(), params::order_queen(), 0];
    let bonus = move |m: Move| {
        let lesser = threats.by_lesser(m.role());
        let (leaves, enters) = (lesser.contains(m.from()), lesser.contains(m.to()));
        let is_safe_check = !enters && node.gives_check(m);
        worth[m.role() as usize - 1] * (i32::from(leaves) - i32::from(enters))
            + params::order_check() * i32::from(is_safe_check)
    };
    (history, bonus)
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture;
    use super::*;
    use crate::position::Position;

    fn bonus(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen).unwrap();
        let node = fixture::node(&position, 1);
        let histories = Histories::new();
        let (_, bonus) = quiet_terms(&histories, &node, Observer::default());
        bonus(position.parse_move(m).unwrap())
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
