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
//! exceptions: none is taken on the principal variation, so that its line stays whole, nor when the
//! fifty-move rule is near, which stored scores know nothing of.

use crate::position::{Move, Position, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::{Bound, Entry};

use super::correction::CorrectionKeys;
use super::extend::Extension;
use super::mode::Mode;
use super::node::{Candidate, Node, NodeType, NonPv, Pv, Tried};
use super::picker::{Picker, Wanted};
use super::prune::Verdict;
use super::reduce::Circumstances;
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
                return Ok(self.evaluator.evaluate(position, ply));
            }
            if M::SELECTIVE {
                window = self.draw_at_hand(position, window);
                window = mate_distance(window, ply);
                if window.alpha >= window.beta {
                    return Ok(window.alpha);
                }
            }
        }
        let is_prunable = M::SELECTIVE && !N::PV && self.stack.at(ply).excluded.is_none();
        let tt_entry = self.probe(position, ply);
        if is_prunable && let Some(score) = tt_cutoff(tt_entry, position, window, depth) {
            return Ok(score);
        }
        self.stack.prepare_children(ply);
        let mut node = self.gather::<N>(position, ply, depth, is_cut, tt_entry);
        self.stack.at_mut(ply).eval = node.eval;
        if M::SELECTIVE {
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

    /// A leaf of the plain search: the rules, else the evaluation.
    fn leaf(&mut self, position: &Position, ply: usize) -> Searched {
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if position.legal_moves().is_empty() {
            return Ok(no_moves(position, ply));
        }
        Ok(if self.is_drawn(position) {
            Score::DRAW
        } else {
            self.evaluator.evaluate(position, ply)
        })
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
        let eval = raw_eval.map(|raw| self.correction.apply(correction, raw));
        let estimate = match (eval, tt_entry.and_then(|entry| entry.score)) {
            (Some(eval), Some((score, bound))) if bound.refines(eval, score) => score,
            (eval, _) => eval.unwrap_or(Score::DRAW),
        };
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
            continuation: self.stack.continuation(ply),
            correction,
        }
    }

    /// The evaluation before correction, from the transposition table if it is there; `None` in
    /// check.
    pub fn raw_eval(
        &mut self,
        position: &Position,
        ply: usize,
        tt_entry: Option<Entry>,
    ) -> Option<Score> {
        let known = || tt_entry.and_then(|entry| entry.eval);
        (!position.is_check())
            .then(|| known().unwrap_or_else(|| self.evaluator.evaluate(position, ply)))
    }

    /// The correction history's entries for `position`.
    pub fn correction_keys(&self, position: &Position, ply: usize) -> CorrectionKeys {
        let previous = [1, 2].map(|back| self.stack.before(ply, back).piece_to);
        CorrectionKeys::new(position, previous)
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
        let mut picker = self.picker(node, ply);
        let mut best = node.floor;
        let mut best_move = None;
        let mut move_count = 0;
        let mut tried = Tried::default();
        while let Some(picked) = picker.next(position, self.history) {
            let m = picked.m;
            if node.excluded == Some(m) || N::ROOT && !self.searches_root_move(m) {
                continue;
            }
            move_count += 1;
            if N::ROOT {
                self.note_current(m, move_count);
            }
            let candidate = Candidate { picked, move_count };
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
                        self.learn_moves(position, ply, node, candidate, &tried);
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
        if node.excluded.is_none() {
            let bound = asked.bound_of(best);
            // The value of a later line is that of the root without its best moves.
            if !N::ROOT || self.line == 0 {
                self.store(position, ply, node.entry(best_move, best, bound));
            }
            self.learn_eval_error(node, best_move, best, bound);
        }
        Ok(best)
    }

    fn picker(&self, node: &Node, ply: usize) -> Picker {
        let [newest, older] = self.stack.at(ply).killers.get();
        let counter = self.history.counter(self.stack.before(ply, 1).piece_to);
        let refutations = [newest, older, counter];
        Picker::new(Wanted::All, node.tt_move, refutations, node.continuation)
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
        let reduction = self.late_move_reduction::<N>(child, next, depth, node, candidate);
        if reduction > 0 {
            let reduced = (depth - reduction).max(1);
            score = -self.pvs::<NonPv>(child, next, null, reduced, true)?;
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

    /// Plies by which a move is searched less deep at first; 0 if not at all.
    fn late_move_reduction<N: NodeType>(
        &self,
        child: &Position,
        next: usize,
        depth: Depth,
        node: &Node,
        candidate: Candidate,
    ) -> Depth {
        let unreduced = if N::PV { 2 } else { 1 };
        if !M::SELECTIVE
            || node.depth < params::REDUCTION_DEPTH.get()
            || candidate.move_count <= unreduced
        {
            return 0;
        }
        let circumstances = Circumstances {
            is_tactical: candidate.picked.is_tactical,
            tt_pv: node.tt_pv,
            is_cut: node.is_cut,
            is_improving: node.is_improving,
            is_refutation: candidate.picked.is_refutation,
            gives_check: child.is_check(),
            is_tt_move_tactical: node.tt_move.is_some_and(is_tactical),
            cutoffs: self.stack.at(next).cutoffs,
            history: candidate.picked.history,
        };
        self.reductions
            .reduction(node.depth, candidate.move_count, circumstances)
            .clamp(0, depth.max(1) - 1)
    }

    /// Learns from a fail-high which move was good and which were not.
    fn learn_moves(
        &mut self,
        position: &Position,
        ply: usize,
        node: &Node,
        best: Candidate,
        tried: &Tried,
    ) {
        let us = position.turn();
        if best.picked.is_tactical {
            self.history.reward_tactical(us, node.depth, best.picked.m);
        } else {
            self.stack.at_mut(ply).killers.add(best.picked.m);
            let rows = node.continuation;
            self.history.reward_quiet(position, rows, node.depth, best.picked.m, &tried.quiet);
        }
        self.history.punish_tactical(us, node.depth, &tried.tactical);
    }

    /// Learns how far the evaluation was off. A capture changes what was evaluated, and so says
    /// nothing about it.
    fn learn_eval_error(&self, node: &Node, best_move: Option<Move>, best: Score, bound: Bound) {
        let Some(eval) = node.eval else { return };
        let is_quiet = best_move.is_none_or(|m| !is_tactical(m));
        if M::SELECTIVE && is_quiet && bound.refines(eval, best) && !best.is_decisive() {
            self.correction.learn(node.correction, node.depth, best - eval);
        }
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
fn tt_cutoff(
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
