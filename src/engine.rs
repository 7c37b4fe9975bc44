//! The engine: the transposition table, the workers, the endgame tables and one search at a time.
//!
//! The owner starts a search and stops it; in between the workers run on the pool's threads and
//! report [`Event`]s. Nothing here reads a clock or knows a protocol.

mod team;

use crate::eval::nnue::eval_file::{EvalFile, EvalFileError};
use crate::eval::nnue::network::Network;
use crate::exchange::Transport;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::numa::{Binding, NumaPolicy};
use crate::position::{Game, Move, PackedMove, Position};
use crate::score::{Depth, Score};
pub use crate::search::Settings;
use crate::search::{Full, Histories, Line, Mode, Outcome, Plain, Shared, Task, root_effort};
use crate::smp::lockstep::Turnstile;
use crate::smp::pool::PoolError;
use crate::smp::vote::{Ballot, Vote, vote};
use crate::sync::Arc;
use crate::syzygy::{TablebaseError, Tablebases};
use crate::time::limits::Limits;
use crate::tt::{self, Census, Counts, Table, TableError};

use team::Team;

/// Why the engine cannot do what it was asked; it stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The transposition table could not be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The network could not be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The endgame tables could not be opened.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
    /// A thread could not be started.
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// There is no memory for the workers.
    #[error("cannot allocate the memory of {threads} search threads")]
    Memory {
        /// The number of threads asked for.
        threads: usize,
    },
}

/// The number of a search, from 1, by which a late event of an earlier search is told.
pub type Generation = u64;

/// What a search tells its owner while it runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// The main worker has found a line; the totals are those of that moment.
    Line(Generation, Line, Totals),
    /// The main worker is done and the others are stopping: [`Engine::result`] will not wait long.
    Finished(Generation),
}

/// What all workers together have done at some moment of a search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes.
    pub nodes: u64,
    /// The permille of the transposition table filled by this search.
    pub hashfull: u32,
    /// Probes that the endgame tables have answered.
    pub tb_hits: u64,
    /// Accesses to the transposition table, if they are counted.
    pub census: Option<Counts>,
}

impl Totals {
    fn of(shared: &Shared) -> Self {
        Self {
            nodes: shared.nodes.sum(),
            hashfull: shared.table.hashfull(),
            tb_hits: shared.tb_hits.sum(),
            census: shared.census.as_ref().map(Census::sum),
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
    team: Team,
    shared: Arc<Shared>,
    generation: Generation,
}

impl Engine {
    /// An engine with `threads` workers, a transposition table of `hash` MiB and the default evaluation.
    ///
    /// # Errors
    /// [`EngineError`], if the table cannot be allocated, the threads cannot be started or the
    /// embedded network cannot be read.
    pub fn new(threads: usize, hash: usize) -> Result<Self, EngineError> {
        let table = Arc::new(Table::new(hash)?);
        let network = EvalFile::Default.load()?;
        let refused = |OutOfMemory| EngineError::Memory { threads };
        let histories = Arc::new(Histories::new().map_err(refused)?);
        let shared = Shared::new(table, network, Arc::default(), histories, Arc::default(), 0);
        let mut engine = Self { team: Team::new()?, shared: Arc::new(shared), generation: 0 };
        engine.set_threads(threads)?;
        Ok(engine)
    }

    /// Changes the number of workers, who begin with empty histories; the transposition table is
    /// kept. Allocates all that is large, so that a search does not. Waits for a running search.
    ///
    /// # Errors
    /// [`EngineError::Threads`] or [`EngineError::Memory`]; everything stays as it was.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.change_team(threads, self.team.binding().resized(threads))
    }

    /// Binds the workers to the machine's memory nodes as `policy` says, and tells where they run now.
    /// Those that move begin with empty histories, as do all others. Waits for a running search.
    ///
    /// # Errors
    /// [`EngineError::Memory`]; everything stays as it was.
    pub fn set_numa(&mut self, policy: NumaPolicy) -> Result<String, EngineError> {
        let threads = self.threads();
        self.change_team(threads, self.team.binding().by(policy, threads))?;
        Ok(self.team.binding().describe())
    }

    fn change_team(&mut self, threads: usize, binding: Binding) -> Result<(), EngineError> {
        self.team.wait();
        let kept = self.team.change(threads, binding)?;
        tt::release_unused();
        // New workers are clear already, and clearing would take up their memory.
        self.team.clear(kept);
        self.shared.histories.clear();
        let near = self.team.near(self.network());
        self.shared = Arc::new(Shared { near, ..self.renewed() });
        Ok(())
    }

    /// Replaces the transposition table by an empty one of `hash` MiB. Waits for a running search.
    ///
    /// # Errors
    /// [`EngineError::Table`]; the old table is kept.
    pub fn set_hash(&mut self, hash: usize) -> Result<(), EngineError> {
        self.team.wait();
        let table = Arc::new(Table::new(hash)?);
        if let Err(OutOfMemory) = check_headroom(HEADROOM) {
            return Err(TableError::OutOfMemory { mebibytes: table.mebibytes() }.into());
        }
        self.shared = Arc::new(Shared { table, ..self.renewed() });
        // The table is new: clearing it would only take up all its memory at once. As it is, each page is
        // placed near the worker who writes it first.
        self.clear_workers();
        Ok(())
    }

    /// Evaluates with `network`, or classically without one, and clears everything but the endgame
    /// tables: the scores of one evaluation mislead a search with another. Waits for a running
    /// search.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.team.wait();
        let near = self.team.near(network.as_ref());
        self.shared = Arc::new(Shared { network, near, ..self.renewed() });
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
        self.team.wait();
        let tablebases = Arc::new(Tablebases::open(path)?);
        self.shared = Arc::new(Shared { tablebases, ..self.renewed() });
        Ok(&self.shared.tablebases)
    }

    /// Connects the engine to other ranks, or to none. Waits for a running search.
    pub fn set_transport(&mut self, transport: Option<Arc<dyn Transport>>) {
        self.team.wait();
        self.shared = Arc::new(Shared { transport, ..self.renewed() });
    }

    /// Clears everything but the endgame tables, in parallel. Waits for a running search.
    pub fn clear(&mut self) {
        self.team.wait();
        let (table, parts) = (Arc::clone(&self.shared.table), self.threads());
        self.team.start(Arc::new(move |index| table.clear_part(index, parts)));
        self.clear_workers();
    }

    /// Clears the histories of the workers, in parallel, and the shared one. Waits for a running job.
    fn clear_workers(&mut self) {
        self.team.wait();
        self.shared = Arc::new(self.renewed());
        self.shared.clear_histories();
        self.team.clear(self.threads());
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
        self.launch::<Full>(game, limits, settings, report)
    }

    /// Starts the textbook search [`Plain`] instead, for tests to compare with the literature.
    pub fn start_plain(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        report: impl Fn(Event) + Send + Sync + 'static,
    ) -> Generation {
        self.launch::<Plain>(game, limits, settings, report)
    }

    fn launch<M: Mode + 'static>(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        report: impl Fn(Event) + Send + Sync + 'static,
    ) -> Generation {
        self.team.wait();
        self.generation += 1;
        let turnstile = settings.lockstep.then(|| Turnstile::new(self.threads(), settings.quantum));
        let census = if settings.census { self.census() } else { None };
        let effort = root_effort(game.position());
        self.shared = Arc::new(Shared { turnstile, census, effort, ..self.renewed() });
        // Here and never by a worker, so that no later stop is lost.
        self.shared.stop.clear();
        self.shared.table.begin_search();
        let ranking = self.shared.tablebases.rank(game, settings.probing);
        if let Some(ranking) = &ranking {
            // For the main worker, which does not run yet.
            self.shared.tb_hits.add(0, ranking.moves.len() as u64);
        }
        let mut first_worker = 0;
        if let Some(transport) = &self.shared.transport {
            transport.begin(&self.shared.table, self.threads());
            first_worker = transport.first_worker();
        }
        let task = Task {
            game: game.clone(),
            limits: limits.clone(),
            settings: settings.clone(),
            ranking,
            workers: self.threads(),
            first_worker,
        };
        let (members, shared) = (Arc::clone(self.team.members()), Arc::clone(&self.shared));
        let generation = self.generation;
        self.team.start(Arc::new(move |index| {
            let member = &members[index];
            // Held to the end, so that whatever others see of this worker happens in its turns.
            let _turn = shared.turnstile.as_ref().map(|turnstile| turnstile.enter(index));
            let is_main = first_worker + index == 0;
            let tell = |line: &Line| {
                if is_main {
                    report(Event::Line(generation, line.clone(), Totals::of(&shared)));
                }
            };
            let outcome = member.worker.lock().search::<M>(index, &shared, &task, &tell);
            member.outcome.set(outcome);
            if is_main {
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

    /// Waits for the workers; what they have found.
    #[must_use]
    pub fn result(&self) -> SearchResult {
        self.team.wait();
        SearchResult::new(self.team.members().iter().map(|member| member.outcome.get()).collect())
    }

    /// Nodes of the current or last search, of all workers.
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

    /// Rounds that the current or last search has completed in lockstep, each a turn for every
    /// worker: times the quantum, the time that the search would have taken on as many processors as
    /// workers, in nodes of one worker. Zero without lockstep.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.shared.turnstile.as_ref().map_or(0, Turnstile::rounds)
    }

    /// The root move that the main worker is searching in `position`, the root; `None` before the
    /// first.
    #[must_use]
    pub fn current(&self, position: &Position) -> Option<Current> {
        let (depth, m, move_count) = self.shared.current.get()?;
        m.unpack(position).map(|m| Current { depth, m, move_count })
    }

    /// The faults of endgame table files since the last call, each file once.
    #[must_use]
    pub fn take_faults(&self) -> Vec<String> {
        self.shared.tablebases.take_faults()
    }

    /// The permille of the transposition table filled by the current search.
    #[must_use]
    pub fn hashfull(&self) -> u32 {
        self.shared.table.hashfull()
    }

    /// The number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.team.members().len()
    }

    /// A census of the next search. It knows who wrote each entry since counting began, as long as
    /// every search in between was counted.
    fn census(&self) -> Option<Census> {
        match &self.shared.census {
            Some(last) => Some(last.renewed(self.threads())),
            None => Census::new(&self.shared.table, self.threads()).ok(),
        }
    }

    /// What the workers share, with what belongs to a single search made anew for the present number
    /// of workers.
    fn renewed(&self) -> Shared {
        let Shared { table, network, near, tablebases, histories, stop, transport, .. } =
            &*self.shared;
        let renewed = Shared::new(
            Arc::clone(table),
            network.clone(),
            Arc::clone(tablebases),
            Arc::clone(histories),
            Arc::clone(stop),
            self.threads(),
        );
        Shared { transport: transport.clone(), near: Arc::clone(near), ..renewed }
    }
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// What each worker has found.
    pub outcomes: Vec<Outcome>,
    /// The vote over them.
    pub vote: Vote,
}

impl SearchResult {
    /// Lets the workers vote, each for its best line.
    #[must_use]
    pub fn new(outcomes: Vec<Outcome>) -> Self {
        let ballots: Vec<_> = outcomes.iter().map(ballot).collect();
        let vote = vote(&ballots);
        Self { outcomes, vote }
    }

    /// What the workers have voted for.
    #[must_use]
    pub fn ballots(&self) -> Vec<Ballot<PackedMove>> {
        self.outcomes.iter().map(ballot).collect()
    }

    /// The outcome that has won the vote; `None` if there are no workers.
    #[must_use]
    pub fn winner(&self) -> Option<&Outcome> {
        self.outcomes.get(self.vote.winner)
    }

    /// The line to play; `None` if there is no legal move.
    #[must_use]
    pub fn best(&self) -> Option<&Line> {
        self.winner()?.lines.first()
    }
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
