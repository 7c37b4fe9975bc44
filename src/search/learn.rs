//! Learning from a node: the histories of its moves and of the move that led to it, and the error
//! of the evaluation.

use crate::position::{Move, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::Bound;

use super::history::{Continuation, History, PieceTo};
use super::node::Node;
use super::params;
use super::picker::Picked;
use super::worker::Search;

/// Failed moves of a kind that get a malus. Later moves are rarely tried early enough to need it.
const MAX_TRIED: usize = 32;

/// The unit of [`params::fail_low_bonus`].
const BONUS_GRAIN: i32 = 128;

/// The step of a move that refutes a node of this depth.
fn bonus(depth: Depth) -> i32 {
    (params::bonus_factor() * depth - params::bonus_offset()).min(params::bonus_max())
}

/// The step down of a move that was searched before it without a cutoff.
fn malus(depth: Depth) -> i32 {
    (params::malus_factor() * depth - params::malus_offset()).min(params::malus_max())
}

impl Search<'_> {
    /// Learns from a fail-high which move was good and which of those `tried` before it were not.
    pub fn learn_moves(&mut self, node: &Node<'_>, best: Picked, tried: &[Move]) {
        let tried = |tactical| {
            tried.iter().copied().filter(move |&m| is_tactical(m) == tactical).take(MAX_TRIED)
        };
        let (bonus, malus) = (bonus(node.depth), malus(node.depth));
        if best.is_tactical {
            self.update_capture(node, best.m, bonus);
        } else {
            self.own.stack.at_mut(node.ply).killers.add(best.m);
            self.own.counter.update(node.continuation[0], best.m);
            self.update_quiet(node, best.m, bonus);
            tried(false).for_each(|m| self.update_quiet(node, m, -malus));
        }
        tried(true).for_each(|m| self.update_capture(node, m, -malus));
    }

    /// Moves all histories of a quiet move.
    fn update_quiet(&self, node: &Node<'_>, m: Move, step: i32) {
        let (histories, observer) = (self.shared.histories, self.shared.observer);
        let to = PieceTo::new(node.position.turn(), m);
        histories.pawn.update((node.position.pawn_key(), to), step, observer);
        histories.butterfly.update(node.butterfly(m), step, observer);
        self.update_continuation(node.continuation, to, step);
    }

    fn update_continuation(&self, earlier: Continuation, m: PieceTo, step: i32) {
        for earlier in earlier {
            let index = (earlier, m);
            self.shared.histories.continuation.update(index, step, self.shared.observer);
        }
    }

    /// Moves the history of a capture or promotion.
    fn update_capture(&self, node: &Node<'_>, m: Move, step: i32) {
        let index = (node.position.turn(), m);
        self.shared.histories.capture.update(index, step, self.shared.observer);
    }

    /// Learns from a fail-low that the quiet move that led here was good. Source: Stockfish's
    /// "prior countermove bonus".
    pub fn learn_fail_low(&mut self, ply: usize, depth: Depth) {
        let before = self.own.stack.before(ply, 1);
        if let Some(quiet) = before.quiet {
            let step = bonus(depth) * params::fail_low_bonus() / BONUS_GRAIN;
            self.update_continuation(self.own.stack.continuation(ply - 1), before.piece_to, step);
            self.shared.histories.butterfly.update(quiet, step, self.shared.observer);
        }
    }

    /// Updates the history of the opponent's last quiet move by the change of the static
    /// evaluation. Source: Stockfish, by way of Koivisto's "history by static evaluation".
    pub fn learn_eval_gain(&mut self, node: &Node<'_>) {
        let before = self.own.stack.before(node.ply, 1);
        let (Some(quiet), Some(then), Some(now)) = (before.quiet, before.eval, node.eval) else {
            return;
        };
        let step = eval_gain(then, now);
        self.shared.histories.butterfly.update(quiet, step, self.shared.observer);
    }

    /// Updates the correction history by the difference between search and static evaluation. A
    /// best move that captures is left out: its material gain is no error of the evaluation.
    pub fn learn_eval_error(
        &self,
        node: &Node<'_>,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
    ) {
        if !self.shared.is_plain
            && let Some(error) = eval_error(node.eval, best_move, best, bound)
        {
            let correction = self.shared.correction;
            correction.update(node.correction, node.depth, error, self.shared.observer);
        }
    }
}

/// The step of the history of a move after which the evaluation went from `then`, for its side, to
/// `now`, for the other.
fn eval_gain(then: Score, now: Score) -> i32 {
    let most = params::eval_gain_max();
    let gain = -now.get() - then.get() + params::eval_gain_offset();
    (gain * params::eval_gain_factor()).clamp(-most, most)
}

/// Centipawns by which the evaluation was off, if the search shows it.
fn eval_error(
    eval: Option<Score>,
    best_move: Option<Move>,
    best: Score,
    bound: Bound,
) -> Option<i32> {
    let eval = eval?;
    let is_quiet = best_move.is_none_or(|m| !is_tactical(m));
    (is_quiet && bound.refines(eval, best) && !best.is_decisive()).then(|| best - eval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn a_move_gains_if_the_evaluation_turns_against_the_opponent() {
        let step = |then, now| eval_gain(Score::new(then), Score::new(now));
        let (factor, offset) = (params::eval_gain_factor(), params::eval_gain_offset());
        let most = params::eval_gain_max();
        assert_eq!(step(30, -30), offset * factor);
        assert_eq!(step(30, -80), (50 + offset) * factor);
        assert_eq!(step(30, 20), (offset - 50) * factor);
        assert_eq!([step(0, -9000), step(0, 9000)], [most, -most]);
    }

    #[test]
    fn an_error_is_learnt_from_quiet_moves_and_bounds_that_show_it() {
        let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        let [quiet, capture] = ["e4e5", "e4d5"].map(|m| Some(position.parse_move(m).unwrap()));
        let mate = Score::mate_in(5).get();
        for (best_move, best, bound, expected) in [
            (None, 20, Bound::Upper, Some(-30)),
            (None, 60, Bound::Upper, None),
            (quiet, 80, Bound::Exact, Some(30)),
            (quiet, 20, Bound::Exact, Some(-30)),
            (quiet, 80, Bound::Lower, Some(30)),
            (quiet, 40, Bound::Lower, None),
            (capture, 80, Bound::Exact, None),
            (quiet, mate, Bound::Exact, None),
        ] {
            let found = eval_error(Some(Score::new(50)), best_move, Score::new(best), bound);
            assert_eq!(found, expected, "{best_move:?} {best} {bound:?}");
        }
        assert_eq!(eval_error(None, quiet, Score::new(80), Bound::Exact), None, "in check");
    }
}
