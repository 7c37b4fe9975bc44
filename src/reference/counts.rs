//! The work that a search does.

/// The work that a search has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions visited, including the root, the leaves and those of quiescence searches.
    pub nodes: u64,
    /// Positions at the horizon and finished games.
    pub leaves: u64,
    /// Static evaluations.
    pub evaluations: u64,
    /// Searches repeated with another window, inside the tree or from the root.
    pub researches: u64,
}
