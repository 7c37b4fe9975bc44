//! One worker: its memory, and the search it runs.

use std::marker::PhantomData;

use crate::eval::nnue::accumulator::Accumulators;
use crate::position::{FIFTY_MOVES, Key, Move, Position, is_repetition, is_upcoming_repetition};
use crate::score::{MAX_PLY, Score};
use crate::smp::sharing::Sharing;
use crate::tt::Bound;

use super::correction::Correction;
use super::history::{History, PieceTo};
use super::mode::{Full, Mode, Plain};
use super::reduce::Reductions;
use super::stack::Stack;
use super::tablebase::Prober;
use super::window::Window;
use super::{Aborted, Line, Outcome, Shared, Task};

/// With several workers the node limit is looked at every so many nodes.
const LIMIT_INTERVAL: u64 = 256;

/// One worker's own memory, which lasts from search to search.
#[derive(Default)]
pub struct Worker {
    history: History,
    correction: Correction,
    reductions: Reductions,
}

impl Worker {
    /// Searches as worker `index` until a limit or the stop flag ends it. `report` is told of
    /// every line as it is found.
    pub fn search(
        &mut self,
        index: usize,
        shared: &Shared,
        task: &Task,
        report: &dyn Fn(&Line),
    ) -> Outcome {
        if task.plain {
            Search::<Plain>::new(self, index, shared, task, report).deepen()
        } else {
            Search::<Full>::new(self, index, shared, task, report).deepen()
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub m: Move,
    pub score: Score,
    pub bound: Bound,
    pub previous: Score,
    pub seldepth: usize,
    pub nodes: u64,
    pub pv: Vec<Move>,
    /// What the endgame tables rank the move at: a better one is always preferred.
    pub rank: i32,
    /// What the tables say the root is worth with this move.
    pub proved: Option<Score>,
}

/// One search by one worker.
pub(super) struct Search<'a, M: Mode> {
    pub index: usize,
    pub shared: &'a Shared,
    pub task: &'a Task,
    pub report: &'a dyn Fn(&Line),
    pub history: &'a mut History,
    pub correction: &'a Correction,
    pub reductions: &'a Reductions,
    /// The endgame tables, if inner nodes probe them.
    pub prober: Option<Prober<'a>>,
    pub stack: Stack,
    /// The network's view of the line, if there is a network.
    pub accumulators: Option<Accumulators<'a>>,
    /// Keys of all positions before the current one; those from `root` on belong to the search.
    pub keys: Vec<Key>,
    pub root: usize,
    pub root_moves: Vec<RootMove>,
    /// The line being searched, from 0; better lines' moves are left out at the root.
    pub line: usize,
    /// The iteration, in plies.
    pub iteration: i32,
    pub nodes: u64,
    /// Nodes at which this worker pauses: to look at the node limit, or for the turn of others.
    checkpoint: u64,
    pub seldepth: usize,
    /// No null move above this ply: one is being verified.
    pub null_from: usize,
    mode: PhantomData<M>,
}

impl<'a, M: Mode> Search<'a, M> {
    fn new(
        worker: &'a mut Worker,
        index: usize,
        shared: &'a Shared,
        task: &'a Task,
        report: &'a dyn Fn(&Line),
    ) -> Self {
        let keys = task.game.keys().to_vec();
        Self {
            index,
            shared,
            task,
            report,
            history: &mut worker.history,
            correction: match task.correction {
                Sharing::Private => &worker.correction,
                Sharing::Shared => &shared.correction,
            },
            reductions: &worker.reductions,
            prober: Prober::new(shared, task),
            stack: Stack::default(),
            accumulators: shared.network.as_deref().map(Accumulators::new),
            root: keys.len(),
            keys,
            root_moves: Vec::new(),
            line: 0,
            iteration: 0,
            nodes: 0,
            checkpoint: 0,
            seldepth: 0,
            null_from: 0,
            mode: PhantomData,
        }
    }

    /// Counts a node, unless the search has to end here. A stop has to wait for the end of the
    /// first iteration, less than a millisecond, so that the move played is never one unsearched.
    pub fn enter(&mut self, ply: usize) -> Result<(), Aborted> {
        if self.nodes >= self.checkpoint {
            self.pause()?;
        }
        if self.iteration > 1 && self.shared.stop.is_raised() {
            return Err(Aborted);
        }
        self.nodes += 1;
        self.shared.nodes.add(self.index, 1);
        self.seldepth = self.seldepth.max(ply);
        Ok(())
    }

    /// Waits for the next turn if this one is over, and ends the search at the node limit. Neither
    /// costs anything where there is no such thing: then the checkpoint is never reached again.
    #[cold]
    fn pause(&mut self) -> Result<(), Aborted> {
        if let Some(turnstile) = &self.shared.turnstile
            && self.nodes > 0
            && self.nodes.is_multiple_of(turnstile.quantum())
        {
            turnstile.yield_turn(self.index);
        }
        if self.limit_reached() {
            return Err(Aborted);
        }
        self.checkpoint = self.next_checkpoint();
        Ok(())
    }

    fn next_checkpoint(&self) -> u64 {
        let next_multiple = |interval: u64| (self.nodes / interval + 1) * interval;
        let turn = self.shared.turnstile.as_ref().map(|t| next_multiple(t.quantum()));
        let limit = self.task.limits.nodes.map(|limit| match self.task.workers {
            1 => limit,
            _ => next_multiple(LIMIT_INTERVAL),
        });
        turn.into_iter().chain(limit).min().unwrap_or(u64::MAX)
    }

    /// The node limit is reached: exact for one worker, to within a few nodes each for several.
    fn limit_reached(&self) -> bool {
        let Some(limit) = self.task.limits.nodes else { return false };
        if self.task.workers == 1 {
            return self.nodes >= limit;
        }
        let reached = self.nodes.is_multiple_of(LIMIT_INTERVAL) && self.shared.nodes.sum() >= limit;
        if reached {
            self.shared.stop.raise();
        }
        reached
    }

    /// A draw by the rules, or by the depth of the tree.
    pub fn drawn(&self, position: &Position) -> bool {
        is_repetition(&self.keys, self.root, position)
            || position.is_insufficient_material()
            || position.halfmove_clock() >= FIFTY_MOVES && !position.is_checkmate()
    }

    /// Upcoming repetition: who can repeat a position need not take less than a draw. Source:
    /// M. van Kervinck (Rookie), 2002; in a search with bounds, Stockfish.
    pub fn draw_at_hand(&self, position: &Position, window: Window) -> Window {
        let is_at_hand =
            window.alpha < Score::DRAW && is_upcoming_repetition(&self.keys, self.root, position);
        if is_at_hand { Window { alpha: Score::DRAW, ..window } } else { window }
    }

    /// Notes the move (`None` for a null move) that leads from `position` to the next ply.
    pub fn push(&mut self, position: &Position, ply: usize, m: Option<Move>) {
        self.keys.push(position.key());
        self.stack.at_mut(ply).piece_to =
            m.map_or(PieceTo::NONE, |m| PieceTo::new(position.turn(), m));
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.push(ply, position.turn(), m);
        }
    }

    /// Takes the last move back.
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// The deepest ply but for quiescence has been reached.
    pub fn too_deep(ply: usize) -> bool {
        ply >= MAX_PLY - 1
    }
}
