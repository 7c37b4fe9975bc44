//! The engine's face: the table, the workers, the endgame tables and one search at a time. No protocol text.
//!
//! A search is started by its owner and told to stop by its owner; in between the workers run on
//! the pool's threads and the owner hears [`Event`]s. Nothing here looks at a clock.

use std::io;

use crate::eval::nnue::eval_file::{EvalFile, EvalFileError};
use crate::eval::nnue::network::Network;
use crate::position::{Game, Move, PackedMove, Position};
use crate::score::{Depth, Score};
use crate::search::{Line, Outcome, Shared, Task, Worker};
use crate::smp::latest::Latest;
use crate::smp::lockstep::{self, Turnstile};
use crate::smp::pool::Pool;
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::smp::vote::{self, Ballot, vote};
use crate::sync::{Arc, Mutex};
use crate::syzygy::{Probing, TablebaseError, Tablebases};
use crate::time::limits::Limits;
use crate::tt::{Census, Counts, Table, TableError};

/// Why the engine cannot do what it was asked; it stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The table cannot be had.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The network cannot be had.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The endgame tables cannot be had.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
    /// A thread cannot be had.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// What the system said.
        source: io::Error,
    },
}

/// The number of a search, counted from 1; a late event carries that of its own search.
pub type Generation = u64;

/// What a search tells its owner while it runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// The main worker has a new line, and this is what all had done by then.
    Line(Generation, Line, Totals),
    /// The main worker is done and the others have been told to stop: [`Engine::result`] will not
    /// wait long.
    Finished(Generation),
}

/// What all workers together have done up to some point.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes.
    pub nodes: u64,
    /// Per mille of the table filled by this search.
    pub hashfull: u32,
    /// Probes that the endgame tables have answered.
    pub table_hits: u64,
    /// What was done at the transposition table, if that is counted.
    pub census: Option<Counts>,
}

impl Totals {
    fn of(shared: &Shared) -> Self {
        Self {
            nodes: shared.nodes.sum(),
            hashfull: shared.table.hashfull(),
            table_hits: shared.table_hits.sum(),
            census: shared.census.as_ref().map(Census::sum),
        }
    }
}

/// What the main worker is busy with at the root.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// The iteration, in plies.
    pub depth: Depth,
    /// The root move.
    pub m: Move,
    /// Its number in the order of the search, from 1.
    pub number: usize,
}

/// How the engine searches, beside the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Lines wanted.
    pub multipv: usize,
    /// Depth policy.
    pub stagger: Stagger,
    /// Whose correction history the workers use. Each kind lasts from search to search.
    pub correction: Sharing,
    /// Nothing selective: the textbook search, for comparison.
    pub plain: bool,
    /// How the endgame tables are probed.
    pub probing: Probing,
    /// The workers take turns, so that the search can be repeated: the same nodes, lines and move
    /// whenever it is not the clock or [`Engine::stop`] that ends it.
    pub lockstep: bool,
    /// Nodes of such a turn.
    pub quantum: u64,
    /// What is done at the table is counted, which takes an eighth of the table's memory and some
    /// time; if there is no such memory, it is not counted.
    pub census: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            stagger: Stagger::default(),
            correction: Sharing::default(),
            plain: false,
            probing: Probing::default(),
            lockstep: false,
            quantum: lockstep::DEFAULT_QUANTUM,
            census: false,
        }
    }
}

/// A worker's memory and what it found last.
#[derive(Default)]
struct Seat {
    worker: Mutex<Worker>,
    outcome: Latest<Outcome>,
}

/// The engine.
pub struct Engine {
    pool: Pool,
    seats: Arc<[Seat]>,
    shared: Arc<Shared>,
    generation: Generation,
}

impl Engine {
    /// An engine with `threads` workers, a table of `hash` MiB and the default evaluation.
    ///
    /// # Errors
    /// [`EngineError`], when the table, the threads or the embedded network cannot be had.
    pub fn new(threads: usize, hash: usize) -> Result<Self, EngineError> {
        let table = Arc::new(Table::new(hash)?);
        let (pool, seats) = crew(threads)?;
        let network = EvalFile::Default.load()?;
        let shared =
            Shared::new(table, network, Arc::default(), Arc::default(), Arc::default(), threads);
        Ok(Self { pool, seats, shared: Arc::new(shared), generation: 0 })
    }

    /// Changes the number of workers, who begin with empty histories; the table is kept. Waits for
    /// a running search.
    ///
    /// # Errors
    /// [`EngineError::Threads`]; the old workers are kept.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.pool.wait();
        (self.pool, self.seats) = crew(threads)?;
        self.shared = Arc::new(Shared { correction: Arc::default(), ..self.renewed() });
        Ok(())
    }

    /// Replaces the table by an empty one of `hash` MiB. Waits for a running search.
    ///
    /// # Errors
    /// [`EngineError::Table`]; the old table is kept.
    pub fn set_hash(&mut self, hash: usize) -> Result<(), EngineError> {
        self.pool.wait();
        let table = Arc::new(Table::new(hash)?);
        self.shared = Arc::new(Shared { table, ..self.renewed() });
        self.clear();
        Ok(())
    }

    /// Evaluates with `network`, or without one by the classical evaluation, and forgets everything:
    /// the scores of one evaluation mislead a search with another. Waits for a running search.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.pool.wait();
        self.shared = Arc::new(Shared { network, ..self.renewed() });
        self.clear();
    }

    /// The network in use, if any.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.shared.network.as_ref()
    }

    /// Replaces the endgame tables by those in the directories of `path`, see
    /// [`Tablebases::open`], and returns them. Waits for a running search.
    ///
    /// # Errors
    /// [`EngineError::Tablebases`]; the old ones are kept.
    pub fn set_tablebases(&mut self, path: &str) -> Result<&Tablebases, EngineError> {
        self.pool.wait();
        let tablebases = Arc::new(Tablebases::open(path)?);
        self.shared = Arc::new(Shared { tablebases, ..self.renewed() });
        Ok(&self.shared.tablebases)
    }

    /// Forgets everything but the endgame tables, every worker doing its part. Waits for a running
    /// search.
    pub fn clear(&mut self) {
        self.pool.wait();
        self.shared = Arc::new(Shared { correction: Arc::default(), ..self.renewed() });
        let (seats, shared) = (Arc::clone(&self.seats), Arc::clone(&self.shared));
        self.pool.start(Arc::new(move |index| {
            shared.table.clear_part(index, seats.len());
            seats[index].worker.lock().clear();
        }));
        self.pool.wait();
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
        self.pool.wait();
        self.generation += 1;
        let turnstile = settings.lockstep.then(|| Turnstile::new(self.threads(), settings.quantum));
        let census = if settings.census { self.census() } else { None };
        self.shared = Arc::new(Shared { turnstile, census, ..self.renewed() });
        // Cleared here and never by a worker, so that no later stop is lost.
        self.shared.stop.clear();
        self.shared.table.age();
        let ranking = self.shared.tablebases.rank(game, settings.probing);
        if let Some(ranking) = &ranking {
            // On behalf of the main worker, which does not run yet.
            self.shared.table_hits.add(0, ranking.moves.len() as u64);
        }
        let task = Task {
            game: game.clone(),
            limits: limits.clone(),
            multipv: settings.multipv,
            stagger: settings.stagger,
            correction: settings.correction,
            plain: settings.plain,
            probing: settings.probing,
            ranking,
            workers: self.threads(),
        };
        let (seats, shared) = (Arc::clone(&self.seats), Arc::clone(&self.shared));
        let generation = self.generation;
        self.pool.start(Arc::new(move |index| {
            let seat = &seats[index];
            // Held to the end, so that all that others see of this worker happens in its turns.
            let _turn = shared.turnstile.as_ref().map(|turnstile| turnstile.enter(index));
            let main = index == 0;
            let tell = |line: &Line| {
                if main {
                    report(Event::Line(generation, line.clone(), Totals::of(&shared)));
                }
            };
            let outcome = seat.worker.lock().search(index, &shared, &task, &tell);
            seat.outcome.set(outcome);
            if main {
                shared.stop.raise();
                report(Event::Finished(generation));
            }
        }));
        generation
    }

    /// Asks the running search to end.
    pub fn stop(&self) {
        self.shared.stop.raise();
    }

    /// Waits for the workers; returns what each has found and the index of the one whose line the
    /// vote has chosen.
    #[must_use]
    pub fn result(&self) -> (Vec<Outcome>, usize) {
        self.pool.wait();
        let outcomes: Vec<_> = self.seats.iter().map(|seat| seat.outcome.get()).collect();
        let ballots: Vec<_> = outcomes.iter().map(ballot).collect();
        let winner = vote(&ballots);
        (outcomes, winner)
    }

    /// Nodes of the current or last search, over all workers.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.shared.nodes.sum()
    }

    /// Nodes of the current or last search, by worker.
    #[must_use]
    pub fn worker_nodes(&self) -> Vec<u64> {
        (0..self.threads()).map(|index| self.shared.nodes.get(index)).collect()
    }

    /// What the workers have done in the current or last search.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals::of(&self.shared)
    }

    /// Rounds that the current or last search has completed in lockstep, a turn for each worker:
    /// times the quantum, what it would have taken on as many processors as workers, in nodes of
    /// one. Zero if it is not in lockstep.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.shared.turnstile.as_ref().map_or(0, Turnstile::rounds)
    }

    /// The root move that the main worker is searching, of a game in `position`; `None` before the
    /// first.
    #[must_use]
    pub fn current(&self, position: &Position) -> Option<Current> {
        let (depth, m, number) = self.shared.current.get()?;
        m.unpack(position).map(|m| Current { depth, m, number })
    }

    /// What has gone wrong with the files of the endgame tables since this was last called, each
    /// file once.
    #[must_use]
    pub fn take_faults(&self) -> Vec<String> {
        self.shared.tablebases.take_faults()
    }

    /// Per mille of the table filled by the current search.
    #[must_use]
    pub fn hashfull(&self) -> u32 {
        self.shared.table.hashfull()
    }

    /// Workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.seats.len()
    }

    /// A census of the next search. Who has written what is known since the first of the searches
    /// that were counted without a break.
    fn census(&self) -> Option<Census> {
        match &self.shared.census {
            Some(last) => Some(last.renewed(self.threads())),
            None => Census::new(&self.shared.table, self.threads()).ok(),
        }
    }

    /// What the workers share, as it is but for what belongs to one search: that begins anew, for
    /// the present number of workers.
    fn renewed(&self) -> Shared {
        let Shared { table, network, tablebases, correction, stop, .. } = &*self.shared;
        Shared::new(
            Arc::clone(table),
            network.clone(),
            Arc::clone(tablebases),
            Arc::clone(correction),
            Arc::clone(stop),
            self.threads(),
        )
    }
}

/// Workers and the threads that they will run on.
fn crew(threads: usize) -> Result<(Pool, Arc<[Seat]>), EngineError> {
    let pool = Pool::new(threads).map_err(|source| EngineError::Threads { threads, source })?;
    Ok((pool, (0..threads).map(|_| Seat::default()).collect()))
}

/// What the move of each of `outcomes` weighs in the vote over them, see [`vote::weights`].
#[must_use]
pub fn weights(outcomes: &[Outcome]) -> Vec<Option<i64>> {
    vote::weights(&outcomes.iter().map(ballot).collect::<Vec<_>>())
}

/// What a worker votes for: its best line.
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
