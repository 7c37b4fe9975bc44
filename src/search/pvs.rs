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

use crate::position::{MAX_MOVES, Move};
use crate::score::{Depth, Score};
use crate::tt::Entry;

use super::context::Context;
use super::extend::Extension;
use super::node::{Facts, Node, NodeType, NonPv, Pv, Window};
use super::picker::{Picked, Picker, Wanted};
use super::prune::Verdict;
use super::reduce::hindsight;
use super::worker::Search;
use super::{Searched, params};

impl<'s> Search<'s> {
    /// The value of a node.
    pub fn pvs<N: NodeType>(&mut self, mut node: Node<'_>) -> Searched {
        if node.depth <= 0 {
            return if self.is_plain { self.leaf(&node) } else { self.quiesce::<N>(node) };
        }
        self.enter(node.ply)?;
        self.stack.at_mut(node.ply).pv.clear();
        if !N::ROOT {
            if self.is_drawn(node.position) {
                return Ok(Score::DRAW);
            }
            if node.is_too_deep() {
                return Ok(self.leaf_eval(&node));
            }
            if !self.is_plain {
                node.window = self.draw_at_hand(&node);
                node.window = mate_distance(&node);
                if node.window.alpha >= node.window.beta {
                    return Ok(node.window.alpha);
                }
            }
        }
        let is_whole = !self.is_plain && node.excluded.is_none();
        let tt_entry = self.probe(&node);
        if is_whole && let Some(score) = self.settled::<N>(tt_entry, &node) {
            return Ok(score);
        }
        self.stack.prepare_children(node.ply);
        let mut facts = self.gather::<N>(&node, tt_entry);
        self.stack.at_mut(node.ply).eval = facts.eval;
        if !self.is_plain {
            if tt_entry.is_none() && facts.eval.is_some() {
                self.store(&node, facts.entry(0, None, None));
            }
            if is_whole {
                self.learn_eval_gain(node.ply, facts.eval);
                node.depth += hindsight(self.stack.before(node.ply, 1), facts.eval, node.depth);
            }
            if let Some(score) = self.tb_cutoff::<N>(&node, &mut facts) {
                return Ok(score);
            }
            if is_whole
                && !N::PV
                && let Some(score) = self.prune_node(&node, &facts)?
            {
                return Ok(score);
            }
            node.window.alpha = node.window.alpha.max(facts.floor);
            node.depth -= internal_iterative_reduction::<N>(&node, &facts);
        }
        self.moves::<N>(node, &facts)
    }

    /// A leaf of the plain search: the rules, else the evaluation.
    fn leaf(&mut self, node: &Node<'_>) -> Searched {
        self.enter(node.ply)?;
        self.stack.at_mut(node.ply).pv.clear();
        if node.position.legal_moves().is_empty() {
            return Ok(no_moves(node));
        }
        Ok(if self.is_drawn(node.position) { Score::DRAW } else { self.leaf_eval(node) })
    }

    /// Gathers what is known of a node: the transposition table's move, the evaluation and where it
    /// is heading.
    fn gather<N: NodeType>(&mut self, node: &Node<'_>, tt_entry: Option<Entry>) -> Facts {
        let tt_move = if N::ROOT {
            Some(self.root_moves[self.line].m)
        } else {
            tt_entry.and_then(|entry| self.tt_move(node.position, entry))
        };
        if let Some(m) = tt_move {
            // It is searched first if the node is; the evaluation takes the time that the entry takes.
            self.table.prefetch(node.position.key_after(m));
        }
        let correction = self.correction_keys(node.position, node.ply);
        let raw_eval = self.raw_eval(node, tt_entry);
        let eval = raw_eval.map(|raw| self.static_eval(node.position, correction, raw));
        let estimate = match (eval, tt_entry.and_then(|entry| entry.score)) {
            (Some(eval), Some((score, bound))) if bound.refines(eval, score) => score,
            (eval, _) => eval.unwrap_or(Score::DRAW),
        };
        self.stack.inherit(node.ply);
        Facts {
            tt_entry,
            tt_move,
            raw_eval,
            eval,
            estimate,
            is_improving: self.stack.is_improving(node.ply, eval, node.window.beta),
            tt_pv: N::PV || tt_entry.is_some_and(|entry| entry.was_pv),
            floor: -Score::INFINITE,
            ceiling: Score::INFINITE,
            correction,
        }
    }

    /// Searches the moves of a node.
    fn moves<N: NodeType>(&mut self, mut node: Node<'_>, facts: &Facts) -> Searched {
        let asked = node.window;
        let ply = node.ply;
        let context = Context::new(node.position, self.stack.continuation(ply));
        let mut picker = self.picker(ply, facts.tt_move, &context);
        let mut best = facts.floor;
        let mut best_move = None;
        let mut move_count = 0;
        let mut tried = ArrayVec::<Move, MAX_MOVES>::new();
        while let Some(picked) = picker.next(&self.history) {
            let m = picked.m;
            if node.excluded == Some(m) || N::ROOT && !self.searches_root_move(m) {
                continue;
            }
            move_count += 1;
            if N::ROOT {
                self.note_current(m, move_count);
            }
            let gives_check = move_count > 1 && context.gives_check(m);
            let picked = Picked { move_count, gives_check, ..picked };
            if !self.is_plain && !N::ROOT && !best.is_loss() {
                match self.prune_move(&node, facts, picked) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<N>(&node, facts, m)? {
                Extension::Plies(plies) => plies,
                Extension::Multicut(score) => return Ok(score),
            };
            let nodes_before = self.nodes;
            let position = self.play(&node, picked);
            self.stack.at_mut(ply).quiet = (!picked.is_tactical).then(|| context.butterfly(m));
            let child = node.child(&position, node.window, node.depth - 1 + extension);
            let searched = self.child::<N>(child, &node, facts, picked, best);
            self.pop();
            let score = searched?;
            if N::ROOT {
                let nodes = self.nodes - nodes_before;
                self.note_root_move(m, score, node.window, nodes, move_count == 1);
            }
            if score > best {
                best = score;
                if score > node.window.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.stack.raise_pv(ply, m);
                    }
                    if score >= node.window.beta {
                        self.stack.at_mut(ply).cutoffs += 1;
                        self.learn_moves(&context, &node, picked, &tried);
                        break;
                    }
                    node.window.alpha = score;
                }
            }
            tried.push(m);
        }
        if move_count == 0 {
            // If the excluded move is the only legal one, it is singular.
            return Ok(node.excluded.map_or_else(|| no_moves(&node), |_| asked.alpha));
        }
        let best = best.min(facts.ceiling);
        if !self.is_plain && !N::ROOT && best_move.is_none() {
            self.learn_fail_low(ply, node.depth);
        }
        if node.excluded.is_none() && !(N::ROOT && self.leaves_out_root_moves()) {
            let bound = asked.bound_of(best);
            self.store(&node, facts.entry(node.depth, best_move, Some((best, bound))));
            self.learn_eval_error(node.depth, facts, best_move, best, bound);
        }
        Ok(best)
    }

    fn picker<'c>(&self, ply: usize, tt_move: Option<Move>, context: &'c Context<'c>) -> Picker<'c>
    where
        's: 'c,
    {
        let [newest, older] = self.stack.at(ply).killers.get();
        let counter = self.history.counter(self.stack.before(ply, 1).piece_to);
        Picker::new(Wanted::All(context), self.table, tt_move, [newest, older, counter])
    }

    /// Searches the child to which a move of `node` leads: with a null window and perhaps reduced, and again
    /// as the answer demands.
    fn child<N: NodeType>(
        &mut self,
        child: Node<'_>,
        node: &Node<'_>,
        facts: &Facts,
        picked: Picked,
        best: Score,
    ) -> Searched {
        let alpha = node.window.alpha;
        let mut depth = child.depth;
        let null = Node { window: -Window::above(alpha), is_cut: !node.is_cut, ..child };
        let mut score = alpha + 1;
        let reduction = if self.is_plain {
            None
        } else {
            let cutoffs = self.stack.at(child.ply).cutoffs;
            self.reductions.reduction::<N>(node, facts, picked, depth, cutoffs)
        };
        if let Some(reduction) = reduction {
            let reduced = (depth - reduction).max(1);
            self.stack.at_mut(node.ply).reduction = reduction;
            score = -self.pvs::<NonPv>(Node { depth: reduced, is_cut: true, ..null })?;
            self.stack.at_mut(node.ply).reduction = 0;
            if score > alpha && reduced < depth {
                depth += adjustment(score, best, reduced, depth);
                if reduced < depth {
                    score = -self.pvs::<NonPv>(Node { depth, ..null })?;
                }
            }
        } else if !N::PV || picked.move_count > 1 {
            score = -self.pvs::<NonPv>(null)?;
        }
        if N::PV && (picked.move_count == 1 || node.window.contains(score)) {
            score = -self.pvs::<Pv>(Node { depth, ..child })?;
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
/// ply less deep, since the next iteration will find it with one. Source: E. Schröder (Rebel), 2020.
fn internal_iterative_reduction<N: NodeType>(node: &Node<'_>, facts: &Facts) -> Depth {
    let is_expected = N::PV || node.is_cut;
    let is_blind = facts.tt_move.is_none() && node.excluded.is_none();
    Depth::from(is_expected && is_blind && node.depth >= params::iir_depth())
}

/// After a reduced search has come out above alpha: a ply more if it did so clearly, a ply less if
/// hardly. Source: Stockfish's "deeper" and "shallower" re-searches.
fn adjustment(score: Score, best: Score, reduced: Depth, depth: Depth) -> Depth {
    let is_deeper = score > best + params::deeper_margin() && reduced < depth - 1;
    let is_shallower = score < best + reduced;
    Depth::from(is_deeper) - Depth::from(is_shallower)
}
