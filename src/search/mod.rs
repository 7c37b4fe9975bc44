//! The search of one worker.
//!
//! A [`Worker`] deepens iteratively ([`deepen`]) a fail-soft principal variation search ([`pvs`])
//! that ends in a quiescence search ([`quiesce`]). What makes it selective stands beside that
//! skeleton, a function for each technique: pruning ([`prune`]), extensions ([`extend`]) and
//! reductions ([`reduce`]), with every margin in [`params`]. Moves come from a staged
//! picker ([`picker`]), ordered by what they force ([`context`]) and by the histories ([`history`]),
//! to which every node adds ([`learn`]). The evaluation ([`static_eval`]) is corrected by what
//! earlier searches found ([`correction`]). Endgame tables cut off what they know ([`tablebase`]).
//! [`node`] says what a node is. What each technique was found to be worth stands in `docs/search.md`.
//!
//! Workers share the transposition table, the stop flag, the counters and, unless asked not to, their
//! histories, and nothing else. An abort travels up as `Err(Aborted)`. The mode [`Plain`]
//! switches everything selective off, which leaves the textbooks' algorithm for tests to compare
//! with.

mod cell;
mod context;
mod correction;
mod current;
mod deepen;
mod extend;
mod histories;
mod history;
mod learn;
mod mode;
mod move_keys;
mod near;
mod node;
pub mod params;
mod picker;
mod prune;
mod pvs;
mod quiesce;
mod reduce;
pub mod see;
mod settings;
mod stack;
pub mod static_eval;
mod tablebase;
mod tt;
mod window;
mod worker;

#[cfg(test)]
mod cutoff_tests;
#[cfg(test)]
mod tests;

use crate::eval::nnue::network::Network;
use crate::exchange::Transport;
use crate::position::{Game, Move, PackedMove, Position};
use crate::score::{Depth, Score};
use crate::smp::counter::Counters;
use crate::smp::lockstep::Turnstile;
use crate::smp::opinions::Opinions;
use crate::smp::stop::StopFlag;
use crate::smp::tally::Tally;
use crate::sync::Arc;
use crate::syzygy::{Ranking, Tablebases};
use crate::time::clock::Support;
use crate::time::limits::Limits;
use crate::time::timekeeper::Iteration;
use crate::tt::{Bound, Census, Table};

pub use cell::Cell;
pub use current::CurrentCell;
pub use histories::Histories;
pub use history::HISTORY_LIMIT;
pub use mode::{Full, Mode, Plain};
pub use near::Near;
pub use settings::Settings;
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
    /// The score for the side to move at the root.
    pub score: Score,
    /// The bound of the score: unless it is exact, the window failed.
    pub bound: Bound,
    /// The moves, at least one, the one to play first.
    pub moves: Vec<Move>,
    /// How far all workers agree on the first move.
    pub support: Support,
}

impl Line {
    /// The iteration that the line completes: only the first line, and only an exact one, does.
    #[must_use]
    pub fn iteration(&self) -> Option<Iteration> {
        let Self { score, depth, support, .. } = *self;
        let completes = self.multipv == 1 && self.bound == Bound::Exact && !self.moves.is_empty();
        completes.then_some(Iteration { score, depth, support })
    }
}

/// What one worker has found in a search.
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
    /// Optionally counts accesses to the table.
    pub census: Option<Census>,
    /// The histories of which the workers use those that they share.
    pub histories: Arc<Histories>,
    /// The stop flag.
    pub stop: Arc<StopFlag>,
    /// Node counts, one per worker.
    pub nodes: Counters,
    /// The network, or none for the classical evaluation.
    pub network: Option<Arc<Network>>,
    /// What each worker that is bound to a memory node has in common with the others there; empty if
    /// nobody is bound.
    pub near: Arc<[Option<Near>]>,
    /// The root move that the main worker is searching.
    pub current: CurrentCell,
    /// The root move that each worker prefers.
    pub opinions: Opinions,
    /// The nodes that all workers have spent on each root move; without any outside of a search.
    pub effort: Tally,
    /// The endgame tables, possibly none.
    pub tablebases: Arc<Tablebases>,
    /// Probes that the endgame tables have answered, one count per worker.
    pub tb_hits: Counters,
    /// Where the workers take turns, in lockstep.
    pub turnstile: Option<Turnstile>,
    /// The way to the other ranks, if there are any.
    pub transport: Option<Arc<dyn Transport>>,
}

impl Shared {
    /// What `workers` share, with the counters at zero, neither in lockstep nor with a census nor
    /// other ranks.
    #[must_use]
    pub fn new(
        table: Arc<Table>,
        network: Option<Arc<Network>>,
        tablebases: Arc<Tablebases>,
        histories: Arc<Histories>,
        stop: Arc<StopFlag>,
        workers: usize,
    ) -> Self {
        let [nodes, tb_hits] = [0; 2].map(|_| Counters::new(workers));
        let current = CurrentCell::default();
        Self {
            table,
            census: None,
            histories,
            stop,
            nodes,
            network,
            near: Arc::default(),
            current,
            opinions: Opinions::new(workers),
            effort: Tally::default(),
            tablebases,
            tb_hits,
            turnstile: None,
            transport: None,
        }
    }
}

/// A count of nodes for each legal move of `root`.
#[must_use]
pub fn root_effort(root: &Position) -> Tally {
    Tally::new(root.legal_moves().into_iter().map(|m| PackedMove::pack(m).to_bits()))
}

/// One search: what to search, and how.
#[derive(Clone, Debug)]
pub struct Task {
    /// The root and its history.
    pub game: Game,
    /// The limits. Workers heed depth, both node limits, mate and root moves, but no clock.
    pub limits: Limits,
    /// How it is searched.
    pub settings: Settings,
    /// The root moves as the endgame tables rank them, if they have the root.
    pub ranking: Option<Ranking>,
    /// The number of workers.
    pub workers: usize,
    /// The number of the first among the workers of all ranks.
    pub first_worker: usize,
}

/// The search was stopped or has reached its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Aborted;

/// A node's value, unless the search was aborted.
type Searched = Result<Score, Aborted>;
