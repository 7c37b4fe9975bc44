//! Iterative deepening with aspiration windows, over one or several lines.
//!
//! Sources: P. Verhelst, "Chess Tree Search", 1997, and D. Eppstein's lecture notes, with
//! windows widened gradually on the side that failed.

use std::cmp::Reverse;
use std::ops::Range;

use crate::position::{Game, Move, PackedMove, is_repetition};
use crate::score::{Depth, MAX_PLY, Score};
use crate::smp::recorder::Structure;
use crate::smp::vote::Ballot;
use crate::time::clock::{SETTLED, Support};
use crate::tt::Bound;

use super::node::{Node, Root, RootMove, Window};
use super::shared::Shared;
use super::worker::{Search, is_drawn_by_rule};
use super::{Aborted, Line, Outcome, Searched, params};

/// A failed-high window is searched again at most this many plies shallower.
const FAIL_HIGH_REDUCTION: Depth = 3;

/// Plies of search per move of the mate that `go mate` looks for. Without reductions and pruning,
/// two would do.
const MATE_DEPTH: Depth = 8;

impl Search<'_> {
    /// Iterates until a limit or the stop flag ends the search.
    pub fn deepen(mut self) -> Outcome {
        self.path.root_moves = self.initial_moves();
        let settings = &self.shared.run.settings;
        let lines = settings.multipv.clamp(1, MAX_PLY).min(self.path.root_moves.len());
        let mut outcome = self.unsearched();
        if lines == 0 {
            return outcome;
        }
        for depth in 1..=self.last_depth() {
            if !settings.stagger.searches(self.shared.index, depth) {
                continue;
            }
            self.path.iteration = depth;
            let Ok(found) = self.iterate(depth, lines) else {
                self.salvage(&mut outcome);
                break;
            };
            outcome = Outcome { lines: found, depth };
            if self.mate_decided(&outcome) || self.soft_limit_reached() {
                break;
            }
        }
        outcome
    }

    /// The root moves to search, sorted by tablebase rank, with the TT move first.
    fn initial_moves(&self) -> Vec<RootMove> {
        let position = self.shared.run.game.position();
        let wanted = &self.shared.run.limits.search_moves;
        let root = Node::root(position, Window::FULL, 0);
        let tt_move = self.probe(&root).and_then(|entry| self.tt_move(position, entry));
        let mut moves: Vec<_> = position
            .legal_moves()
            .into_iter()
            .filter(|m| wanted.is_empty() || wanted.contains(m))
            .map(RootMove::new)
            .collect();
        for known in self.shared.run.ranking.iter().flat_map(|ranking| &ranking.moves) {
            if let Some(root) = moves.iter_mut().find(|root| root.m == known.m) {
                (root.tb_rank, root.tb_score) = (known.rank, Some(known.score));
            }
        }
        moves.sort_by_key(|root| (Reverse(root.tb_rank), Some(root.m) != tt_move));
        moves
    }

    /// The indices of the root moves for the current line: the best remaining tablebase rank,
    /// without the first moves of better lines.
    fn choices_of_line(&self) -> Range<usize> {
        let rest = &self.path.root_moves[self.path.line..];
        let equals = rest.iter().take_while(|root| root.tb_rank == rest[0].tb_rank).count();
        self.path.line..self.path.line + equals
    }

    /// The outcome if the search ends before any move has been searched.
    fn unsearched(&self) -> Outcome {
        let lines = self.path.root_moves.first().map(|root| Line {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score: Score::DRAW,
            bound: Bound::Lower,
            moves: vec![root.m],
            support: Support::default(),
        });
        Outcome { lines: lines.into_iter().collect(), depth: 0 }
    }

    /// The depth limit stops the main worker alone; helpers go on until it has ended.
    fn last_depth(&self) -> Depth {
        let greatest = MAX_PLY as Depth - 1;
        let limits = &self.shared.run.limits;
        let mate = limits.mate.map(|moves| (moves as Depth).saturating_mul(MATE_DEPTH));
        match limits.depth.or(mate) {
            Some(depth) if self.shared.index == 0 => depth.clamp(1, greatest),
            _ => greatest,
        }
    }

    /// One iteration over all lines, which are reported and returned.
    fn iterate(&mut self, depth: Depth, lines: usize) -> Result<Vec<Line>, Aborted> {
        for root in &mut self.path.root_moves {
            root.previous = root.score;
        }
        for line in 0..lines {
            self.path.line = line;
            self.path.seldepth = 0;
            self.aspirate(depth)?;
            self.path.root_moves[..=line].sort_by_key(|root| (Reverse(root.tb_rank), -root.score));
        }
        self.note_preferred(depth);
        // Each line is built once: its tail comes from the shared table, which may change.
        let found: Vec<_> = (0..lines).map(|rank| self.line(rank)).collect();
        self.note_ballot(&found[0]);
        found.iter().for_each(|line| (self.report)(line));
        Ok(found)
    }

    /// Searches one line in a window around its previous score, widened until it holds.
    fn aspirate(&mut self, depth: Depth) -> Searched {
        let root = self.shared.run.game.position();
        let previous = self.path.root_moves[self.path.line].previous;
        let mut delta = params::aspiration_window();
        let mut window = Window::FULL;
        if depth >= params::aspiration_depth() && previous.abs() < Score::INFINITE {
            window = widen(Window { alpha: previous, beta: previous }, delta, delta);
        }
        let mut reduction = 0;
        self.path.choices = self.choices_of_line();
        let choices = self.path.choices.clone();
        // A move that has failed high keeps its score, so that an abort can still play it.
        let mut kept = 0;
        loop {
            for root in &mut self.path.root_moves[choices.start + kept..choices.end] {
                root.score = -Score::INFINITE;
            }
            let reduced = (depth - reduction).max(1);
            let score = self.pvs::<Root>(&mut Node::root(root, window, reduced))?;
            self.path.root_moves[choices.clone()].sort_by_key(|root| -root.score);
            if window.contains(score) || window == Window::FULL {
                return Ok(score);
            }
            if score <= window.alpha {
                let middle = (window.alpha.get() + window.beta.get()) / 2;
                window = widen(Window { alpha: score, beta: Score::new(middle) }, delta, 0);
                reduction = 0;
                kept = 0;
            } else {
                window = widen(Window { beta: score, ..window }, 0, delta);
                kept = 1;
                if !self.shared.is_plain && !score.is_decisive() {
                    reduction = (reduction + 1).min(FAIL_HIGH_REDUCTION);
                }
            }
            if self.path.line == 0 && self.shared.run.settings.multipv == 1 {
                (self.report)(&self.line(0));
            }
            delta += delta * params::aspiration_growth() / 128;
            if delta > params::aspiration_limit() {
                delta = Score::INFINITE.get();
            }
        }
    }

    /// After an abort, keeps the best move of the unfinished iteration if its score is exact or it
    /// failed high. The outcome's depth stays that of the last completed iteration.
    fn salvage(&self, outcome: &mut Outcome) {
        // With several lines, iterations are not mixed.
        if self.shared.is_plain || outcome.lines.len() > 1 {
            return;
        }
        let is_searched =
            |root: &&RootMove| root.score > -Score::INFINITE && root.bound != Bound::Upper;
        let Some(best) = self
            .path
            .root_moves
            .iter()
            .filter(is_searched)
            .max_by_key(|root| (root.tb_rank, root.score))
        else {
            return;
        };
        if let Some(first) = outcome.lines.first_mut() {
            *first = self.describe(best, 1);
        }
    }

    /// The nodes after which no new iteration begins are used up.
    fn soft_limit_reached(&self) -> bool {
        self.shared.run.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit)
    }

    /// The mate of `go mate` has been found, or the side to move is mated itself.
    fn mate_decided(&self, outcome: &Outcome) -> bool {
        let found = outcome.lines.first().and_then(|line| line.score.mate_moves());
        let asked = self.shared.run.limits.mate.map(|moves| moves as i32);
        asked.zip(found).is_some_and(|(asked, found)| found <= asked)
    }

    fn line(&self, rank: usize) -> Line {
        self.describe(&self.path.root_moves[rank], rank + 1)
    }

    fn describe(&self, root: &RootMove, multipv: usize) -> Line {
        Line {
            depth: self.path.iteration,
            seldepth: root.seldepth,
            multipv,
            score: root.value(),
            bound: root.bound,
            moves: self.completed(&root.pv),
            support: self.support(root.m),
        }
    }

    /// The line `pv`, from the root. With several workers it may end at a node whose score another
    /// one has found ([`tt_exact`](super::probe)), and is continued by the moves of exact entries
    /// up to the depth of the iteration, or to the first position that the search scores as drawn.
    pub fn completed(&self, pv: &[Move]) -> Vec<Move> {
        let mut line = pv.to_vec();
        if !self.is_joint() {
            return line;
        }
        let mut game = self.shared.run.game.clone();
        let root = game.keys().len();
        pv.iter().for_each(|&m| game.play(m));
        let is_drawn = |game: &Game| {
            is_repetition(game.keys(), root, game.position()) || is_drawn_by_rule(game.position())
        };
        while line.len() < self.path.iteration as usize && !is_drawn(&game) {
            let Some((m, Bound::Exact)) = self.peek(game.position(), line.len()) else { break };
            game.play(m);
            line.push(m);
        }
        line
    }

    /// How far the workers agree on a root move, for the main worker's clock.
    fn support(&self, m: Move) -> Support {
        if self.shared.index != 0 {
            return Support::default();
        }
        self.observe_rows();
        self.observe_effort(None);
        let bits = PackedMove::pack(m).to_bits();
        Support {
            stable_iterations: self.shared.run.board.kept(bits, self.path.iteration, SETTLED),
            share: self.shared.run.board.share(bits),
        }
    }

    /// Tells the observer that the effort on all choices is read, or that nodes are added to one of
    /// them.
    fn observe_effort(&self, spent_on: Option<u16>) {
        for (choice, line) in self.shared.run.board.effort_lines() {
            if spent_on.is_none_or(|spent_on| spent_on == choice) {
                self.shared.observer.read(Structure::Board, line);
            }
            if spent_on == Some(choice) {
                self.shared.observer.write(line);
            }
        }
    }

    /// Shows the root move that this worker prefers after iteration `depth`.
    fn note_preferred(&self, depth: Depth) {
        let preferred = PackedMove::pack(self.path.root_moves[0].m);
        self.shared.run.board.prefer(self.shared.index, preferred.to_bits(), depth);
    }

    /// Shows what this worker would vote for.
    fn note_ballot(&self, line: &Line) {
        let choice = PackedMove::pack(line.moves[0]).to_bits();
        let ballot = Ballot { choice, score: line.score, depth: line.depth };
        self.shared.run.board.set_ballot(self.shared.index, ballot);
    }

    /// Shows the root move that is being searched.
    pub fn note_current(&self, m: Move, move_count: usize) {
        let Shared { index, run, .. } = self.shared;
        let choice = PackedMove::pack(m).to_bits();
        run.board.set_current(index, self.path.iteration, choice, self.path.line + move_count);
    }

    /// Records the search of a root move, of `nodes` nodes. A score that does not raise alpha is a
    /// mere bound and counts only for the first move.
    pub fn note_root_move(&mut self, node: &Node<'_>, m: Move, score: Score, nodes: u64) {
        let seldepth = self.path.seldepth;
        let continuation = &self.own.stack.at(1).pv;
        let choice = PackedMove::pack(m).to_bits();
        self.shared.run.board.spend(choice, nodes);
        self.observe_effort(Some(choice));
        let is_known = |root: &&mut RootMove| root.m == m;
        let Some(root) = self.path.root_moves.iter_mut().find(is_known) else { return };
        if node.move_count == 1 || score > node.window.alpha {
            root.update(score, node.window, seldepth, continuation);
        }
    }

    /// The root move belongs to the current line: it may be searched, and no better line begins
    /// with it.
    pub fn searches_root_move(&self, m: Move) -> bool {
        self.path.root_moves[self.path.choices.clone()].iter().any(|root| root.m == m)
    }

    /// Some moves are not searched at the root, so its score need not be the position's.
    pub fn leaves_out_root_moves(&self) -> bool {
        self.path.line > 0 || !self.shared.run.limits.search_moves.is_empty()
    }
}

/// Moves the bounds of a window outwards, within the scale.
fn widen(window: Window, below: i32, above: i32) -> Window {
    let limit = Score::INFINITE.get();
    Window {
        alpha: Score::new((window.alpha.get() - below).max(-limit)),
        beta: Score::new((window.beta.get() + above).min(limit)),
    }
}
