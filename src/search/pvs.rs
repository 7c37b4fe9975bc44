//! The skeleton: a fail-soft principal variation search.
//!
//! The first move of a node is searched with the window of the node, every other one with a null
//! window that merely asks whether it is better; if it is, and less than beta, it is searched again
//! with the open window. The result is fail-soft: at most alpha, it bounds the value from above; at
//! least beta, from below. Sources: P. Verhelst, "Chess Tree Search", 1997, and D. Eppstein's
//! lecture notes, whose texts `reference` implements; the re-search takes `(alpha, beta)`, not
//! `(value, beta)`, since with reductions and a transposition table the null window's value is no
//! proof.

use arrayvec::ArrayVec;

use crate::eval;
use crate::position::{MAX_MOVES, Move, Position};
use crate::score::{Depth, Score};

use super::extend::Extension;
use super::node::{Node, NodeType, NonPv, Pv, Window};
use super::picker::{Picked, Picker, Wanted};
use super::prune::Verdict;
use super::reduce::hindsight;
use super::worker::Search;
use super::{Searched, params};

impl Search<'_> {
    /// The value of a node, which is filled in on the way.
    pub fn pvs<N: NodeType>(&mut self, node: &mut Node<'_>) -> Searched {
        let is_plain = self.shared.is_plain;
        if node.depth <= 0 {
            return if is_plain { self.leaf(node) } else { self.quiesce::<N>(node) };
        }
        self.enter(node.ply)?;
        self.own.stack.at_mut(node.ply).pv.clear();
        let mut at_hand = -Score::INFINITE;
        if !N::ROOT {
            if self.is_drawn(node.position) {
                return Ok(Score::DRAW);
            }
            if node.is_too_deep() {
                return Ok(self.leaf_eval(node));
            }
            if !is_plain {
                let asked = node.window.alpha;
                node.window = self.draw_at_hand(node);
                if node.window.alpha > asked {
                    at_hand = node.window.alpha;
                }
                node.window = mate_distance(node);
                if node.window.alpha >= node.window.beta {
                    return Ok(node.window.alpha);
                }
            }
        }
        let is_whole = !is_plain && node.excluded.is_none();
        node.tt_entry = self.probe(node);
        if is_whole && let Some(score) = self.settled::<N>(node) {
            // A TT score does not take the game's repetitions into account.
            return Ok(score.max(at_hand));
        }
        self.own.stack.prepare_children(node.ply);
        self.gather::<N>(node);
        self.own.stack.at_mut(node.ply).eval = node.eval;
        if !is_plain {
            if node.tt_entry.is_none() && node.eval.is_some() {
                self.store(node, node.entry(0, None, None));
            }
            if is_whole {
                if teaches_eval_gain(node) {
                    self.learn_eval_gain(node);
                }
                node.depth += hindsight(node, self.own.stack.before(node.ply, 1).eval);
            }
            if let Some(score) = self.tb_cutoff::<N>(node) {
                return Ok(score);
            }
            if is_whole
                && !N::PV
                && let Some(score) = self.prune_node(node)?
            {
                return Ok(score);
            }
            node.is_improving |= node.eval.is_some_and(|eval| eval >= node.window.beta);
            node.window.alpha = node.window.alpha.max(node.floor);
            node.depth -= internal_iterative_reduction::<N>(node);
        }
        self.moves::<N>(node)
    }

    /// A leaf of the plain search: the rules, else the evaluation on its own scale.
    fn leaf(&mut self, node: &Node<'_>) -> Searched {
        self.enter(node.ply)?;
        self.own.stack.at_mut(node.ply).pv.clear();
        if node.position.legal_moves().is_empty() {
            return Ok(no_moves(node));
        }
        if self.is_drawn(node.position) {
            return Ok(Score::DRAW);
        }
        let raw = self.own.evaluator.evaluate(node.position, node.ply);
        Ok(eval::faded(raw, node.position))
    }

    /// Fills in the node: the TT move, the static evaluation, and whether it is improving.
    fn gather<N: NodeType>(&mut self, node: &mut Node<'_>) {
        let Node { position, ply, tt_entry, .. } = *node;
        node.tt_move = if N::ROOT {
            Some(self.path.root_moves[self.path.line].m)
        } else {
            tt_entry.and_then(|entry| self.tt_move(position, entry))
        };
        if let Some(m) = node.tt_move {
            // Searched first, so its TT entry is prefetched; the evaluation hides the latency.
            self.shared.table.prefetch(position.key_after(m));
        }
        node.correction = self.correction_index(position, ply);
        node.raw_eval = self.raw_eval(node);
        node.eval = node.raw_eval.map(|raw| self.static_eval(position, node.correction, raw));
        node.estimate = match (node.eval, tt_entry.and_then(|entry| entry.score)) {
            (Some(eval), Some((score, bound))) if bound.refines(eval, score) => score,
            (eval, _) => eval.unwrap_or(Score::DRAW),
        };
        self.own.stack.inherit(ply);
        node.is_improving = self.own.stack.is_improving(ply, node.eval);
        node.tt_pv = N::PV || tt_entry.is_some_and(|entry| entry.was_pv);
    }

    /// Searches the moves of a node.
    fn moves<N: NodeType>(&mut self, node: &mut Node<'_>) -> Searched {
        let asked = node.window;
        let ply = node.ply;
        node.continuation = self.own.stack.continuation(ply);
        let mut picker = self.picker(node);
        let mut best = node.floor;
        let mut best_move = None;
        let mut tried = ArrayVec::<Move, MAX_MOVES>::new();
        while let Some(picked) = picker.next(node, &self.shared) {
            let m = picked.m;
            if node.excluded == Some(m) || N::ROOT && !self.searches_root_move(m) {
                continue;
            }
            node.move_count += 1;
            if N::ROOT {
                self.note_current(m, node.move_count);
            }
            if !self.shared.is_plain && !N::ROOT && !best.is_loss() {
                match self.prune_move(node, picked) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<N>(node, m)? {
                Extension::Plies(plies) => plies,
                Extension::Multicut(score) => return Ok(score),
            };
            let nodes_before = self.nodes;
            let position = self.play(node, picked);
            let quiet = (!picked.is_tactical).then(|| node.butterfly(m));
            self.own.stack.at_mut(ply).quiet = quiet;
            let searched = self.child::<N>(node, &position, picked, extension, best);
            self.pop();
            let score = searched?;
            if N::ROOT {
                self.note_root_move(node, m, score, self.nodes - nodes_before);
            }
            if score > best {
                best = score;
                if score > node.window.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.own.stack.raise_pv(ply, m);
                    }
                    if score >= node.window.beta {
                        self.own.stack.at_mut(ply).cutoffs += 1;
                        self.learn_moves(node, picked, &tried);
                        break;
                    }
                    node.window.alpha = score;
                }
            }
            // A move that has raised alpha is no failure.
            if best_move != Some(m) {
                tried.push(m);
            }
        }
        if node.move_count == 0 {
            // If the excluded move is the only legal one, it is singular.
            return Ok(node.excluded.map_or_else(|| no_moves(node), |_| asked.alpha));
        }
        let best = best.min(node.ceiling);
        if !self.shared.is_plain && !N::ROOT && best_move.is_none() && surprises::<N>(node) {
            self.learn_fail_low(ply, node.depth);
        }
        if node.excluded.is_none() && !(N::ROOT && self.leaves_out_root_moves()) {
            let bound = asked.bound_of(best);
            self.store(node, node.entry(node.depth, best_move, Some((best, bound))));
            self.learn_eval_error(node, best_move, best, bound);
        }
        Ok(best)
    }

    fn picker(&self, node: &Node<'_>) -> Picker {
        let [newest, older] = self.own.stack.at(node.ply).killers.get();
        let counter = self.own.counter.get(node.continuation[0]);
        Picker::new(Wanted::All, node.tt_move, [newest, older, counter])
    }

    /// Searches the child of `node` to which a move leads: with a null window and perhaps reduced,
    /// and again as the answer demands.
    fn child<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        position: &Position,
        picked: Picked,
        extension: Depth,
        best: Score,
    ) -> Searched {
        let alpha = node.window.alpha;
        let null_window = |depth, is_cut| {
            let mut child = node.child(position, Window::above(alpha), depth);
            child.is_cut = is_cut;
            child
        };
        let is_first = node.move_count == 1;
        let mut depth = node.depth - 1 + extension;
        let mut score = alpha + 1;
        let reduction = if self.shared.is_plain {
            None
        } else {
            let cutoffs = self.own.stack.at(node.ply + 1).cutoffs;
            self.own.reductions.reduction::<N>(node, picked, depth, cutoffs)
        };
        if let Some(reduction) = reduction {
            let reduced = (depth - reduction).max(1);
            let mut late = null_window(reduced, true);
            late.reduction = reduction;
            score = -self.pvs::<NonPv>(&mut late)?;
            if score > alpha && reduced < depth {
                depth += adjustment(score, best, reduced, depth);
                if reduced < depth {
                    score = -self.pvs::<NonPv>(&mut null_window(depth, !node.is_cut))?;
                }
            }
        } else if !N::PV || !is_first {
            score = -self.pvs::<NonPv>(&mut null_window(depth, !node.is_cut))?;
        }
        if N::PV && (is_first || node.window.contains(score)) {
            score = -self.pvs::<Pv>(&mut node.child(position, node.window, depth))?;
        }
        Ok(score)
    }
}

/// The value of a position without legal moves.
pub(super) fn no_moves(node: &Node<'_>) -> Score {
    if node.position.is_check() { Score::mated_in(node.ply) } else { Score::DRAW }
}

/// Mate-distance pruning: no line from here can do better than mating on the next ply, nor worse
/// than being mated on this one. Source: the Chess Programming Wiki's "mate distance pruning".
fn mate_distance(node: &Node<'_>) -> Window {
    Window {
        alpha: node.window.alpha.max(Score::mated_in(node.ply)),
        beta: node.window.beta.min(Score::mate_in(node.ply + 1)),
    }
}

/// Internal iterative reduction: a node without a move from the transposition table is searched a
/// ply less deep, since the next iteration will find it with one. Source: E. Schröder (Rebel),
/// 2020.
fn internal_iterative_reduction<N: NodeType>(node: &Node<'_>) -> Depth {
    let is_expected = N::PV || node.is_cut;
    let is_blind = node.tt_move.is_none() && node.excluded.is_none();
    Depth::from(is_expected && is_blind && node.depth >= params::iir_depth())
}

/// Whether the static evaluation updates the history of the previous move: at the first visit or at
/// low depth, since every further visit would repeat the same update. Source: Reckless.
fn teaches_eval_gain(node: &Node<'_>) -> bool {
    node.tt_entry.is_none() || node.depth < params::eval_gain_depth()
}

/// Whether a fail-low rewards the previous move: only where a fail-high was expected, or on the
/// principal variation. Source: Reckless.
fn surprises<N: NodeType>(node: &Node<'_>) -> bool {
    N::PV || node.is_cut
}

/// The re-search after a reduced search has failed high: a ply deeper if the score is far above
/// alpha, a ply shallower if it is barely above. Source: Stockfish's "deeper" and "shallower".
fn adjustment(score: Score, best: Score, reduced: Depth, depth: Depth) -> Depth {
    let is_deeper = score > best + params::deeper_margin() && reduced < depth - 1;
    let is_shallower = score < best + params::shallower_margin();
    Depth::from(is_deeper) - Depth::from(is_shallower)
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture::{evaluate, node};
    use super::super::node::{NonPv, Pv};
    use super::*;
    use crate::position::PackedMove;
    use crate::tt::Entry;

    #[test]
    fn an_evaluation_teaches_when_it_is_new_or_at_low_depth() {
        let position = Position::default();
        let depth = params::eval_gain_depth();
        let mut known = node(&position, depth);
        assert!(teaches_eval_gain(&known));
        known.tt_entry = Some(Entry {
            best: PackedMove::NONE,
            score: None,
            eval: None,
            depth: 0,
            was_pv: false,
        });
        assert!(!teaches_eval_gain(&known));
        known.depth = depth - 1;
        assert!(teaches_eval_gain(&known));
    }

    #[test]
    fn a_fail_low_surprises_unless_it_was_expected() {
        let position = Position::default();
        let mut node = node(&position, 5);
        evaluate(&mut node, 0);
        assert!(surprises::<Pv>(&node) && !surprises::<NonPv>(&node));
        node.is_cut = true;
        assert!(surprises::<NonPv>(&node));
    }

    #[test]
    fn a_second_search_is_adjusted_to_the_first() {
        let best = Score::new(100);
        let of = |above: i32| adjustment(best + above, best, 3, 6);
        assert_eq!(of(params::shallower_margin() - 1), -1);
        assert_eq!(of(params::shallower_margin()), 0);
        assert_eq!(of(params::deeper_margin()), 0);
        assert_eq!(of(params::deeper_margin() + 1), 1);
        assert_eq!(adjustment(best + 999, best, 5, 6), 0, "it was not much reduced");
    }
}
