//! Windows, and what a value says about the true one, given the window it was searched with.
//!
//! Texts: a TalkChess post of October 2024 on failing high and low; D. Eppstein, lecture notes on
//! variants of alpha-beta.

use std::ops::Neg;

use super::semi_pv::SemiPv;
use heddle::score::Score;

/// The open interval of values that a search has to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// A value of at most alpha may be reported as any upper bound that is at most alpha.
    pub alpha: Score,
    /// A value of at least beta may be reported as any lower bound that is at least beta.
    pub beta: Score,
}

/// How a returned value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The returned value is the true one.
    Exact,
    /// The search failed high: the true value is at least the returned one.
    Lower,
    /// The search failed low: the true value is at most the returned one.
    Upper,
}

impl Window {
    /// Contains every value.
    pub const FULL: Self =
        Self { alpha: Score::new(-Score::INFINITE.get()), beta: Score::INFINITE };

    /// The window of values greater than `alpha` and less than `beta`.
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// The empty window that tests whether the value is greater than `alpha`.
    pub fn minimal(alpha: Score) -> Self {
        Self::new(alpha, alpha + 1)
    }

    /// Whether the window is empty, so that a search can only fail high or low.
    pub fn is_minimal(self) -> bool {
        self.beta.get() - self.alpha.get() == 1
    }

    /// Whether `value` is strictly inside the window.
    pub fn contains(self, value: Score) -> bool {
        self.alpha < value && value < self.beta
    }

    /// How `value`, returned by a search with this window, relates to the true value.
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

/// The window from the opponent's point of view.
impl Neg for Window {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.beta, -self.alpha)
    }
}

/// The result of a search: a value, to be interpreted by [`Window::bound`], and the line behind it.
#[derive(Clone, Debug)]
pub struct Found<M> {
    /// The value, from the point of view of the side to move.
    pub value: Score,
    /// The moves that lead to the value, as far as known.
    pub line: SemiPv<M>,
}

impl<M: Copy + PartialEq> Found<M> {
    /// The result before any move has been searched: less than every value.
    pub fn nothing() -> Self {
        Self::without_line(-Score::INFINITE)
    }

    /// A value without a line.
    pub fn without_line(value: Score) -> Self {
        Self { value, line: SemiPv::default() }
    }

    /// The same value with `m` played first, for a value that is already the parent's.
    #[must_use]
    pub fn after(self, m: M) -> Self {
        Self { value: self.value, line: self.line.after(m) }
    }
}

/// The result from the opponent's point of view.
impl<M> Neg for Found<M> {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, line: self.line }
    }
}
