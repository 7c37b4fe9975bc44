//! The skeleton: a fail-soft principal variation search.
//!
//! The first move of a node is searched with the window of the node, every other one with a null
//! window that merely asks whether it is better; if it is, and less than beta, it is searched again
//! with the open window. The result is fail-soft: at most alpha, it bounds the value from above; at
//! least beta, from below. Sources: P. Verhelst, "Chess Tree Search", 1997, and D. Eppstein's
//! lecture notes, whose texts `reference` implements; the re-search takes `(alpha, beta)`, not
//! `(value, beta)`, since with reductions and a transposition table the null window's value is no
//! proof.
//!
//! Cutoffs by the transposition table follow the textbooks' rule: from an equal or greater depth, an
//! exact score always, a lower bound at least beta, an upper bound at most alpha. There are two
//! exceptions. On the principal variation one worker alone takes none, so that its line stays whole, and
//! several take only exact scores from a greater depth ([`tt_exact`]). None is taken (but in quiescence)
//! when the fifty-move rule is near, which stored scores know nothing of.

use crate::position::Position;
use crate::score::{Depth, Score};
use crate::tt::{Bound, Entry};

use super::context::Context;
use super::extend::Extension;
use super::mode::Mode;
use super::node::{Candidate, Node, NodeType, NonPv, Pv, Tried};
use super::picker::{Picker, Wanted};
use super::prune::Verdict;
use super::window::Window;
use super::worker::Search;
use super::{Searched, params};

impl<M: Mode> Search<'_, M> {
    /// The value of `position`, `ply` plies from the root, by a search of `depth` plies. `is_cut`
    /// says that a fail-high is expected.
    pub fn pvs<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
        depth: Depth,
        is_cut: bool,
    ) -> Searched {
        if depth <= 0 {
            return if M::SELECTIVE {
                self.quiesce::<N>(position, ply, window)
            } else {
                self.leaf(position, ply)
            };
        }
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if !N::ROOT {
            if self.is_drawn(position) {
                return Ok(Score::DRAW);
            }
            if Self::is_too_deep(ply) {
                return Ok(self.leaf_eval(position, ply));
            }
            if M::SELECTIVE {
                window = self.draw_at_hand(position, window);
                window = mate_distance(window, ply);
                if window.alpha >= window.beta {
                    return Ok(window.alpha);
                }
            }
        }
        let is_whole = M::SELECTIVE && self.stack.at(ply).excluded.is_none();
        let is_prunable = is_whole && !N::PV;
        let tt_entry = self.probe(position, ply);
        if is_whole && let Some(score) = self.settled::<N>(tt_entry, position, window, depth) {
            return Ok(score);
        }
        self.stack.prepare_children(ply);
        let mut node = self.gather::<N>(position, ply, depth, is_cut, tt_entry);
        self.stack.at_mut(ply).eval = node.eval;
        if M::SELECTIVE {
            if tt_entry.is_none() && node.eval.is_some() {
                self.store(position, ply, node.unsearched());
            }
            if node.excluded.is_none() {
                self.learn_eval_gain(ply, node.eval);
                node.depth += self.hindsight(ply, &node);
            }
            if let Some(score) = self.tb_cutoff::<N>(position, ply, window, &mut node) {
                return Ok(score);
            }
            if is_prunable && let Some(score) = self.prune_node(position, ply, window, &node)? {
                return Ok(score);
            }
            window.alpha = window.alpha.max(node.floor);
            node.depth -= internal_iterative_reduction::<N>(&node);
        }
        self.moves::<N>(position, ply, window, &node)
    }

    /// The score by which the transposition table settles a node of this kind, if it does.
    fn settled<N: NodeType>(
        &self,
        tt_entry: Option<Entry>,
        position: &Position,
        window: Window,
        depth: Depth,
    ) -> Option<Score> {
        if !N::PV {
            tt_cutoff(tt_entry, position, window, depth)
        } else if !N::ROOT && self.is_joint() {
            tt_exact(tt_entry, position, depth)
        } else {
            None
        }
    }

    /// A leaf of the plain search: the rules, else the evaluation.
    fn leaf(&mut self, position: &Position, ply: usize) -> Searched {
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if position.legal_moves().is_empty() {
            return Ok(no_moves(position, ply));
        }
        Ok(if self.is_drawn(position) { Score::DRAW } else { self.leaf_eval(position, ply) })
    }

    /// Gathers what is known of a node: the transposition table's move, the evaluation and where it
    /// is heading.
    fn gather<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: Depth,
        is_cut: bool,
        tt_entry: Option<Entry>,
    ) -> Node {
        let tt_move = if N::ROOT {
            Some(self.root_moves[self.line].m)
        } else {
            tt_entry.and_then(|entry| self.tt_move(position, entry))
        };
        let correction = self.correction_keys(position, ply);
        let raw_eval = self.raw_eval(position, ply, tt_entry);
        let eval = raw_eval.map(|raw| self.static_eval(position, correction, raw));
        let estimate = match (eval, tt_entry.and_then(|entry| entry.score)) {
            (Some(eval), Some((score, bound))) if bound.refines(eval, score) => score,
            (eval, _) => eval.unwrap_or(Score::DRAW),
        };
        self.stack.inherit(ply);
        Node {
            depth,
            is_cut,
            in_check: position.is_check(),
            tt_entry,
            tt_move,
            raw_eval,
            eval,
            estimate,
            is_improving: self.stack.is_improving(ply, eval),
            tt_pv: N::PV || tt_entry.is_some_and(|entry| entry.was_pv),
            excluded: self.stack.at(ply).excluded,
            floor: -Score::INFINITE,
            ceiling: Score::INFINITE,
            correction,
        }
    }

    /// Searches the moves of a node.
    fn moves<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
        node: &Node,
    ) -> Searched {
        let asked = window;
        let context = Context::new(position, self.stack.continuation(ply));
        let mut picker = self.picker(node, ply, &context);
        let mut best = node.floor;
        let mut best_move = None;
        let mut move_count = 0;
        let mut tried = Tried::default();
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
            let candidate = Candidate { picked, move_count, gives_check };
            if M::SELECTIVE && !N::ROOT && !best.is_loss() {
                match self.prune_move(position, window, node, candidate) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<N>(position, ply, window, node, m)? {
                Extension::Plies(plies) => plies,
                Extension::Multicut(score) => return Ok(score),
            };
            let nodes_before = self.nodes;
            let child = self.play(position, ply, m);
            self.stack.at_mut(ply).quiet = (!picked.is_tactical).then(|| context.butterfly(m));
            let depth = node.depth - 1 + extension;
            let searched = self.child::<N>(&child, ply, window, depth, best, node, candidate);
            self.pop();
            let score = searched?;
            if N::ROOT {
                let nodes = self.nodes - nodes_before;
                self.note_root_move(m, score, window, nodes, move_count == 1);
            }
            if score > best {
                best = score;
                if score > window.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.stack.raise_pv(ply, m);
                    }
                    if score >= window.beta {
                        self.stack.at_mut(ply).cutoffs += 1;
                        self.learn_moves(&context, ply, node.depth, candidate, &tried);
                        break;
                    }
                    window.alpha = score;
                }
            }
            tried.add(picked);
        }
        if move_count == 0 {
            // If the excluded move is the only legal one, it is singular.
            return Ok(node.excluded.map_or_else(|| no_moves(position, ply), |_| asked.alpha));
        }
        let best = best.min(node.ceiling);
        if M::SELECTIVE && !N::ROOT && best_move.is_none() {
            self.learn_fail_low(ply, node.depth);
        }
        if node.excluded.is_none() && !(N::ROOT && self.leaves_out_root_moves()) {
            let bound = asked.bound_of(best);
            self.store(position, ply, node.entry(best_move, best, bound));
            self.learn_eval_error(node, best_move, best, bound);
        }
        Ok(best)
    }

    fn picker<'c>(&self, node: &Node, ply: usize, context: &'c Context<'c>) -> Picker<'c> {
        let [newest, older] = self.stack.at(ply).killers.get();
        let counter = self.history.counter(self.stack.before(ply, 1).piece_to);
        let refutations = [newest, older, counter];
        Picker::new(Wanted::All(context), node.tt_move, refutations)
    }

    /// Searches one child: with a null window and perhaps reduced, and again as the answer demands.
    #[expect(clippy::too_many_arguments, reason = "the state of the loop over a node's moves")]
    fn child<N: NodeType>(
        &mut self,
        child: &Position,
        ply: usize,
        window: Window,
        mut depth: Depth,
        best: Score,
        node: &Node,
        candidate: Candidate,
    ) -> Searched {
        let null = -Window::above(window.alpha);
        let next = ply + 1;
        let mut score = window.alpha + 1;
        let reduction = self.late_move_reduction::<N>(next, depth, node, candidate);
        if let Some(reduction) = reduction {
            let reduced = (depth - reduction).max(1);
            self.stack.at_mut(ply).reduction = reduction;
            score = -self.pvs::<NonPv>(child, next, null, reduced, true)?;
            self.stack.at_mut(ply).reduction = 0;
            if score > window.alpha && reduced < depth {
                depth += adjustment(score, best, reduced, depth);
                if reduced < depth {
                    score = -self.pvs::<NonPv>(child, next, null, depth, !node.is_cut)?;
                }
            }
        } else if !N::PV || candidate.move_count > 1 {
            score = -self.pvs::<NonPv>(child, next, null, depth, !node.is_cut)?;
        }
        if N::PV && (candidate.move_count == 1 || window.contains(score)) {
            score = -self.pvs::<Pv>(child, next, -window, depth, false)?;
        }
        Ok(score)
    }
}

/// The value of a position without legal moves.
pub(super) fn no_moves(position: &Position, ply: usize) -> Score {
    if position.is_check() { Score::mated_in(ply) } else { Score::DRAW }
}

/// Mate-distance pruning: no line from here can do better than mating on the next ply, nor worse
/// than being mated on this one. Source: the Chess Programming Wiki's "mate distance pruning".
fn mate_distance(window: Window, ply: usize) -> Window {
    Window {
        alpha: window.alpha.max(Score::mated_in(ply)),
        beta: window.beta.min(Score::mate_in(ply + 1)),
    }
}

/// The halfmove clock from which the transposition table gives no cutoff: its scores do not know of
/// the draw that is near.
const FIFTY_MOVES_NEAR: u32 = 90;

/// The transposition table's score, where it may stand for a search.
pub(super) fn tt_cutoff(
    tt_entry: Option<Entry>,
    position: &Position,
    window: Window,
    depth: Depth,
) -> Option<Score> {
    let entry = tt_entry?;
    let (score, bound) = entry.score?;
    let is_trusted = entry.depth >= depth && position.halfmove_clock() < FIFTY_MOVES_NEAR;
    (is_trusted && window.is_settled_by(score, bound)).then_some(score)
}

/// The exact score of a deeper search, which stands for one on the principal variation where several
/// workers search: a helper that is ahead has already done this one's work. The line, which ends here, is
/// completed from the table ([`super::variation`]). What it is worth in games stands in `docs/scaling.md`.
pub(super) fn tt_exact(
    tt_entry: Option<Entry>,
    position: &Position,
    depth: Depth,
) -> Option<Score> {
    // A mate is searched out, since its line would end too early.
    let is_exact =
        |entry: &Entry| matches!(entry.score, Some((score, Bound::Exact)) if !score.is_mate());
    let deeper = tt_entry.filter(is_exact);
    // Whatever the window, an exact score settles it.
    tt_cutoff(deeper, position, Window::FULL, depth + 1)
}

/// Internal iterative reduction: a node without a move from the transposition table is searched a
/// ply less deep, since the next iteration will find it with one. Source: E. Schröder (Rebel), 2020.
fn internal_iterative_reduction<N: NodeType>(node: &Node) -> Depth {
    let is_expected = N::PV || node.is_cut;
    let is_blind = node.tt_move.is_none() && node.excluded.is_none();
    Depth::from(is_expected && is_blind && node.depth >= params::IIR_DEPTH.get())
}

/// After a reduced search has come out above alpha: a ply more if it did so clearly, a ply less if
/// hardly. Source: Stockfish's "deeper" and "shallower" re-searches.
fn adjustment(score: Score, best: Score, reduced: Depth, depth: Depth) -> Depth {
    let is_deeper = score > best + params::DEEPER_MARGIN.get() && reduced < depth - 1;
    let is_shallower = score < best + reduced;
    Depth::from(is_deeper) - Depth::from(is_shallower)
}
