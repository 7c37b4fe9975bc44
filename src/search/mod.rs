//! The search of one worker.
//!
//! A [`Worker`] deepens iteratively ([`deepen`]) a fail-soft principal variation search ([`pvs`])
//! that ends in a quiescence search ([`quiesce`]). What makes it selective stands beside that
//! skeleton, a function for each technique: pruning ([`prune`]), extensions ([`extend`]) and
//! reductions ([`reduce`]), with every margin in [`params`]. Moves come from a staged picker
//! ([`picker`]), whose order ([`order`]) depends on what they force and on the histories
//! ([`history`]), to which every node adds ([`learn`]). The evaluation ([`static_eval`]) is
//! corrected by what earlier searches found ([`correction`]). The transposition table and the
//! tablebases end nodes early ([`probe`]). [`node`] defines a node. Measured gains:
//! `docs/search.md`.
//!
//! Three lifetimes are three structures: [`Common`] lasts from search to search, [`Run`] is one
//! search, and a [`Node`](node::Node) is a node. Workers share the first two, and nothing else. An
//! abort travels up as `Err(Aborted)`. The setting `plain` switches everything selective off, which
//! leaves the textbooks' algorithm for tests to compare with.

mod correction;
mod deepen;
mod extend;
mod histories;
mod history;
mod learn;
mod node;
mod order;
pub mod params;
mod picker;
mod probe;
mod prune;
mod pvs;
mod quiesce;
mod reduce;
pub mod see;
mod shared;
mod stack;
pub mod static_eval;
mod worker;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worker_tests;

use crate::position::Move;
use crate::score::{Depth, Score};
use crate::time::clock::Support;
use crate::time::timekeeper::Iteration;
use crate::tt::Bound;

pub use histories::Histories;
pub use history::{Cell, HISTORY_LIMIT};
pub use shared::{Common, Near, Run, Settings};
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
    pub fn iteration(&self) -> Option<Iteration> {
        let Self { score, depth, support, .. } = *self;
        let completes = self.multipv == 1 && self.bound == Bound::Exact && !self.moves.is_empty();
        completes.then_some(Iteration { score, depth, support })
    }
}

/// The result of one worker's search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The lines of the last completed iteration, best first; a single line may be of the iteration
    /// that was cut short. Empty if there is no legal move.
    pub lines: Vec<Line>,
    /// The last completed iteration, in plies.
    pub depth: Depth,
}

/// The search was stopped or has reached its limit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Aborted;

/// A node's value, unless the search was aborted.
type Searched = Result<Score, Aborted>;
