//! Pruning: nodes and moves that are given up without a full search.
//!
//! A function that prunes a node returns its score, or `None`. None of them runs in check, on the
//! principal variation or within a singular search.

use crate::position::{Position, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::Bound;

use super::mode::Mode;
use super::move_keys::PieceTo;
use super::node::{Candidate, Facts, Node, NonPv};
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
    pub fn prune_node(&mut self, node: &Node<'_>, facts: &Facts) -> Pruned {
        if node.position.is_check() {
            return Ok(None);
        }
        if let Some(score) = reverse_futility(node, facts) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razoring(node, facts)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node, facts)? {
            return Ok(Some(score));
        }
        self.probcut(node, facts)
    }

    /// Razoring: at low depth, a node whose evaluation is far below alpha is left to quiescence.
    /// Source: J. Birmingham and P. Kent, 1977; in this form, Stockfish.
    fn razoring(&mut self, node: &Node<'_>, facts: &Facts) -> Pruned {
        let is_hopeless = node.depth <= params::RAZORING_DEPTH.get()
            && facts.estimate + params::RAZORING_MARGIN.get() * node.depth < node.window.alpha;
        if !is_hopeless {
            return Ok(None);
        }
        let score =
            self.quiesce::<NonPv>(Node { window: Window::above(node.window.alpha), ..*node })?;
        Ok((score <= node.window.alpha).then_some(score))
    }

    /// Null move: where passing already holds beta, so will some move. Not without pieces, where
    /// passing may be the best there is; at high depth the result is verified by a search without
    /// null moves. Sources: P. Verhelst, 1997; C. Donninger, 1993; verification,
    /// O. David-Tabibi and N. Netanyahu, 2002.
    fn null_move(&mut self, node: &Node<'_>, facts: &Facts) -> Pruned {
        let Node { position, ply, window: Window { beta, .. }, .. } = *node;
        let is_allowed = node.depth >= params::NULL_MOVE_DEPTH.get()
            && ply >= self.null_from
            && self.stack.before(ply, 1).piece_to != PieceTo::NONE
            && facts.estimate >= beta
            && facts.eval.is_some_and(|eval| eval + null_move_slack(node.depth) >= beta)
            && !beta.is_loss()
            && position.has_pieces(position.turn());
        if !is_allowed {
            return Ok(None);
        }
        let Some(passed) = position.null_move() else { return Ok(None) };
        let above = (facts.estimate - beta) / params::NULL_MOVE_EVAL_DIVISOR.get();
        let reduction = params::NULL_MOVE_REDUCTION.get()
            + node.depth / params::NULL_MOVE_DEPTH_DIVISOR.get()
            + above.min(params::NULL_MOVE_EVAL_MAX.get());
        let depth = node.depth - reduction;
        self.table.prefetch(passed.key());
        self.push(node, None);
        let child = node.child(&passed, Window::below(beta), depth);
        let searched = self.pvs::<NonPv>(Node { is_cut: !node.is_cut, ..child });
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
        let again = Node { window: Window::below(beta), depth, is_cut: false, ..*node };
        let verified = self.pvs::<NonPv>(again);
        self.null_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// `ProbCut`: a capture that holds well above beta in a shallower search holds beta.
    /// Source: M. Buro, 1994; with captures and quiescence first, as in Stockfish.
    fn probcut(&mut self, node: &Node<'_>, facts: &Facts) -> Pruned {
        let beta = node.window.beta + params::PROBCUT_MARGIN.get();
        let depth = node.depth - params::PROBCUT_REDUCTION.get();
        let is_refuted = facts.tt_entry.is_some_and(|entry| {
            entry.depth >= depth && entry.score.is_some_and(|(score, _)| score < beta)
        });
        if node.depth < params::PROBCUT_DEPTH.get() || node.window.beta.is_decisive() || is_refuted
        {
            return Ok(None);
        }
        let needed = (beta - facts.eval.unwrap_or(beta)).max(0);
        let tt_move =
            facts.tt_move.filter(|&m| is_tactical(m) && see::wins(node.position, m, needed));
        let wanted = Wanted::Tactical(node.position, needed);
        let mut picker = Picker::new(wanted, tt_move, [None; REFUTATIONS]);
        while let Some(picked) = picker.next(&self.history) {
            let m = picked.m;
            let position = self.play(node, m);
            let child = node.child(&position, Window::below(beta), depth);
            let mut searched = self.quiesce::<NonPv>(child);
            if searched.is_ok_and(|score| -score >= beta) {
                searched = self.pvs::<NonPv>(Node { is_cut: !node.is_cut, ..child });
            }
            self.pop();
            let score = -searched?;
            if score >= beta {
                let found = Some((score, Bound::Lower));
                self.store(node, facts.entry(depth + 1, Some(m), found));
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
    pub fn prune_move(&self, node: &Node<'_>, facts: &Facts, candidate: Candidate) -> Verdict {
        // SEE has found a good capture to lose little.
        let is_safe = candidate.move_count == 1 || candidate.picked.is_good;
        if is_safe || !node.position.has_pieces(node.position.turn()) {
            return Verdict::Search;
        }
        let base =
            self.reductions.base(candidate.picked.is_tactical, node.depth, candidate.move_count);
        let reduced = (node.depth - base).max(0);
        // A check forces, so it is judged as a capture is, as long as quiet moves are not skipped.
        if candidate.picked.is_tactical || candidate.gives_check {
            return see_pruning(
                node.position,
                candidate,
                params::SEE_TACTICAL_MARGIN.get() * node.depth,
                node.depth,
            );
        }
        if late_move_pruning(node, facts, candidate) || futility_pruning(node, facts, reduced) {
            return Verdict::SkipQuiets;
        }
        if history_pruning(candidate, reduced) {
            return Verdict::Skip;
        }
        see_pruning(
            node.position,
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
fn reverse_futility(node: &Node<'_>, facts: &Facts) -> Option<Score> {
    let improving = i32::from(facts.is_improving) * params::REVERSE_FUTILITY_IMPROVING.get();
    let margin = params::REVERSE_FUTILITY_MARGIN.get() * node.depth - improving;
    let holds = !facts.tt_pv
        && node.depth <= params::REVERSE_FUTILITY_DEPTH.get()
        && facts.estimate - margin >= node.window.beta
        && !node.window.beta.is_loss()
        && !facts.estimate.is_decisive();
    holds.then(|| Score::new((facts.estimate.get() + node.window.beta.get()) / 2))
}

/// Late move pruning: at low depth, quiet moves far down the list are not tried.
/// Source: Fruit and Stockfish ("move count pruning").
fn late_move_pruning(node: &Node<'_>, facts: &Facts, candidate: Candidate) -> bool {
    let limit = params::LATE_MOVE_BASE.get() + node.depth * node.depth;
    let limit = if facts.is_improving { limit } else { limit / params::LATE_MOVE_WORSENING.get() };
    node.depth <= params::LATE_MOVE_DEPTH.get() && candidate.move_count as i32 > limit
}

/// Futility pruning: a quiet move will not lift an evaluation that is far below alpha.
/// Source: E. Heinz, "Extended Futility Pruning", 1998.
fn futility_pruning(node: &Node<'_>, facts: &Facts, reduced: Depth) -> bool {
    let margin = params::FUTILITY_BASE.get() + params::FUTILITY_MARGIN.get() * reduced;
    reduced <= params::FUTILITY_DEPTH.get()
        && facts.eval.is_some_and(|eval| eval + margin <= node.window.alpha)
        && !node.window.alpha.is_decisive()
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
