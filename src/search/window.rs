//! The search window.

use std::ops::Neg;

use crate::score::Score;
use crate::tt::Bound;

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

    /// The bound of `score`, returned by a fail-soft search of this window.
    #[must_use]
    pub fn bound_of(self, score: Score) -> Bound {
        if score <= self.alpha {
            Bound::Upper
        } else if score >= self.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }

    /// A score with this bound answers the window's question.
    #[must_use]
    pub fn is_settled_by(self, score: Score, bound: Bound) -> bool {
        match bound {
            Bound::Exact => true,
            Bound::Lower => score >= self.beta,
            Bound::Upper => score <= self.alpha,
        }
    }
}

/// The same window for the other side.
impl Neg for Window {
    type Output = Self;
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_follows_the_side_that_failed() {
        let window = Window { alpha: Score::new(10), beta: Score::new(20) };
        let bounds = [10, 11, 19, 20].map(|score| window.bound_of(Score::new(score)));
        assert_eq!(bounds, [Bound::Upper, Bound::Exact, Bound::Exact, Bound::Lower]);
    }

    #[test]
    fn a_bound_settles_only_its_own_side() {
        let window = Window { alpha: Score::new(10), beta: Score::new(20) };
        let settled = |score, bound| window.is_settled_by(Score::new(score), bound);
        assert!(settled(15, Bound::Exact));
        assert!(settled(20, Bound::Lower) && !settled(19, Bound::Lower));
        assert!(settled(10, Bound::Upper) && !settled(11, Bound::Upper));
    }
}
