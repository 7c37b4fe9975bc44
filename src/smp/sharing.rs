//! How much of what they learn the workers share.

use clap::ValueEnum;

/// What all workers have in common; each step includes those before it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Sharing {
    /// Each worker learns alone.
    Private,
    /// The correction history.
    Correction,
    /// The pawn history.
    Pawns,
    /// All histories of moves as well.
    #[default]
    All,
}
