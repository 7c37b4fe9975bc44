//! What a node teaches: the histories of its moves and of the move that led to it, and how far the
//! evaluation was off.

use crate::position::{Move, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::Bound;

use super::context::Context;
use super::history::bonus;
use super::mode::Mode;
use super::node::{Candidate, Facts, Node, Tried};
use super::params;
use super::worker::Search;

/// The unit of [`params::FAIL_LOW_BONUS`].
const BONUS_GRAIN: i32 = 128;

impl<M: Mode> Search<'_, M> {
    /// Learns from a fail-high which move was good and which were not.
    pub fn learn_moves(
        &mut self,
        context: &Context<'_>,
        node: &Node<'_>,
        best: Candidate,
        tried: &Tried,
    ) {
        if best.picked.is_tactical {
            self.history.reward_tactical(context.us(), node.depth, best.picked.m);
        } else {
            self.stack.at_mut(node.ply).killers.add(best.picked.m);
            self.history.reward_quiet(context, node.depth, best.picked.m, &tried.quiet);
        }
        self.history.punish_tactical(context.us(), node.depth, &tried.tactical);
    }

    /// Learns from a fail-low that the quiet move that led here was good. Source: Stockfish's "prior
    /// countermove bonus".
    pub fn learn_fail_low(&mut self, ply: usize, depth: Depth) {
        let before = self.stack.before(ply, 1);
        if let Some(quiet) = before.quiet {
            let step = bonus(depth) * params::FAIL_LOW_BONUS.get() / BONUS_GRAIN;
            let (rows, m) = (self.stack.continuation(ply - 1), before.piece_to);
            self.history.update_continuation(rows, m, step);
            self.history.update_butterfly(quiet, step);
        }
    }

    /// Learns from the evaluation what the quiet move that led here was worth to the opponent.
    /// Source: Stockfish, by way of Koivisto's "history by static evaluation".
    pub fn learn_eval_gain(&mut self, ply: usize, eval: Option<Score>) {
        let before = self.stack.before(ply, 1);
        let (Some(quiet), Some(then), Some(now)) = (before.quiet, before.eval, eval) else {
            return;
        };
        let most = params::EVAL_GAIN_MAX.get();
        let gain = -now.get() - then.get() + params::EVAL_GAIN_OFFSET.get();
        let step = (gain * params::EVAL_GAIN_FACTOR.get()).clamp(-most, most);
        self.history.update_butterfly(quiet, step);
    }

    /// Learns how far the evaluation was off. A capture changes what was evaluated, and so says
    /// nothing about it.
    pub fn learn_eval_error(
        &self,
        depth: Depth,
        facts: &Facts,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
    ) {
        let Some(eval) = facts.eval else { return };
        let is_quiet = best_move.is_none_or(|m| !is_tactical(m));
        if M::SELECTIVE && is_quiet && bound.refines(eval, best) && !best.is_decisive() {
            self.correction.learn(facts.correction, depth, best - eval);
        }
    }
}
