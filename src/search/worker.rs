//! One worker: its memory, and the search it runs.

use std::ops::Range;

use crate::eval::{Evaluator, Sums};
use crate::position::{FIFTY_MOVES, Key, Move, Position, is_repetition, is_upcoming_repetition};
use crate::score::{MAX_PLY, Score};
use crate::smp::recorder::Structure;

use super::histories::Histories;
use super::history::{CounterMoves, PieceTo};
use super::node::{Node, RootMove, Window};
use super::picker::Picked;
use super::reduce::Reductions;
use super::shared::Shared;
use super::stack::Stack;
use super::{Aborted, Common, Line, Outcome, Run};

/// Nodes for which a stop waits in the first iteration: a few milliseconds, and more than enough
/// for that iteration in positions of real games.
pub(super) const FIRST_ITERATION: u64 = 4096;

/// Nodes between two checks of the node limit by several workers.
const LIMIT_INTERVAL: u64 = 256;

/// One worker's own memory, which lasts from search to search: a search allocates nothing large.
pub struct Worker {
    histories: Histories,
    /// A search has used `histories` since they were made or cleared.
    has_learnt: bool,
    counter: Box<CounterMoves>,
    reductions: Reductions,
    pub(super) stack: Stack,
    sums: Sums,
}

impl Default for Worker {
    /// A worker with empty histories. The caller checks that there is [`Worker::ROOM`].
    fn default() -> Self {
        Self {
            histories: Histories::new(),
            has_learnt: false,
            counter: Box::default(),
            reductions: Reductions::new(),
            stack: Stack::default(),
            sums: Sums::default(),
        }
    }
}

impl Worker {
    /// Room for a worker, in bytes, rounded up.
    pub const ROOM: usize = 4 << 20;

    /// Searches as worker `index` until a limit or the stop flag ends it. `report` is called with
    /// every line as it is found.
    pub fn search(
        &mut self,
        index: usize,
        common: &Common,
        run: &Run,
        report: &dyn Fn(&Line),
    ) -> Outcome {
        let mut shared = Shared::new(common, run, index);
        let (sharing, workers) = (run.settings.sharing, run.workers);
        if !sharing.moves(workers) {
            self.has_learnt = true;
            shared.histories = &self.histories;
            shared.correction.line = &self.histories.errors;
        }
        if !sharing.corrections(workers) {
            shared.correction.position = &self.histories.errors;
        }
        self.stack.reset();
        let own = Own {
            counter: &mut self.counter,
            reductions: &self.reductions,
            stack: &mut self.stack,
            evaluator: Evaluator::new(common.network_of(index), &mut self.sums),
        };
        let path = Path::new(run.game.keys());
        Search { shared, own, path, report, nodes: 0, quiescence_end: 0, checkpoint: 0 }.deepen()
    }

    /// Clears the histories.
    pub fn clear(&mut self) {
        // Unused histories stay untouched: writing zeros would take up their memory.
        if std::mem::take(&mut self.has_learnt) {
            self.histories.zero();
        }
        self.counter.clear();
        self.reductions.update();
    }
}

/// What a worker has for itself.
pub(super) struct Own<'a> {
    pub counter: &'a mut CounterMoves,
    pub reductions: &'a Reductions,
    pub stack: &'a mut Stack,
    pub evaluator: Evaluator<'a>,
}

/// The line being searched, from the root's moves to the current node.
#[derive(Default)]
pub(super) struct Path {
    /// Keys of all positions before the current one; those from `root` on belong to the search.
    pub keys: Vec<Key>,
    pub root: usize,
    pub root_moves: Vec<RootMove>,
    /// The rank of the line, from 0; the first moves of better lines are left out at the root.
    pub line: usize,
    /// The indices of the root moves that this line may begin with.
    pub choices: Range<usize>,
    /// The iteration, in plies.
    pub iteration: i32,
    pub seldepth: usize,
    /// Null moves are allowed from this ply on: above it, one is being verified.
    pub null_from: usize,
}

impl Path {
    /// The root, after positions with the keys `before`.
    fn new(before: &[Key]) -> Self {
        let mut keys = Vec::with_capacity(before.len() + MAX_PLY);
        keys.extend_from_slice(before);
        Self { root: keys.len(), keys, ..Self::default() }
    }
}

/// One search by one worker.
pub(super) struct Search<'a> {
    pub shared: Shared<'a>,
    pub own: Own<'a>,
    pub path: Path,
    pub report: &'a dyn Fn(&Line),
    pub nodes: u64,
    /// The node count up to which the current quiescence search captures.
    pub quiescence_end: u64,
    /// The node at which this worker pauses next, to check the node limit or to end its turn.
    checkpoint: u64,
}

impl Search<'_> {
    /// Others search the same position, and this worker finds their entries in the table.
    pub fn is_joint(&self) -> bool {
        self.shared.run.workers > 1
    }

    /// Counts a node, unless the search has to end here.
    #[inline]
    pub fn enter(&mut self, ply: usize) -> Result<(), Aborted> {
        if self.nodes >= self.checkpoint {
            self.pause()?;
        }
        if self.shared.run.stop.is_raised() && self.may_end() {
            return Err(Aborted);
        }
        self.nodes += 1;
        self.shared.run.board.count_node(self.shared.index);
        self.shared.observer.write(self.shared.run.board.row_line(self.shared.index));
        self.path.seldepth = self.path.seldepth.max(ply);
        Ok(())
    }

    /// A stop or a limit waits for the end of the first iteration, so that the move played has been
    /// searched and has a score, but for no more than [`FIRST_ITERATION`] nodes: it takes seconds
    /// where captures abound.
    #[cold]
    fn may_end(&self) -> bool {
        self.path.iteration > 1 || self.nodes >= FIRST_ITERATION
    }

    /// Waits for the next turn if this one is over, and ends the search at the node limit. A search
    /// with neither never comes here again.
    #[cold]
    fn pause(&mut self) -> Result<(), Aborted> {
        if let Some(turnstile) = &self.shared.run.turnstile
            && self.nodes > 0
            && self.nodes.is_multiple_of(turnstile.quantum())
        {
            turnstile.yield_turn(self.shared.index);
        }
        if self.may_end() && self.limit_reached() {
            if self.shared.run.workers > 1 {
                // The others do not watch the limit.
                self.shared.run.stop.raise();
            }
            return Err(Aborted);
        }
        self.checkpoint = self.next_checkpoint();
        Ok(())
    }

    fn next_checkpoint(&self) -> u64 {
        let next_multiple = |interval: u64| (self.nodes / interval + 1) * interval;
        let turnstile = self.shared.run.turnstile.as_ref();
        let turn = turnstile.map(|turnstile| next_multiple(turnstile.quantum()));
        let limit = self.shared.run.limits.nodes.map(|limit| {
            if self.shared.run.workers == 1 { limit } else { next_multiple(LIMIT_INTERVAL) }
        });
        turn.into_iter().chain(limit).min().unwrap_or(u64::MAX)
    }

    /// The node limit is reached: exact for one worker, within [`LIMIT_INTERVAL`] nodes each for
    /// several.
    fn limit_reached(&self) -> bool {
        let Some(limit) = self.shared.run.limits.nodes else { return false };
        if self.shared.run.workers == 1 {
            return self.nodes >= limit;
        }
        // The main worker alone adds up the nodes, since each counter is a cache line that its
        // worker writes.
        if self.shared.index > 0 || !self.nodes.is_multiple_of(LIMIT_INTERVAL) {
            return false;
        }
        self.observe_rows();
        self.shared.run.board.nodes() >= limit
    }

    /// Tells the observer that the rows of all workers are read.
    pub fn observe_rows(&self) {
        for worker in 0..self.shared.run.workers {
            self.shared.observer.read(Structure::Board, self.shared.run.board.row_line(worker));
        }
    }

    /// The position is drawn: by repetition, by insufficient material or by the fifty-move rule.
    pub fn is_drawn(&self, position: &Position) -> bool {
        is_repetition(&self.path.keys, self.path.root, position) || is_drawn_by_rule(position)
    }

    /// Upcoming repetition: a side that can repeat a position need not take less than a draw.
    /// Source: M. van Kervinck (Rookie), 2002; in a search with bounds, Stockfish.
    pub fn draw_at_hand(&self, node: &Node<'_>) -> Window {
        let is_at_hand = node.window.alpha < Score::DRAW
            && is_upcoming_repetition(&self.path.keys, self.path.root, node.position);
        if is_at_hand { Window { alpha: Score::DRAW, ..node.window } } else { node.window }
    }

    /// Plays a move at `node`: the position at the next ply.
    #[inline]
    pub fn play(&mut self, node: &Node<'_>, picked: Picked) -> Position {
        self.push(node, Some(picked.m));
        let position = node.position.play_with_key(picked.m, picked.key);
        self.shared.correction.prefetch(self.correction_index(&position, node.ply + 1));
        position
    }

    /// Notes the move (`None` for a null move) that leads from `node` to the next ply.
    pub fn push(&mut self, node: &Node<'_>, m: Option<Move>) {
        let us = node.position.turn();
        self.path.keys.push(node.position.key());
        let frame = self.own.stack.at_mut(node.ply);
        frame.piece_to = m.map_or(PieceTo::NONE, |m| PieceTo::new(us, m));
        frame.quiet = None;
        self.own.evaluator.push(node.ply, us, m);
    }

    /// Takes the last move back.
    pub fn pop(&mut self) {
        self.path.keys.pop();
    }
}

/// The position is drawn whatever came before it: by insufficient material or by the fifty-move
/// rule.
pub(super) fn is_drawn_by_rule(position: &Position) -> bool {
    position.is_insufficient_material()
        || position.halfmove_clock() >= FIFTY_MOVES && !position.is_checkmate()
}
