//! The two ways of searching one tree.

/// Constant switches of a search.
pub trait Mode {
    /// Pruning, reductions, extensions, table cutoffs and quiescence are on.
    const SELECTIVE: bool;
}

/// The search that plays.
pub struct Full;

/// The textbook's: every move to the full depth, the table for move ordering alone, the static
/// evaluation at the leaves.
pub struct Plain;

impl Mode for Full {
    const SELECTIVE: bool = true;
}

impl Mode for Plain {
    const SELECTIVE: bool = false;
}
