//! The transposition table: results of one worker for all of them to use.
//!
//! Workers share it without a lock. From the inside out: a [`Slot`] is two atomic words that verify
//! each other; an [`Entry`] is packed into one of them; a cluster of four slots fills a cache line
//! and decides what is replaced; the [`Table`] maps a key to its cluster and counts searches; its
//! memory is lazily zeroed huge pages. A [`Census`] optionally counts the accesses.

mod census;
mod cluster;
mod entry;
mod memory;
mod prefetch;
mod slot;
mod table;

pub use census::{Census, Counting, Counts};
pub use entry::{Bound, Entry};
pub use memory::{release_unused, share_arena};
#[cfg(test)]
pub use prefetch::fetched;
pub use prefetch::prefetch;
pub use slot::Slot;
pub use table::{Table, TableError};
