//! One side of a game: a worker with a transposition table of its own.

use heddle::engine::EngineError;
use heddle::eval::nnue::network::Network;
use heddle::memory::{HEADROOM, OutOfMemory, check_headroom};
use heddle::position::{Game, Move};
use heddle::score::Score;
use heddle::search::{Common, Run, Worker};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::tt::Table;

/// A search is cut off at this multiple of the nodes after which it begins no further iteration.
const HARD_LIMIT: u64 = 8;

/// A player, which searches on the caller's thread.
pub struct Player {
    worker: Worker,
    common: Common,
    stop: Arc<StopFlag>,
}

impl Player {
    /// A player with a table of `hash` MiB that evaluates with `network` (or, without one, with the
    /// classical evaluation) and gives up when `stop` is raised.
    ///
    /// # Errors
    /// [`EngineError`] if the memory cannot be allocated.
    pub fn new(
        hash: usize,
        network: Option<Arc<Network>>,
        stop: &Arc<StopFlag>,
    ) -> Result<Self, EngineError> {
        let table = Arc::new(Table::new(hash)?);
        let refused = |OutOfMemory| EngineError::Memory { threads: 1 };
        let common = Common::new(table, network).map_err(refused)?;
        check_headroom(HEADROOM + Worker::ROOM).map_err(refused)?;
        Ok(Self { worker: Worker::default(), common, stop: Arc::clone(stop) })
    }

    /// Clears all memory.
    pub fn clear(&mut self) {
        self.worker.clear();
        self.common.table.clear_part(0, 1);
    }

    /// The best move and its score for the side to move, from a search of about `nodes` nodes;
    /// `None` if there is no legal move or the search was stopped.
    pub fn search(&mut self, game: &Game, nodes: u64) -> Option<(Move, Score)> {
        self.common.table.begin_search();
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
            ..Limits::default()
        };
        let run = Run { stop: Arc::clone(&self.stop), ..Run::new(game.clone(), limits, 1) };
        let outcome = self.worker.search(0, &self.common, &run, &|_| {});
        let line = outcome.lines.first().filter(|_| !self.stop.is_raised())?;
        Some((line.moves[0], line.score))
    }

    /// What the searches since the memory was cleared have stored.
    pub fn table(&self) -> &Table {
        &self.common.table
    }
}
