//! Whether workers are bound to nodes and caches.

use clap::ValueEnum;

/// Whether workers are bound to nodes and caches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NumaPolicy {
    /// They are if the machine has several nodes or caches and there are enough of them to need more than one.
    #[default]
    Auto,
    /// They never are: the system moves them as it likes.
    None,
    /// They are, even if there is one node or few workers.
    Bind,
    /// They are, to all processors of the machine: also to those that whoever started the process has withheld.
    /// Source: Stockfish's policy of this name (#5353, 2024).
    Hardware,
}
