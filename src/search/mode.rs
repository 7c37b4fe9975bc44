//! The searches that share one skeleton.

use crate::smp::coherence::{Cache, Observer, Unobserved};

/// The kind of search: the one that plays, the same under observation, or the plain one.
///
/// A type parameter and not a setting: the compiler leaves the switches out, so that the comparison
/// costs the search that plays nothing, and what is compared with the literature is the very code
/// that plays.
pub trait Mode {
    /// Pruning, reductions, extensions, cutoffs by the transposition table and quiescence are on.
    const SELECTIVE: bool;

    /// Sees what a worker reads and writes of the memory that it may share.
    type Observer: Observer;
}

/// The search that plays.
pub struct Full;

/// The textbook's search, for comparison: every move to the full depth, the transposition table for
/// move ordering alone, the static evaluation at the leaves.
pub struct Plain;

/// The search that plays, with the misses counted that its workers would have in caches of their own.
pub struct Observed;

impl Mode for Full {
    const SELECTIVE: bool = true;
    type Observer = Unobserved;
}

impl Mode for Plain {
    const SELECTIVE: bool = false;
    type Observer = Unobserved;
}

impl Mode for Observed {
    const SELECTIVE: bool = true;
    type Observer = Cache;
}
