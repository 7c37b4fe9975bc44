//! Pruning: nodes and moves that are given up without a full search.
//!
//! A function that prunes a node returns the node's score, or `None` to search on. Nodes are pruned
//! neither in check, nor on the principal variation, nor in a singular search; moves everywhere but
//! at the root.

use crate::position::{Position, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::Bound;

use super::history::PieceTo;
use super::node::{Node, NonPv, Window};
use super::picker::{Picked, Picker, REFUTATIONS, Wanted};
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

impl Search<'_> {
    /// Tries to give up a whole node.
    pub fn prune_node(&mut self, node: &Node<'_>) -> Pruned {
        if node.position.is_check() {
            return Ok(None);
        }
        if let Some(score) = reverse_futility(node) {
            return Ok(Some(score));
        }
        if let Some(score) = self.razoring(node)? {
            return Ok(Some(score));
        }
        if let Some(score) = self.null_move(node)? {
            return Ok(Some(score));
        }
        self.probcut(node)
    }

    /// Razoring: at low depth, a node whose evaluation is far below alpha is left to quiescence.
    /// Source: J. Birmingham and P. Kent, 1977; in this form, Stockfish.
    fn razoring(&mut self, node: &Node<'_>) -> Pruned {
        let is_hopeless = node.depth <= params::razoring_depth()
            && node.estimate + params::razoring_margin() * node.depth < node.window.alpha;
        if !is_hopeless {
            return Ok(None);
        }
        let score =
            self.quiesce::<NonPv>(&mut node.again(Window::above(node.window.alpha), node.depth))?;
        Ok((score <= node.window.alpha).then_some(score))
    }

    /// Null move: if passing already holds beta, so will some move. Not without pieces, since
    /// passing may be best then; at high depth the result is verified by a search without null
    /// moves. Sources: P. Verhelst, 1997; C. Donninger, 1993; verification, O. David-Tabibi and N.
    /// Netanyahu, 2002.
    fn null_move(&mut self, node: &Node<'_>) -> Pruned {
        let Node { position, ply, window: Window { beta, .. }, .. } = *node;
        let is_allowed = node.depth >= params::null_move_depth()
            && ply >= self.path.null_from
            && self.own.stack.before(ply, 1).piece_to != PieceTo::NONE
            && node.estimate >= beta
            && node.eval.is_some_and(|eval| eval + null_move_slack(node.depth) >= beta)
            && !beta.is_loss()
            && position.has_pieces(position.turn());
        if !is_allowed {
            return Ok(None);
        }
        let Some(passed) = position.null_move() else { return Ok(None) };
        let above = (node.estimate - beta) / params::null_move_eval_divisor();
        let reduction = params::null_move_reduction()
            + node.depth / params::null_move_depth_divisor()
            + above.min(params::null_move_eval_max());
        let depth = node.depth - reduction;
        self.shared.table.prefetch(passed.key());
        self.push(node, None);
        let mut child = node.child(&passed, Window::below(beta), depth);
        child.is_cut = !node.is_cut;
        let searched = self.pvs::<NonPv>(&mut child);
        self.pop();
        let score = -searched?;
        if score < beta {
            return Ok(None);
        }
        // A mate found after passing is no proof.
        let score = if score.is_decisive() { beta } else { score };
        if node.depth < params::null_move_verify_depth() || self.path.null_from > 0 {
            return Ok(Some(score));
        }
        self.path.null_from =
            ply + 1 + (depth.max(0) * params::null_move_verify_quarters() / 4) as usize;
        let mut again = node.again(Window::below(beta), depth);
        // The parent's reduction has been made good already.
        (again.is_cut, again.reduction) = (false, 0);
        let verified = self.pvs::<NonPv>(&mut again);
        self.path.null_from = 0;
        Ok((verified? >= beta).then_some(score))
    }

    /// `ProbCut`: a capture that holds well above beta in a shallower search holds beta.
    /// Source: M. Buro, 1994; with captures and quiescence first, as in Stockfish.
    fn probcut(&mut self, node: &Node<'_>) -> Pruned {
        let beta = node.window.beta + params::probcut_margin();
        let depth = node.depth - params::probcut_reduction();
        let is_refuted = node.tt_entry.is_some_and(|entry| {
            entry.depth >= depth && entry.score.is_some_and(|(score, _)| score < beta)
        });
        if node.depth < params::probcut_depth() || node.window.beta.is_decisive() || is_refuted {
            return Ok(None);
        }
        let needed = (beta - node.eval.unwrap_or(beta)).max(0);
        let tt_move =
            node.tt_move.filter(|&m| is_tactical(m) && see::wins(node.position, m, needed));
        let mut picker = Picker::new(Wanted::Tactical(needed), tt_move, [None; REFUTATIONS]);
        while let Some(picked) = picker.next(node, &self.shared) {
            let m = picked.m;
            let position = self.play(node, picked);
            let child = || node.child(&position, Window::below(beta), depth);
            let mut searched = self.quiesce::<NonPv>(&mut child());
            if searched.is_ok_and(|score| -score >= beta) {
                let mut child = child();
                child.is_cut = !node.is_cut;
                searched = self.pvs::<NonPv>(&mut child);
            }
            self.pop();
            let score = -searched?;
            if score >= beta {
                let found = Some((score, Bound::Lower));
                self.store(node, node.entry(depth + 1, Some(m), found));
                return Ok(Some(if score.is_decisive() {
                    score
                } else {
                    score - params::probcut_margin()
                }));
            }
        }
        Ok(None)
    }

    /// Decides whether one move is worth a search.
    pub fn prune_move(&self, node: &Node<'_>, picked: Picked) -> Verdict {
        // SEE has found a good capture to lose little.
        let is_safe = node.move_count == 1 || picked.is_good;
        if is_safe || !node.position.has_pieces(node.position.turn()) {
            return Verdict::Search;
        }
        // A check forces, so it is judged as a capture is, as long as quiet moves are not skipped.
        if picked.is_tactical || node.gives_check(picked.m) {
            return see_pruning(
                node.position,
                picked,
                params::see_tactical_margin() * node.depth,
                node.depth,
            );
        }
        let reduced = self.own.reductions.depth_left(node, picked);
        if late_move_pruning(node) || futility_pruning(node, reduced) {
            return Verdict::SkipQuiets;
        }
        if history_pruning(picked, reduced) {
            return Verdict::Skip;
        }
        see_pruning(node.position, picked, params::see_quiet_margin() * reduced * reduced, reduced)
    }
}

/// Centipawns by which the evaluation may be below beta for a null move. It grows with the depth,
/// at which the search counts for more.
fn null_move_slack(depth: Depth) -> i32 {
    params::null_move_slack() * depth - params::null_move_slack_offset()
}

/// Reverse futility, or static null move: an evaluation so far above beta that the depth left will
/// not bring it down. Source: the Chess Programming Wiki's "reverse futility pruning".
fn reverse_futility(node: &Node<'_>) -> Option<Score> {
    let improving = i32::from(node.is_improving) * params::reverse_futility_improving();
    let margin = params::reverse_futility_margin() * node.depth - improving;
    let holds = !node.tt_pv
        && node.depth <= params::reverse_futility_depth()
        && node.estimate - margin >= node.window.beta
        && !node.window.beta.is_loss()
        && !node.estimate.is_decisive();
    holds.then(|| Score::new((node.estimate.get() + node.window.beta.get()) / 2))
}

/// Late move pruning: at low depth, quiet moves far down the list are not tried.
/// Source: Fruit and Stockfish ("move count pruning").
fn late_move_pruning(node: &Node<'_>) -> bool {
    let limit = params::late_move_base() + node.depth * node.depth;
    let limit = if node.is_improving { limit } else { limit / params::late_move_worsening() };
    node.depth <= params::late_move_depth() && node.move_count as i32 > limit
}

/// Futility pruning: a quiet move will not lift an evaluation that is far below alpha.
/// Source: E. Heinz, "Extended Futility Pruning", 1998.
fn futility_pruning(node: &Node<'_>, reduced: Depth) -> bool {
    let margin = params::futility_base() + params::futility_margin() * reduced;
    reduced <= params::futility_depth()
        && node.eval.is_some_and(|eval| eval + margin <= node.window.alpha)
        && !node.window.alpha.is_decisive()
}

/// History pruning: a quiet move that has failed again and again is not tried at low depth.
/// Source: Stockfish ("continuation history based pruning").
fn history_pruning(picked: Picked, reduced: Depth) -> bool {
    reduced <= params::history_pruning_depth()
        && picked.history < params::history_pruning_margin() * (reduced + 1)
}

/// SEE pruning: a move that loses more in exchanges than the depth could win back is not tried.
/// Source: the Chess Programming Wiki's "static exchange evaluation".
fn see_pruning(position: &Position, picked: Picked, margin: i32, depth: Depth) -> Verdict {
    if depth <= params::see_depth() && !see::wins(position, picked.m, margin) {
        Verdict::Skip
    } else {
        Verdict::Search
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture::{self, evaluate, picked};
    use super::*;
    use crate::position::Role;

    const BETA: i32 = 100;
    const WINDOW: Window = Window { alpha: Score::new(BETA - 1), beta: Score::new(BETA) };

    fn node(position: &Position, depth: Depth) -> Node<'_> {
        Node { window: WINDOW, ..fixture::node(position, depth) }
    }

    #[test]
    fn an_evaluation_far_above_beta_ends_a_shallow_node() {
        let position = Position::default();
        let score = |depth, eval, change: fn(&mut Node<'_>)| {
            let mut node = Node { is_improving: false, ..node(&position, depth) };
            evaluate(&mut node, eval);
            change(&mut node);
            reverse_futility(&node).map(Score::get)
        };
        let margin = params::reverse_futility_margin();
        let most = params::reverse_futility_depth();
        for depth in 1..=most {
            let needed = BETA + margin * depth;
            assert_eq!(score(depth, needed, |_| {}), Some(i32::midpoint(needed, BETA)));
            assert_eq!(score(depth, needed - 1, |_| {}), None);
            let improving = params::reverse_futility_improving();
            assert!(score(depth, needed - improving, |node| node.is_improving = true).is_some());
            assert_eq!(score(depth, needed, |node| node.tt_pv = true), None);
        }
        assert_eq!(score(most + 1, 9000, |_| {}), None);
        assert_eq!(score(1, 9000, |node| node.estimate = Score::mate_in(5)), None);
    }

    #[test]
    fn late_quiet_moves_are_pruned_at_low_depth() {
        let position = Position::default();
        let pruned = |depth, is_improving, move_count| {
            late_move_pruning(&Node { is_improving, move_count, ..node(&position, depth) })
        };
        let most = params::late_move_depth();
        for depth in 1..=most {
            let limit = (params::late_move_base() + depth * depth) as usize;
            assert!(!pruned(depth, true, limit) && pruned(depth, true, limit + 1));
            let limit = limit / params::late_move_worsening() as usize;
            assert!(!pruned(depth, false, limit) && pruned(depth, false, limit + 1));
        }
        assert!(!pruned(most + 1, false, 250));
    }

    #[test]
    fn quiet_moves_are_futile_far_below_alpha() {
        let position = Position::default();
        let pruned = |reduced, eval, alpha| {
            let window = Window::above(alpha);
            futility_pruning(&Node { window, eval, ..node(&position, reduced) }, reduced)
        };
        let (most, alpha) = (params::futility_depth(), Score::new(50));
        for reduced in 0..=most {
            let margin = params::futility_base() + params::futility_margin() * reduced;
            assert!(pruned(reduced, Some(alpha - margin), alpha));
            assert!(!pruned(reduced, Some(alpha - margin + 1), alpha));
        }
        let hopeless = Some(Score::new(-5000));
        assert!(!pruned(most + 1, hopeless, alpha));
        assert!(!pruned(0, None, alpha), "in check");
        assert!(!pruned(0, hopeless, Score::mated_in(9)), "anything is better than mate");
    }

    #[test]
    fn moves_of_bad_history_are_pruned_at_low_depth() {
        let position = Position::default();
        let pruned = |reduced, history| {
            let mut picked = picked(&position, "g1f3");
            picked.history = history;
            history_pruning(picked, reduced)
        };
        let most = params::history_pruning_depth();
        for reduced in 0..=most {
            let limit = params::history_pruning_margin() * (reduced + 1);
            assert!(!pruned(reduced, limit) && pruned(reduced, limit - 1));
        }
        assert!(!pruned(most + 1, -1_000_000));
    }

    #[test]
    fn moves_that_lose_much_are_pruned_at_low_depth() {
        // The rook takes a pawn that another one defends.
        let position = Position::from_fen("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1").unwrap();
        let loss = see::value(Role::Pawn) - see::value(Role::Rook);
        let verdict =
            |margin, depth| see_pruning(&position, picked(&position, "d1d5"), margin, depth);
        let most = params::see_depth();
        assert_eq!(verdict(loss, most), Verdict::Search);
        assert_eq!(verdict(loss + 1, most), Verdict::Skip);
        assert_eq!(verdict(loss + 1, most + 1), Verdict::Search);
    }

    #[test]
    fn a_null_move_may_begin_below_beta_the_more_the_deeper_it_is() {
        assert!(null_move_slack(1) < 0, "above beta at low depth");
        assert_eq!(null_move_slack(21) - null_move_slack(20), params::null_move_slack());
    }
}
