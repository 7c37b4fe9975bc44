//! What `go` asked for: plain data.

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

/// The limits of one search; the default is none at all.
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
    /// Iterations, in plies.
    pub depth: Option<Depth>,
    /// Nodes, over all workers.
    pub nodes: Option<u64>,
    /// A worker begins no iteration but the first once it has searched so many nodes itself.
    pub soft_nodes: Option<u64>,
    /// Moves within which a mate is sought.
    pub mate: Option<u32>,
    /// The root moves to search; empty means all of them.
    pub search_moves: Vec<Move>,
    /// Search until told to stop.
    pub infinite: bool,
    /// Search in the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
}

impl Limits {
    /// The clock of `color`.
    #[must_use]
    pub fn side(&self, color: Color) -> SideClock {
        if color.is_white() { self.white } else { self.black }
    }
}
