//! Pruning: nodes and moves that are given up without a full search.
//!
//! A function that prunes a node returns its score, or `None`. None of them runs in check, on the
//! principal variation or within a singular search.

use crate::position::{Position, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::{Bound, Entry};

use super::mode::Mode;
use super::move_keys::PieceTo;
use super::node::{Candidate, Node, NonPv};
use super::picker::{Picker, REFUTATIONS, Wanted};
use super::window::Window;
use super::worker::Search;
use super::{Aborted, params, see};

/// Whether a move is searched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is searched.
    Search,
    /// It is skipped.
    Skip,
    /// It and all quiet moves after it are skipped.
    SkipQuiets,
}

type Pruned = Result<Option<Score>, Aborted>;

impl<M: Mode> Search<'_, M> {
    /// Tries to give up a whole node.
    pub fn prune_node(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        node: &Node,
    ) -> Pruned {
        if node.in_check {
            return Ok(None);
        }
        if let Some(score) = reverse_futility(node, window) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razoring(position, ply, window, node)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(position, ply, window, node)? {
            return Ok(Some(score));
        }
        self.probcut(position, ply, window, node)
    }

    /// Razoring: at low depth, a node whose evaluation is far below alpha is left to quiescence.
    /// Source: J. Birmingham and P. Kent, 1977; in this form, Stockfish.
    fn razoring(&mut self, position: &Position, ply: usize, window: Window, node: &Node) -> Pruned {
        let is_hopeless = node.depth <= params::RAZORING_DEPTH.get()
            && node.estimate + params::RAZORING_MARGIN.get() * node.depth < window.alpha;
        if !is_hopeless {
            return Ok(None);
        }
        let score = self.quiesce::<NonPv>(position, ply, Window::above(window.alpha))?;
        Ok((score <= window.alpha).then_some(score))
    }

    /// Null move: where passing already holds beta, so will some move. Not without pieces, where
    /// passing may be the best there is; at high depth the result is verified by a search without
    /// null moves. Sources: P. Verhelst, 1997; C. Donninger, 1993; verification,
    /// O. David-Tabibi and N. Netanyahu, 2002.
    fn null_move(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        node: &Node,
    ) -> Pruned {
        let beta = window.beta;
        let is_allowed = node.depth >= params::NULL_MOVE_DEPTH.get()
            && ply >= self.null_from
            && self.stack.before(ply, 1).piece_to != PieceTo::NONE
            && node.estimate >= beta
            && node.eval.is_some_and(|eval| eval + null_move_slack(node.depth) >= beta)
            && !beta.is_loss()
            && position.has_pieces(position.turn());
        if !is_allowed {
            return Ok(None);
        }
        let Some(passed) = position.null_move() else { return Ok(None) };
        let above = (node.estimate - beta) / params::NULL_MOVE_EVAL_DIVISOR.get();
        let reduction = params::NULL_MOVE_REDUCTION.get()
            + node.depth / params::NULL_MOVE_DEPTH_DIVISOR.get()
            + above.min(params::NULL_MOVE_EVAL_MAX.get());
        let depth = node.depth - reduction;
        self.table.prefetch(passed.key());
        self.push(position, ply, None);
        let searched =
            self.pvs::<NonPv>(&passed, ply + 1, -Window::below(beta), depth, !node.is_cut);
        self.pop();
        let score = -searched?;
        if score < beta {
            return Ok(None);
        }
        // A mate found after passing is no proof.
        let score = if score.is_decisive() { beta } else { score };
        if node.depth < params::NULL_MOVE_VERIFY_DEPTH.get() || self.null_from > 0 {
            return Ok(Some(score));
        }
        self.null_from =
            ply + 1 + (depth.max(0) * params::NULL_MOVE_VERIFY_QUARTERS.get() / 4) as usize;
        let verified = self.pvs::<NonPv>(position, ply, Window::below(beta), depth, false);
        self.null_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// `ProbCut`: a capture that holds well above beta in a shallower search holds beta.
    /// Source: M. Buro, 1994; with captures and quiescence first, as in Stockfish.
    fn probcut(&mut self, position: &Position, ply: usize, window: Window, node: &Node) -> Pruned {
        let beta = window.beta + params::PROBCUT_MARGIN.get();
        let depth = node.depth - params::PROBCUT_REDUCTION.get();
        let is_refuted = node.tt_entry.is_some_and(|entry| {
            entry.depth >= depth && entry.score.is_some_and(|(score, _)| score < beta)
        });
        if node.depth < params::PROBCUT_DEPTH.get() || window.beta.is_decisive() || is_refuted {
            return Ok(None);
        }
        let needed = (beta - node.eval.unwrap_or(beta)).max(0);
        let tt_move = node.tt_move.filter(|&m| is_tactical(m) && see::wins(position, m, needed));
        let wanted = Wanted::Tactical(position, needed);
        let mut picker = Picker::new(wanted, tt_move, [None; REFUTATIONS]);
        while let Some(picked) = picker.next(&self.history) {
            let m = picked.m;
            let child = self.play(position, ply, m);
            let null = -Window::below(beta);
            let mut searched = self.quiesce::<NonPv>(&child, ply + 1, null);
            if searched.is_ok_and(|score| -score >= beta) {
                searched = self.pvs::<NonPv>(&child, ply + 1, null, depth, !node.is_cut);
            }
            self.pop();
            let score = -searched?;
            if score >= beta {
                let entry = node.entry(Some(m), score, Bound::Lower);
                self.store(position, ply, Entry { depth: depth + 1, ..entry });
                return Ok(Some(if score.is_decisive() {
                    score
                } else {
                    score - params::PROBCUT_MARGIN.get()
                }));
            }
        }
        Ok(None)
    }

    /// Decides whether one move is worth a search.
    pub fn prune_move(
        &self,
        position: &Position,
        window: Window,
        node: &Node,
        candidate: Candidate,
    ) -> Verdict {
        // SEE has found a good capture to lose little.
        let is_safe = candidate.move_count == 1 || candidate.picked.is_good;
        if is_safe || !position.has_pieces(position.turn()) {
            return Verdict::Search;
        }
        let base =
            self.reductions.base(candidate.picked.is_tactical, node.depth, candidate.move_count);
        let reduced = (node.depth - base).max(0);
        // A check forces, so it is judged as a capture is, as long as quiet moves are not skipped.
        if candidate.picked.is_tactical || candidate.gives_check {
            return see_pruning(
                position,
                candidate,
                params::SEE_TACTICAL_MARGIN.get() * node.depth,
                node.depth,
            );
        }
        if late_move(node, candidate) || futility(node, window, reduced) {
            return Verdict::SkipQuiets;
        }
        if history_pruning(candidate, reduced) {
            return Verdict::Skip;
        }
        see_pruning(
            position,
            candidate,
            params::SEE_QUIET_MARGIN.get() * reduced * reduced,
            reduced,
        )
    }
}

/// Centipawns by which the evaluation may be below beta for a null move. It grows with the depth, at
/// which the search counts for more.
fn null_move_slack(depth: Depth) -> i32 {
    params::NULL_MOVE_SLACK.get() * depth - params::NULL_MOVE_SLACK_OFFSET.get()
}

/// Reverse futility, or static null move: an evaluation so far above beta that the depth left will
/// not bring it down. Source: the Chess Programming Wiki's "reverse futility pruning".
fn reverse_futility(node: &Node, window: Window) -> Option<Score> {
    let improving = i32::from(node.is_improving) * params::REVERSE_FUTILITY_IMPROVING.get();
    let margin = params::REVERSE_FUTILITY_MARGIN.get() * node.depth - improving;
    let holds = !node.tt_pv
        && node.depth <= params::REVERSE_FUTILITY_DEPTH.get()
        && node.estimate - margin >= window.beta
        && !window.beta.is_loss()
        && !node.estimate.is_decisive();
    holds.then(|| Score::new((node.estimate.get() + window.beta.get()) / 2))
}

/// Late move pruning: at low depth, quiet moves far down the list are not tried.
/// Source: Fruit and Stockfish ("move count pruning").
fn late_move(node: &Node, candidate: Candidate) -> bool {
    let limit = params::LATE_MOVE_BASE.get() + node.depth * node.depth;
    let limit = if node.is_improving { limit } else { limit / params::LATE_MOVE_WORSENING.get() };
    node.depth <= params::LATE_MOVE_DEPTH.get() && candidate.move_count as i32 > limit
}

/// Futility pruning: a quiet move will not lift an evaluation that is far below alpha.
/// Source: E. Heinz, "Extended Futility Pruning", 1998.
fn futility(node: &Node, window: Window, reduced: Depth) -> bool {
    let margin = params::FUTILITY_BASE.get() + params::FUTILITY_MARGIN.get() * reduced;
    reduced <= params::FUTILITY_DEPTH.get()
        && node.eval.is_some_and(|eval| eval + margin <= window.alpha)
        && !window.alpha.is_decisive()
}

/// History pruning: a quiet move that has failed again and again is not tried at low depth.
/// Source: Stockfish ("continuation history based pruning").
fn history_pruning(candidate: Candidate, reduced: Depth) -> bool {
    reduced <= params::HISTORY_PRUNING_DEPTH.get()
        && candidate.picked.history < params::HISTORY_PRUNING_MARGIN.get() * (reduced + 1)
}

/// SEE pruning: a move that loses more in exchanges than the depth could win back is not tried.
/// Source: the Chess Programming Wiki's "static exchange evaluation".
fn see_pruning(position: &Position, candidate: Candidate, margin: i32, depth: Depth) -> Verdict {
    if depth <= params::SEE_DEPTH.get() && !see::wins(position, candidate.picked.m, margin) {
        Verdict::Skip
    } else {
        Verdict::Search
    }
}
