//! What a search costs.

/// The work that a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions visited, the root, the leaves and those of a quiescence search included.
    pub nodes: u64,
    /// Positions at the horizon and finished games.
    pub leaves: u64,
    /// Static evaluations.
    pub evaluations: u64,
    /// Searches repeated with another window, inside a tree or from the root.
    pub researches: u64,
}
