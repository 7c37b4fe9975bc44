//! What the protocol drives, and what it is told.

use crate::commands::{bench, speedtest};
use crate::engine::{Current, EngineError, Event, Generation, SearchResult, Settings, Totals};
use crate::eval::nnue::eval_file::EvalFile;
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position};
use crate::sync::Arc;
use crate::time::limits::Limits;

/// What the protocol is told.
#[derive(Debug)]
pub enum Message {
    /// A line from the GUI.
    Line(String),
    /// A line too long to be kept.
    LongLine,
    /// There will be no more lines.
    EndOfInput,
    /// The engine reports.
    Engine(Event),
    /// A job reports.
    Job(JobEvent),
}

/// What a job reports.
#[derive(Clone, Debug)]
pub enum JobEvent {
    /// A line of its output.
    Output(String),
    /// It is done.
    Done,
}

/// Long work that is no search.
#[derive(Clone, Debug)]
pub enum Job {
    /// Count leaves.
    Perft {
        /// The root.
        position: Box<Position>,
        /// Plies.
        depth: u32,
    },
    /// Search the bench positions.
    Bench(bench::Config),
    /// Measure the nodes per second.
    Speedtest(speedtest::Config),
}

/// What the protocol drives: the engine, and a thread for jobs. Both report through messages.
pub trait Host {
    /// Starts a search and returns its number.
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation;
    /// Asks the search to end.
    fn stop(&self);
    /// Waits for the workers; what they have found.
    fn result(&self) -> SearchResult;
    /// What the workers have done in the current search.
    fn totals(&self) -> Totals;
    /// The root move that is being searched in the current search, whose root is `position`.
    fn current(&self, position: &Position) -> Option<Current>;
    /// What has gone wrong with the files of the endgame tables since this was last called.
    fn take_faults(&self) -> Vec<String>;
    /// Changes the number of workers.
    ///
    /// # Errors
    /// [`EngineError`]; the old workers are kept.
    fn set_threads(&mut self, threads: usize) -> Result<(), EngineError>;
    /// Changes the size of the table, in MiB.
    ///
    /// # Errors
    /// [`EngineError`]; the old table is kept.
    fn set_hash(&mut self, hash: usize) -> Result<(), EngineError>;
    /// Changes the evaluation and forgets everything but the endgame tables.
    ///
    /// # Errors
    /// [`EngineError`]; the old evaluation is kept.
    fn set_eval_file(&mut self, file: &EvalFile) -> Result<(), EngineError>;
    /// The network that evaluates, if any.
    fn network(&self) -> Option<Arc<Network>>;
    /// Opens the endgame tables in the directories of a path; a summary of what was found.
    ///
    /// # Errors
    /// [`EngineError`]; the old tables are kept.
    fn set_tablebases(&mut self, path: &str) -> Result<String, EngineError>;
    /// Forgets everything but the endgame tables.
    fn clear(&mut self);
    /// Starts a job.
    fn begin(&mut self, job: Job);
    /// Asks the job to end; it still reports that it is done.
    fn cancel(&self);
}
