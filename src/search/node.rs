//! The skeleton: a fail-soft principal variation search.
//!
//! The first move of a node is searched with the window of the node, every other one with a null
//! window that merely asks whether it is better; if it is, and less than beta, it is searched again
//! with the open window. The result is fail-soft: at most alpha, it bounds the value from above; at
//! least beta, from below. Sources: P. Verhelst, "Chess Tree Search", 1997, and D. Eppstein's
//! lecture notes, whose texts `reference` implements; the re-search takes `(alpha, beta)`, not
//! `(value, beta)`, since with reductions and a table the null window's value is no proof.
//!
//! Table cutoffs follow the textbooks' rule: from an equal or greater depth, an exact score always,
//! a lower bound at least beta, an upper bound at most alpha.

use arrayvec::ArrayVec;

use crate::position::{Move, PackedMove, Position, is_tactical};
use crate::score::{Depth, Score};
use crate::tt::{Bound, Entry};

use super::Searched;
use super::correction::CorrectionKeys;
use super::extend::Extension;
use super::history::Continuation;
use super::mode::Mode;
use super::picker::{Picked, Picker, Wanted};
use super::prune::Verdict;
use super::reduce::Circumstances;
use super::window::Window;
use super::worker::Search;

/// Moves tried in vain that are remembered for their malus.
const TRIED: usize = 32;

/// What is known of a node before its moves are searched.
#[derive(Copy, Clone)]
pub(super) struct Node {
    pub depth: Depth,
    pub cut: bool,
    pub in_check: bool,
    pub entry: Option<Entry>,
    pub table_move: Option<Move>,
    /// The evaluation as the evaluator gave it, `None` in check.
    pub raw_eval: Option<Score>,
    /// The corrected evaluation, `None` in check.
    pub eval: Option<Score>,
    /// The evaluation, or the table's score where that is a better bound.
    pub estimate: Score,
    pub improving: bool,
    pub pv: bool,
    pub excluded: Option<Move>,
    /// The tables prove at least this much.
    pub floor: Score,
    /// The tables prove at most this much.
    pub ceiling: Score,
    pub continuation: Continuation,
    pub correction: CorrectionKeys,
}

/// One move of a node, as the search of its child needs it.
#[derive(Copy, Clone)]
pub(super) struct Candidate {
    pub picked: Picked,
    /// Its number among the moves searched, from 1.
    pub number: usize,
}

/// The moves that were tried without a cutoff.
#[derive(Default)]
struct Tried {
    quiet: ArrayVec<Move, TRIED>,
    tactical: ArrayVec<Move, TRIED>,
}

impl Tried {
    fn add(&mut self, candidate: Candidate) {
        let list = if candidate.picked.tactical { &mut self.tactical } else { &mut self.quiet };
        // Moves beyond the capacity are so late that their malus would teach nothing.
        let _ = list.try_push(candidate.picked.m);
    }
}

impl<M: Mode> Search<'_, M> {
    /// The value of `position`, `ply` plies from the root, by a search of `depth` plies. `PV` is
    /// set on nodes with an open window, `cut` where a fail-high is expected.
    pub fn node<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
        depth: Depth,
        cut: bool,
    ) -> Searched {
        if depth <= 0 {
            return if M::SELECTIVE {
                self.quiesce::<PV>(position, ply, window)
            } else {
                self.leaf(position, ply)
            };
        }
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if ply > 0 {
            if self.drawn(position) {
                return Ok(Score::DRAW);
            }
            if Self::too_deep(ply) {
                return Ok(self.evaluate(position, ply));
            }
            if M::SELECTIVE {
                window = self.draw_at_hand(position, window);
                window = mate_distance(window, ply);
                if window.alpha >= window.beta {
                    return Ok(window.alpha);
                }
            }
        }
        let mut node = self.look_up::<PV>(position, ply, depth, cut);
        if M::SELECTIVE {
            let prunable = !PV && node.excluded.is_none();
            if prunable && let Some(score) = table_cutoff(&node, position, window) {
                return Ok(score);
            }
            if let Some(score) = self.tablebase_cutoff::<PV>(position, ply, window, &mut node) {
                return Ok(score);
            }
            if prunable && let Some(score) = self.prune_node(position, ply, window, &node)? {
                return Ok(score);
            }
            window.alpha = window.alpha.max(node.floor);
            node.depth -= internal_iterative_reduction::<PV>(&node);
        }
        self.moves::<PV>(position, ply, window, &node)
    }

    /// A leaf of the plain search: the rules, else the evaluation.
    fn leaf(&mut self, position: &Position, ply: usize) -> Searched {
        self.enter(ply)?;
        self.stack.at_mut(ply).pv.clear();
        if position.legal_moves().is_empty() {
            return Ok(no_moves(position, ply));
        }
        Ok(if self.drawn(position) { Score::DRAW } else { self.evaluate(position, ply) })
    }

    /// Gathers what is known: the table's entry, the evaluation and where it is heading.
    fn look_up<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: Depth,
        cut: bool,
    ) -> Node {
        let excluded = self.stack.at(ply).excluded;
        let entry = self.probe(position, ply);
        let table_move = if ply == 0 {
            Some(self.root_moves[self.line].m)
        } else {
            entry.and_then(|entry| self.table_move(position, entry))
        };
        let correction = self.correction_keys(position, ply);
        let in_check = position.is_check();
        let raw_eval = (!in_check)
            .then(|| entry.and_then(|e| e.eval).unwrap_or_else(|| self.evaluate(position, ply)));
        let eval = raw_eval.map(|raw| self.correction.apply(correction, raw));
        self.stack.at_mut(ply).eval = eval;
        self.stack.at_mut(ply + 2).cutoffs = 0;
        self.stack.at_mut(ply + 1).killers = super::history::Killers::default();
        let earlier = self.stack.before(ply, 2).eval.or(self.stack.before(ply, 4).eval);
        let improving = eval.zip(earlier).is_some_and(|(now, then)| now > then);
        let estimate = match (eval, entry.and_then(|entry| entry.score)) {
            (Some(eval), Some((score, bound))) if better_bound(eval, score, bound) => score,
            (eval, _) => eval.unwrap_or(Score::DRAW),
        };
        Node {
            depth,
            cut,
            in_check,
            entry,
            table_move,
            raw_eval,
            eval,
            estimate,
            improving,
            pv: PV || entry.is_some_and(|entry| entry.was_pv),
            excluded,
            floor: -Score::INFINITE,
            ceiling: Score::INFINITE,
            continuation: Continuation::at(&self.stack, ply),
            correction,
        }
    }

    /// The correction history's entries for `position`.
    pub fn correction_keys(&self, position: &Position, ply: usize) -> CorrectionKeys {
        let previous = [1, 2].map(|back| self.stack.before(ply, back).piece_to);
        CorrectionKeys::new(position, previous)
    }

    /// Searches the moves of a node.
    fn moves<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
        node: &Node,
    ) -> Searched {
        let alpha = window.alpha;
        let mut picker = self.picker(node, ply);
        let mut best = node.floor;
        let mut best_move = None;
        let mut number = 0;
        let mut tried = Tried::default();
        while let Some(picked) = picker.next(position, self.history) {
            let m = picked.m;
            if node.excluded == Some(m) || ply == 0 && !self.searches_root_move(m) {
                continue;
            }
            number += 1;
            if ply == 0 {
                self.note_current(m, number);
            }
            let candidate = Candidate { picked, number };
            if M::SELECTIVE && ply > 0 && !best.is_loss() {
                match self.prune_move(position, window, node, candidate) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extension::<PV>(position, ply, window, node, m)? {
                Extension::Plies(plies) => plies,
                Extension::Multicut(score) => return Ok(score),
            };
            let nodes_before = self.nodes;
            let child = position.play(m);
            self.shared.table.prefetch(child.key());
            self.push(position, ply, Some(m));
            let depth = node.depth - 1 + extension;
            let searched = self.child::<PV>(&child, ply, window, depth, best, node, candidate);
            self.pop();
            let score = searched?;
            if ply == 0 {
                self.note_root_move(m, score, window, self.nodes - nodes_before, number == 1);
            }
            if score > best {
                best = score;
                if score > window.alpha {
                    best_move = Some(m);
                    if PV {
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
            tried.add(candidate);
        }
        if number == 0 {
            // All moves but the excluded one were illegal: that one is singular.
            return Ok(node.excluded.map_or_else(|| no_moves(position, ply), |_| alpha));
        }
        let best = best.min(node.ceiling);
        if node.excluded.is_none() {
            let bound = if best >= window.beta {
                Bound::Lower
            } else if best > alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.learn_value(position, ply, node, best_move, best, bound);
        }
        Ok(best)
    }

    fn picker(&self, node: &Node, ply: usize) -> Picker {
        let [newest, older] = self.stack.at(ply).killers.get();
        let counter = self.history.counter(self.stack.before(ply, 1).piece_to);
        let specials = [newest, older, counter];
        Picker::new(Wanted::All, node.table_move, specials, node.continuation)
    }

    /// Searches one child: with a null window and perhaps reduced, and again as the answer demands.
    #[expect(clippy::too_many_arguments, reason = "the state of the loop over a node's moves")]
    fn child<const PV: bool>(
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
        let reduction = self.late_move_reduction::<PV>(child, next, depth, node, candidate);
        if reduction > 0 {
            let reduced = (depth - reduction).max(1);
            score = -self.node::<false>(child, next, null, reduced, true)?;
            if score > window.alpha && reduced < depth {
                depth += adjustment(score, best, reduced, depth);
                if reduced < depth {
                    score = -self.node::<false>(child, next, null, depth, !node.cut)?;
                }
            }
        } else if !PV || candidate.number > 1 {
            score = -self.node::<false>(child, next, null, depth, !node.cut)?;
        }
        if PV && (candidate.number == 1 || window.contains(score)) {
            score = -self.node::<true>(child, next, -window, depth, false)?;
        }
        Ok(score)
    }

    /// Plies by which a move is searched less deep at first; 0 if not at all.
    fn late_move_reduction<const PV: bool>(
        &self,
        child: &Position,
        next: usize,
        depth: Depth,
        node: &Node,
        candidate: Candidate,
    ) -> Depth {
        let first = if PV { 2 } else { 1 };
        if !M::SELECTIVE
            || node.depth < super::params::REDUCTION_DEPTH.get()
            || candidate.number <= first
        {
            return 0;
        }
        let circumstances = Circumstances {
            tactical: candidate.picked.tactical,
            pv: node.pv,
            cut: node.cut,
            improving: node.improving,
            special: candidate.picked.special,
            check: child.is_check(),
            table_capture: node.table_move.is_some_and(is_tactical),
            cutoffs: self.stack.at(next).cutoffs,
            history: candidate.picked.history,
        };
        self.reductions
            .reduction(node.depth, candidate.number, circumstances)
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
        if best.picked.tactical {
            self.history.reward_tactical(us, node.depth, best.picked.m);
        } else {
            self.stack.at_mut(ply).killers.add(best.picked.m);
            let rows = node.continuation;
            self.history.reward_quiet(position, rows, node.depth, best.picked.m, &tried.quiet);
        }
        self.history.punish_tactical(us, node.depth, &tried.tactical);
    }

    /// Stores a node's value and learns how far the evaluation was off.
    fn learn_value(
        &mut self,
        position: &Position,
        ply: usize,
        node: &Node,
        best_move: Option<Move>,
        best: Score,
        bound: Bound,
    ) {
        if ply > 0 || self.line == 0 {
            self.store(position, ply, node, best_move, best, bound);
        }
        let Some(eval) = node.eval else { return };
        let quiet = best_move.is_none_or(|m| !is_tactical(m));
        let informative = match bound {
            Bound::Upper => best < eval,
            Bound::Lower => best > eval,
            Bound::Exact => true,
        };
        if M::SELECTIVE && quiet && informative && !best.is_decisive() {
            self.correction.learn(node.correction, node.depth, best - eval);
        }
    }

    /// Stores a node's value.
    pub fn store(
        &self,
        position: &Position,
        ply: usize,
        node: &Node,
        best: Option<Move>,
        score: Score,
        bound: Bound,
    ) {
        let entry = Entry {
            best: best.map_or(PackedMove::NONE, PackedMove::pack),
            score: Some((score, bound)),
            eval: node.raw_eval,
            depth: node.depth,
            was_pv: node.pv,
        };
        self.record(position, ply, entry);
    }
}

/// The value of a position without legal moves.
pub(super) fn no_moves(position: &Position, ply: usize) -> Score {
    if position.is_check() { Score::mated_in(ply) } else { Score::DRAW }
}

/// `score` says more of the true value than `eval` does.
pub(super) fn better_bound(eval: Score, score: Score, bound: Bound) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    }
}

/// Mate-distance pruning: no line from here can do better than mating on the next ply, nor worse
/// than being mated on this one. Source: the Chess Programming Wiki's "mate distance pruning".
fn mate_distance(window: Window, ply: usize) -> Window {
    Window {
        alpha: window.alpha.max(Score::mated_in(ply)),
        beta: window.beta.min(Score::mate_in(ply + 1)),
    }
}

/// Half moves without progress from which the table is not trusted for a cutoff: its scores do not
/// know of the draw that is near.
const FIFTY_MOVES_NEAR: u32 = 90;

/// The table's score, where the textbooks' rule lets it stand for a search.
fn table_cutoff(node: &Node, position: &Position, window: Window) -> Option<Score> {
    let entry = node.entry?;
    let (score, bound) = entry.score?;
    let deep = entry.depth >= node.depth && position.halfmove_clock() < FIFTY_MOVES_NEAR;
    (deep && answers(score, bound, window)).then_some(score)
}

/// A bound that answers the window's question.
pub(super) fn answers(score: Score, bound: Bound, window: Window) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    }
}

/// Internal iterative reduction: a node without a table move is searched a ply less deep, since the
/// next iteration will find it with one. Source: E. Schröder (Rebel), 2020.
fn internal_iterative_reduction<const PV: bool>(node: &Node) -> Depth {
    let expected = PV || node.cut;
    let blind = node.table_move.is_none() && node.excluded.is_none();
    Depth::from(expected && blind && node.depth >= super::params::IIR_DEPTH.get())
}

/// After a reduced search has come out above alpha: a ply more if it did so clearly, a ply less if
/// hardly. Source: Stockfish's "deeper" and "shallower" re-searches.
fn adjustment(score: Score, best: Score, reduced: Depth, depth: Depth) -> Depth {
    let deeper = score > best + super::params::DEEPER_MARGIN.get() && reduced < depth - 1;
    let shallower = score < best + reduced;
    Depth::from(deeper) - Depth::from(shallower)
}
