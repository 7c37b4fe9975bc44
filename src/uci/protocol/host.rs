//! The engine that the protocol drives, and the messages that it gets.

use std::time::Instant;

use crate::commands::{bench, genfens, speedtest};
use crate::engine::{Current, EngineError, Event, Generation, SearchResult, Settings, Totals};
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position};
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::uci::options::Change;

/// A message to the protocol.
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
    /// A line of a job's output, with more to come.
    Output(String),
    /// The last of a job's output. With it the job is done: whoever reads these lines finds the
    /// engine idle.
    Done(String),
}

impl Message {
    /// The line from the GUI, if it is one.
    pub fn line(&self) -> Option<&str> {
        match self {
            Self::Line(line) => Some(line),
            Self::LongLine => Some("(a line that is too long)"),
            _ => None,
        }
    }
}

/// Long work that is not a search.
#[derive(Clone, Debug)]
pub enum Job {
    /// Count leaves.
    Perft {
        /// The root.
        position: Box<Position>,
        /// Plies.
        depth: u32,
        /// Castling is written as the king taking its rook.
        chess960: bool,
    },
    /// Search the bench positions.
    Bench(bench::BenchConfig),
    /// Measure the nodes per second.
    Speedtest(speedtest::SpeedtestConfig),
    /// Generate random openings.
    Genfens(genfens::GenfensConfig),
}

/// How a search ended, everything as it was at one moment.
pub struct Ending {
    /// The outcomes of the workers, and the vote over them.
    pub result: SearchResult,
    /// The work of the workers.
    pub totals: Totals,
    /// Faults of tablebase files since the last search ended.
    pub faults: Vec<String>,
    /// When the last worker had stopped.
    pub at: Instant,
}

/// The engine, and a thread for jobs, as the protocol drives them. Both report through messages.
pub trait Host {
    /// Starts a search and returns its number.
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation;
    /// Tells the search to stop and waits for the workers.
    fn finish(&mut self) -> Ending;
    /// The root move that is being searched in the current search, whose root is `position`.
    fn current(&self, position: &Position) -> Option<Current>;
    /// The network that evaluates, if any.
    fn network(&self) -> Option<Arc<Network>>;
    /// Changes the engine; returns a summary of what was found, if there is something to tell.
    fn change(&mut self, change: &Change) -> Result<Option<String>, EngineError>;
    /// Starts a job.
    fn begin(&mut self, job: Job);
    /// Asks the job to end; it still reports that it is done.
    fn cancel(&self);
}
