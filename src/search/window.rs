//! The search window.

use std::ops::Neg;

use crate::score::Score;

/// The open interval of scores that a search is asked to tell apart: anything up to `alpha` is as
/// good as `alpha`, anything from `beta` on is as good as `beta`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The side to move is sure of this much.
    pub alpha: Score,
    /// The opponent can hold the side to move to this much.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Self =
        Self { alpha: Score::new(-Score::INFINITE.get()), beta: Score::INFINITE };

    /// The null window that asks whether a node is worth more than `alpha`.
    #[must_use]
    pub fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The null window that asks whether a node is worth at least `beta`.
    #[must_use]
    pub fn below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// `score` lies strictly inside.
    #[must_use]
    pub fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }
}

/// The same window for the other side.
impl Neg for Window {
    type Output = Self;
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}
