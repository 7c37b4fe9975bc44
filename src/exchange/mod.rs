//! The way between the tables of several engines that search the same position.
//!
//! Each such engine is a *rank*: workers on one machine around a table of their own. The search knows nothing of
//! it: [`Outgoing`] listens to what each worker stores, through the engine's one hook, gathers the deepest
//! entries and puts them into the worker's [`Outbox`] without waiting. A carrier takes them from there: MPI in
//! `tools/cluster`, or a simulation in lockstep in `tools/scaling`. Ranks form a ring, in which each [`Relay`]s
//! what it hears to the next.

mod outbox;
mod outgoing;
mod relay;

pub use outbox::Outbox;
pub use outgoing::{Filter, Outgoing};
pub use relay::Relay;

/// The most packets in a message from rank to rank: 48 KiB with the number of their search.
pub const MESSAGE: usize = 2048;
