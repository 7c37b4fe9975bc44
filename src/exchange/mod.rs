//! The way between the tables of several engines that search the same position.
//!
//! Each such engine is a *rank*: workers on one machine around a table of their own. The search knows nothing of
//! it: [`Outgoing`] listens to what each worker stores, through the engine's one hook, gathers the [`Deepest`]
//! entries and puts them into the worker's [`Outbox`] without waiting. A carrier takes them from there: MPI in
//! `tools/cluster`, or a simulation in lockstep in `tools/scaling`. Ranks form a ring, in which each [`Relay`]s
//! what it hears to the next.

mod deepest;
mod outbox;
mod outgoing;
mod relay;

pub use outbox::Outbox;
pub use outgoing::Outgoing;
pub use relay::Relay;

use deepest::Deepest;

use crate::score::Depth;

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
