//! The limits of `go`, as plain data.

use std::time::Duration;

use crate::position::{Color, Move};
use crate::score::Depth;

/// One side's clock.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    /// Time left, if this side has a clock.
    pub remaining: Option<Duration>,
    /// Time added after each move.
    pub increment: Duration,
}

/// The limits of one search; by default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// White's clock.
    pub white: SideClock,
    /// Black's clock.
    pub black: SideClock,
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Time for this move alone.
    pub move_time: Option<Duration>,
    /// Maximum depth, in plies.
    pub depth: Option<Depth>,
    /// Nodes, summed over all workers.
    pub nodes: Option<u64>,
    /// After this many nodes of its own, a worker begins no further iteration (it always completes
    /// the first).
    pub soft_nodes: Option<u64>,
    /// Search for a mate within this many moves.
    pub mate: Option<u32>,
    /// The root moves to search; if empty, all of them.
    pub search_moves: Vec<Move>,
    /// Search until told to stop.
    pub infinite: bool,
    /// Search during the opponent's turn, until `ponderhit` or `stop`.
    pub ponder: bool,
}

impl Limits {
    /// The clock of `color`.
    pub fn side(&self, color: Color) -> SideClock {
        if color.is_white() { self.white } else { self.black }
    }
}
