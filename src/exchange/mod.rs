//! The way between the tables of several engines that search the same position.
//!
//! Each such engine is a *rank*: workers on one machine around a table of their own. A worker keeps what
//! is [`Outgoing`], the [`Deepest`] entries that it stores, and hands it over in its [`Outbox`] without
//! waiting. What carries it on is a [`Transport`]: MPI in `tools/cluster`, or a simulation in lockstep
//! in `tools/scaling`. Ranks form a ring, in which each [`Relay`]s what it hears to the next.
//!
//! An engine without a transport is a rank alone: nothing is gathered and nothing is paid.

mod deepest;
mod outbox;
mod outgoing;
mod relay;

pub use outbox::Outbox;
pub use outgoing::Outgoing;
pub use relay::Relay;

use deepest::Deepest;

use crate::score::Depth;
use crate::sync::Arc;
use crate::tt::{Packet, Table};

/// The most packets in a message from rank to rank: 48 KiB with the number of their search.
pub const MESSAGE: usize = 2048;

/// What a worker sends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The least depth of an entry that is sent, in plies.
    pub least_depth: Depth,
    /// The most entries that a worker gathers before they are taken; the deepest are kept.
    pub batch: usize,
}

impl Filter {
    /// A middle course: the simulation of `docs/cluster.md` tells little from much no better.
    pub const DEFAULT: Self = Self { least_depth: 3, batch: 16 };
}

/// What connects an engine to the other ranks, as its workers see it.
pub trait Transport: Send + Sync {
    /// What the workers send.
    fn filter(&self) -> Filter;

    /// The number of this engine's first worker among the workers of all ranks. Worker 0 of all is the
    /// main worker, whose end is the end of the search.
    fn first_worker(&self) -> usize {
        0
    }

    /// A search of `workers` workers at `table` is about to begin; none is running.
    fn begin(&self, table: &Arc<Table>, workers: usize);

    /// The table of this engine's worker `worker`, unless it is the engine's.
    fn table(&self, _worker: usize) -> Option<&Table> {
        None
    }

    /// Takes what worker `worker` has gathered, or refuses while its last packets have not left. Called
    /// by that worker alone; never blocks.
    fn send(&self, worker: usize, packets: &[Packet]) -> bool;

    /// In lockstep, a turn begins in round `round`.
    fn turn(&self, _round: u64) {}
}
