//! The two searches that share one skeleton.

/// The kind of search: the one that plays, or the plain one.
///
/// A type parameter and not a setting: the compiler leaves the switches out, so that the comparison
/// costs the search that plays nothing, and what is compared with the literature is the very code
/// that plays.
pub trait Mode {
    /// Pruning, reductions, extensions, cutoffs by the transposition table and quiescence are on.
    const SELECTIVE: bool;
}

/// The search that plays.
pub struct Full;

/// The textbook's search, for comparison: every move to the full depth, the transposition table for
/// move ordering alone, the static evaluation at the leaves.
pub struct Plain;

impl Mode for Full {
    const SELECTIVE: bool = true;
}

impl Mode for Plain {
    const SELECTIVE: bool = false;
}
