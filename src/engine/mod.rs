//! The engine: the transposition table, the workers, the tablebases and one search at a time.
//!
//! The owner starts a search and stops it; in between the workers run on the crew's threads and
//! report [`Event`]s. Nothing here reads a clock or knows a protocol.

mod blocking;
#[cfg(test)]
mod tests;
mod watch;
mod workers;

use std::io;

use scopeguard::guard;

use crate::eval::nnue::eval_file::{EvalFile, EvalFileError};
use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::numa::{Binding, NumaPolicy};
use crate::position::{Game, Move, PackedMove, Position};
use crate::score::{Depth, Score};
pub use crate::search::Settings;
use crate::search::{Common, Line, Outcome, Run};
use crate::smp::crew::Results;
use crate::smp::recorder::Recorder;
use crate::smp::turnstile::Turnstile;
use crate::smp::vote::{Ballot, Vote, vote};
use crate::sync::{Arc, Mutex};
use crate::syzygy::{TablebaseError, Tablebases};
use crate::time::limits::Limits;
use crate::tt::{self, Census, Counting, Counts, Table, TableError};

pub use watch::View;
use workers::Workers;

/// Why the engine cannot do what it was asked; it stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The transposition table could not be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The network could not be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The tablebases could not be opened.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
    /// A thread could not be started.
    #[error(transparent)]
    Threads(#[from] io::Error),
    /// There is no memory for the workers.
    #[error("cannot allocate the memory of {threads} search threads")]
    Memory {
        /// The number of threads asked for.
        threads: usize,
    },
}

/// Search id, from 1; events with an older id are ignored.
pub type Generation = u64;

/// A report of a running search to its owner.
#[derive(Clone, Debug)]
pub enum Event {
    /// The main worker has found a line; the totals are those of that moment.
    Line(Generation, Line, Totals),
    /// The main worker is done and the others are stopping: [`Engine::result`] will not wait long.
    Finished(Generation),
}

/// The work of all workers together at some moment of a search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes.
    pub nodes: u64,
    /// The permille of the transposition table filled by this search.
    pub hashfull: u32,
    /// Probes that the tablebases have answered.
    pub tb_hits: u64,
    /// Accesses to the transposition table, if they are counted.
    pub census: Option<Counts>,
}

impl Totals {
    fn of(common: &Common, run: &Run) -> Self {
        Self {
            nodes: run.board.nodes(),
            hashfull: common.table.hashfull(),
            tb_hits: run.board.tb_hits(),
            census: run.census.as_ref().map(Census::sum),
        }
    }
}

/// The root move that the main worker is searching.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// The iteration, in plies.
    pub depth: Depth,
    /// The root move.
    pub m: Move,
    /// How many root moves have been searched in this iteration, this one included.
    pub move_count: usize,
}

/// The engine.
pub struct Engine {
    workers: Workers,
    common: Common,
    /// No search has written the table since it was made or cleared.
    is_table_empty: bool,
    /// The current or last search.
    run: Arc<Run>,
    outcomes: Results<Outcome>,
    generation: Generation,
}

impl Engine {
    /// An engine with `threads` workers, a transposition table of `hash` MiB and the default
    /// evaluation.
    pub fn new(threads: usize, hash: usize) -> Result<Self, EngineError> {
        let table = Arc::new(Table::new(hash)?);
        let network = EvalFile::Default.load()?;
        let refused = |OutOfMemory| EngineError::Memory { threads };
        let mut engine = Self {
            workers: Workers::new()?,
            common: Common::new(table, network).map_err(refused)?,
            is_table_empty: true,
            run: Arc::new(Run::new(Game::default(), Limits::default(), 0)),
            outcomes: Arc::from([]),
            generation: 0,
        };
        engine.set_threads(threads)?;
        Ok(engine)
    }

    /// Changes the number of workers, who begin with empty histories; the transposition table is
    /// kept. Allocates all that is large, so that a search does not. Waits for a running search.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.change_workers(threads, self.workers.binding().resized(threads))
    }

    /// Binds the workers to the machine's memory nodes as `policy` says, and tells where they run
    /// now. Those that move begin with empty histories, as do all others. Waits for a running
    /// search.
    pub fn set_numa(&mut self, policy: NumaPolicy) -> Result<String, EngineError> {
        let threads = self.threads();
        self.change_workers(threads, self.workers.binding().by(policy, threads))?;
        Ok(self.workers.binding().describe())
    }

    fn change_workers(&mut self, threads: usize, binding: Binding) -> Result<(), EngineError> {
        self.workers.change(threads, binding)?;
        tt::release_unused();
        self.common.near = self.workers.near(self.network());
        self.clear_workers();
        Ok(())
    }

    /// Replaces the transposition table by an empty one of `hash` MiB. Waits for a running search.
    pub fn set_hash(&mut self, hash: usize) -> Result<(), EngineError> {
        self.workers.wait();
        let table = Arc::new(Table::new(hash)?);
        if let Err(OutOfMemory) = check_headroom(HEADROOM) {
            return Err(TableError::OutOfMemory { mebibytes: table.mebibytes() }.into());
        }
        (self.common.table, self.is_table_empty) = (table, true);
        self.clear_workers();
        Ok(())
    }

    /// Evaluates with `network`, or classically without one, and clears everything but the
    /// tablebases: the scores of one evaluation mislead a search with another. Waits for a running
    /// search.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.workers.wait();
        self.common.near = self.workers.near(network.as_ref());
        self.common.network = network;
        self.clear();
    }

    /// The network in use, if any.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.common.network.as_ref()
    }

    /// Replaces the tablebases by those in the directories of `path`, see
    /// [`Tablebases::open`], and returns them. Waits for a running search.
    pub fn set_tablebases(&mut self, path: &str) -> Result<&Tablebases, EngineError> {
        self.workers.wait();
        self.common.tablebases = Arc::new(Tablebases::open(path)?);
        Ok(&self.common.tablebases)
    }

    /// Lets `recorder` see the accesses of the workers to the memory that they share, or nobody.
    /// Waits for a running search.
    pub fn set_recorder(&mut self, recorder: Option<Arc<Recorder>>) {
        self.workers.wait();
        self.common.recorder = recorder;
    }

    /// Lets the workers take the turns of `turnstile`, which the owner holds and grants, in the
    /// next search. Waits for a running search.
    pub fn set_turnstile(&mut self, turnstile: Arc<Turnstile>) {
        self.workers.wait();
        self.common.turnstile = Some(turnstile);
    }

    /// The transposition table.
    pub fn table(&self) -> &Arc<Table> {
        &self.common.table
    }

    /// Clears everything but the tablebases, in parallel. Waits for a running search.
    pub fn clear(&mut self) {
        // Clearing a new table would only take up all its memory at once. As it is, each page is
        // placed near the worker that writes it first.
        if !self.is_table_empty {
            let (table, parts) = (Arc::clone(&self.common.table), self.threads());
            self.workers.start(move |index, _| table.clear_part(index, parts));
            self.is_table_empty = true;
        }
        self.clear_workers();
    }

    /// Clears the histories of the workers, in parallel, and those they share; the counts of the
    /// last search go with them. Waits for a running job.
    fn clear_workers(&mut self) {
        self.workers.clear();
        self.common.clear_histories();
        self.run = Arc::new(Run::new(Game::default(), Limits::default(), self.threads()));
    }

    /// Starts a search and returns its number; `report` is called on the main worker's thread.
    /// Waits for a search that is still running.
    pub fn start(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        report: impl Fn(Event) + Send + Sync + 'static,
    ) -> Generation {
        self.workers.wait();
        self.generation += 1;
        self.common.table.begin_search();
        self.is_table_empty = false;
        self.run = Arc::new(self.prepare(game, limits, settings));
        let (run, common) = (Arc::clone(&self.run), self.common.clone());
        let generation = self.generation;
        self.outcomes = self.workers.start(move |index, worker| {
            // Held to the end, so that whatever others see of this worker happens in its turns.
            let _turn = run.enter(index);
            if index > 0 {
                return worker.search(index, &common, &run, &|_| {});
            }
            // Also if the main worker panics, where panics unwind: the others stop, and the owner
            // hears of it.
            let _end = guard((), |()| {
                run.stop.raise();
                report(Event::Finished(generation));
            });
            worker.search(index, &common, &run, &|line| {
                report(Event::Line(generation, line.clone(), Totals::of(&common, &run)));
            })
        });
        generation
    }

    /// A search that nobody has begun.
    fn prepare(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Run {
        let given_turns = self.common.turnstile.take();
        let own_turns = || Arc::new(Turnstile::new(self.threads(), settings.quantum));
        let run = Run {
            settings: settings.clone(),
            ranking: self.common.tablebases.rank(game, settings.probing),
            turnstile: given_turns.or_else(|| settings.lockstep.then(own_turns)),
            census: self.census(settings.census),
            ..Run::new(game.clone(), limits.clone(), self.threads())
        };
        if let Some(ranking) = &run.ranking {
            // For the main worker, which does not run yet.
            run.board.count_tb_hits(0, ranking.moves.len() as u64);
        }
        run
    }

    /// Asks the running search to end.
    pub fn stop(&self) {
        self.run.stop.raise();
    }

    /// Waits for the workers and returns their outcomes.
    #[must_use]
    pub fn result(&self) -> SearchResult {
        self.workers.wait();
        let outcome = |of: &Mutex<Option<Outcome>>| of.lock().clone().unwrap_or_default();
        SearchResult::new(self.outcomes.iter().map(outcome).collect())
    }

    /// Nodes of the current or last search, of all workers.
    pub fn nodes(&self) -> u64 {
        self.run.board.nodes()
    }

    /// Nodes of the current or last search, by worker.
    pub fn worker_nodes(&self) -> Vec<u64> {
        self.run.board.worker_nodes()
    }

    /// The work of all workers in the current or last search.
    pub fn totals(&self) -> Totals {
        Totals::of(&self.common, &self.run)
    }

    /// Rounds that the current or last search has completed in lockstep, each a turn for every
    /// worker: times the quantum, the time that the search would have taken on as many processors
    /// as workers, in nodes of one worker. Zero without lockstep.
    pub fn rounds(&self) -> u64 {
        self.run.turnstile.as_ref().map_or(0, |turnstile| turnstile.rounds())
    }

    /// The root move that the main worker is searching in `position`, the root; `None` before the
    /// first.
    pub fn current(&self, position: &Position) -> Option<Current> {
        let (depth, bits, move_count) = self.run.board.current(0)?;
        PackedMove::from_bits(bits).unpack(position).map(|m| Current { depth, m, move_count })
    }

    /// The faults of tablebase files since the last call, each file once.
    #[must_use]
    pub fn take_faults(&self) -> Vec<String> {
        self.common.tablebases.take_faults()
    }

    /// The permille of the transposition table filled by the current search.
    pub fn hashfull(&self) -> u32 {
        self.common.table.hashfull()
    }

    /// The number of workers.
    pub fn threads(&self) -> usize {
        self.workers.count()
    }

    /// A census of the next search. It knows who wrote each entry since counting began, as long as
    /// every search in between was counted so.
    fn census(&self, counting: Counting) -> Option<Census> {
        match &self.run.census {
            _ if counting == Counting::Nothing => None,
            Some(last) if last.counting() == counting => Some(last.renewed()),
            _ => Census::new(&self.common.table, self.threads(), counting).ok(),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// The outcome of each worker.
    pub outcomes: Vec<Outcome>,
    /// The vote over them.
    pub vote: Vote,
}

impl SearchResult {
    /// Lets the workers vote, each for its best line.
    pub fn new(outcomes: Vec<Outcome>) -> Self {
        let ballots: Vec<_> = outcomes.iter().map(ballot).collect();
        let vote = vote(&ballots);
        Self { outcomes, vote }
    }

    /// The outcome that has won the vote; `None` if there are no workers.
    pub fn winner(&self) -> Option<&Outcome> {
        self.outcomes.get(self.vote.winner)
    }

    /// The line to play; `None` if there is no legal move.
    pub fn best(&self) -> Option<&Line> {
        self.winner()?.lines.first()
    }
}

/// The vote of a worker, for its best line.
fn ballot(outcome: &Outcome) -> Ballot<PackedMove> {
    outcome.lines.first().map_or(
        Ballot { choice: PackedMove::NONE, score: -Score::INFINITE, depth: 0 },
        |line| Ballot {
            choice: PackedMove::pack(line.moves[0]),
            score: line.score,
            depth: outcome.depth,
        },
    )
}
