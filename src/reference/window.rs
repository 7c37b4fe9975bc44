//! Windows, and what a value returned for a window says.
//!
//! The essay on failing high and low is after a TalkChess post of October 2024 and D. Eppstein's
//! lecture notes on variants of alpha-beta.

use std::ops::Neg;

use super::semi_pv::Line;
use crate::score::Score;

/// The open interval of the values that a search is asked to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// At most this: not worth knowing how much worse.
    pub alpha: Score,
    /// At least this: not worth knowing how much better.
    pub beta: Score,
}

/// What a returned value says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true value is the returned one.
    Exact,
    /// The search failed high: the true value is at least the returned one.
    Lower,
    /// The search failed low: the true value is at most the returned one.
    Upper,
}

impl Window {
    /// Every value is inside.
    pub const FULL: Self =
        Self { alpha: Score::new(-Score::INFINITE.get()), beta: Score::INFINITE };

    /// The values greater than `alpha` and less than `beta`.
    #[must_use]
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// The empty window that asks: more than `alpha`?
    #[must_use]
    pub fn minimal(alpha: Score) -> Self {
        Self::new(alpha, alpha + 1)
    }

    /// `value` is strictly inside.
    #[must_use]
    pub fn contains(self, value: Score) -> bool {
        self.alpha < value && value < self.beta
    }

    /// What `value`, returned for this window, says.
    #[must_use]
    pub fn bound(self, value: Score) -> Bound {
        if value >= self.beta {
            Bound::Lower
        } else if value <= self.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }
}

/// The same window, seen by the opponent.
impl Neg for Window {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.beta, -self.alpha)
    }
}

/// What a search returns: a value, to be read with [`Window::bound`], and the line leading to it.
#[derive(Clone, Debug)]
pub struct Found<M> {
    /// The value, for the side to move.
    pub value: Score,
    /// The moves that lead to the value, as far as they are known.
    pub line: Line<M>,
}

impl<M: Copy + PartialEq> Found<M> {
    /// Less than every value: what is known before the first move.
    #[must_use]
    pub fn nothing() -> Self {
        Self::without_line(-Score::INFINITE)
    }

    /// A value without a line.
    #[must_use]
    pub fn without_line(value: Score) -> Self {
        Self { value, line: Line::default() }
    }

    /// The same, one move earlier: the line starts with `m`, the value is the parent's.
    #[must_use]
    pub fn after(self, m: M) -> Self {
        Self { value: self.value, line: self.line.after(m) }
    }
}

/// The same value for the other side.
impl<M> Neg for Found<M> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, line: self.line }
    }
}
