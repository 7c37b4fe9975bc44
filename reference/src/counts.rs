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
    /// Searches of the root.
    pub searches: u64,
    /// Children searched again with another window.
    pub researches: u64,
    /// Nodes visited with a minimal window, those of quiescence searches left out.
    pub null_windows: u64,
    /// Nodes at which the transposition table was asked for a cutoff.
    pub probes: u64,
    /// Probes that found the position searched deep enough.
    pub hits: u64,
    /// Probes whose entry settled the search.
    pub cutoffs: u64,
}
