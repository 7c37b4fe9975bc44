//! With whom a worker shares what it learns.

use clap::ValueEnum;

/// The most workers that share their histories. More gain little from each other and wait longer: every history that
/// one writes has to travel to the others (`docs/notes/scaling.md`).
pub const GROUP: usize = 16;

/// Whose histories a worker uses.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sharing {
    /// Each worker learns alone.
    Private,
    /// Groups of at most 16 workers learn together; if workers are bound, each group at one last-level cache.
    #[default]
    All,
}
