//! The search of one worker.
//!
//! A [`Worker`] deepens iteratively ([`deepen`]) a fail-soft principal variation search
//! ([`node`]) that ends in a quiescence search ([`quiesce`]). What makes it selective stands
//! beside that skeleton, a technique a function: pruning ([`prune`]), extensions ([`extend`]) and
//! reductions ([`reduce`]), with every margin in [`params`]. Moves come from a staged picker
//! ([`picker`]) that the histories ([`history`]) teach; the evaluation is corrected by what earlier
//! searches found ([`correction`]). Endgame tables end the search of what they know
//! ([`tablebase`]).
//!
//! Workers share the table, the stop flag, the node counters and, if asked to, the correction
//! history; nothing else. An abort
//! travels up as `Err(Aborted)`. [`mode::Plain`] switches everything selective off, which leaves
//! the algorithm of the textbooks for the tests to compare with.

mod correction;
mod current;
mod deepen;
mod extend;
mod history;
mod mode;
mod node;
pub mod params;
mod picker;
mod prune;
mod quiesce;
mod reduce;
pub mod see;
mod stack;
mod table;
mod tablebase;
mod window;
mod worker;

#[cfg(test)]
mod tests;

use crate::eval::nnue::network::Network;
use crate::position::{Game, Move};
use crate::score::{Depth, Score};
use crate::smp::counter::Counters;
use crate::smp::lockstep::Turnstile;
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::syzygy::{Probing, Ranking, Tablebases};
use crate::time::limits::Limits;
use crate::time::timekeeper::Iteration;
use crate::tt::{Bound, Census, Table};

pub use correction::{Correction, CorrectionCell};
pub use current::CurrentCell;
pub use worker::Worker;

/// A line that a worker has found, after an iteration or a failed window.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The iteration, in plies.
    pub depth: Depth,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The rank of the line, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// What the score says: anything but exact is a failed window.
    pub bound: Bound,
    /// The moves, the first one to be played; never empty.
    pub moves: Vec<Move>,
    /// Share of the worker's nodes that the first move took, 0 to 1.
    pub share: f64,
}

impl Line {
    /// The iteration that the line completes: only the first line, and only an exact one, does.
    #[must_use]
    pub fn iteration(&self) -> Option<Iteration> {
        let &best_move = self.moves.first()?;
        let (score, depth, share) = (self.score, self.depth, self.share);
        let completes = self.multipv == 1 && self.bound == Bound::Exact;
        completes.then_some(Iteration { best_move, score, depth, share })
    }
}

/// What one worker has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The lines of the last completed iteration, best first; empty if there is no legal move.
    pub lines: Vec<Line>,
    /// The last completed iteration, in plies.
    pub depth: Depth,
}

/// What all workers share.
pub struct Shared {
    /// The transposition table.
    pub table: Arc<Table>,
    /// What counts the workers' doings at the table, if that is wanted.
    pub census: Option<Census>,
    /// The correction history of the searches in which the workers share one.
    pub correction: Arc<Correction>,
    /// The stop flag.
    pub stop: Arc<StopFlag>,
    /// Nodes, a cell a worker.
    pub nodes: Counters,
    /// The network; without one, the classical evaluation is used.
    pub network: Option<Arc<Network>>,
    /// The main worker's root move.
    pub current: CurrentCell,
    /// The endgame tables, perhaps none.
    pub tablebases: Arc<Tablebases>,
    /// Probes that the endgame tables have answered, a cell a worker.
    pub table_hits: Counters,
    /// What the workers take turns at, in lockstep.
    pub turnstile: Option<Turnstile>,
}

impl Shared {
    /// What `workers` share, the counters at zero; they do not run in lockstep, and what they do at
    /// the table is not counted.
    #[must_use]
    pub fn new(
        table: Arc<Table>,
        network: Option<Arc<Network>>,
        tablebases: Arc<Tablebases>,
        correction: Arc<Correction>,
        stop: Arc<StopFlag>,
        workers: usize,
    ) -> Self {
        let [nodes, table_hits] = [0; 2].map(|_| Counters::new(workers));
        let current = CurrentCell::default();
        Self {
            table,
            census: None,
            correction,
            stop,
            nodes,
            network,
            current,
            tablebases,
            table_hits,
            turnstile: None,
        }
    }
}

/// What one search is about.
#[derive(Clone, Debug)]
pub struct Task {
    /// The root and its history.
    pub game: Game,
    /// The limits; workers look at depth, both node limits, mate and root moves, never at a clock.
    pub limits: Limits,
    /// How many lines are wanted.
    pub multipv: usize,
    /// The depth policy.
    pub stagger: Stagger,
    /// Whose correction history the workers use.
    pub correction: Sharing,
    /// Nothing selective: the textbook search, for comparison.
    pub plain: bool,
    /// How the endgame tables are probed.
    pub probing: Probing,
    /// The root's moves as the endgame tables rank them, if they have the root.
    pub ranking: Option<Ranking>,
    /// Workers that take part.
    pub workers: usize,
}

/// The search was told to stop, or has reached its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Aborted;

/// A node's value, unless the search was aborted.
type Searched = Result<Score, Aborted>;
