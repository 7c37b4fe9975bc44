//! A weight for the middlegame and one for the endgame, in one machine word.

use std::fmt;
use std::ops::{Add, Sub};

/// A pair of centipawns: middlegame in the low half, endgame in the high half, so one addition or
/// multiplication serves both. 32 bits each hold any possible material.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
pub struct Tapered(i64);

/// A pair of centipawns for the middlegame and the endgame.
pub const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered(((endgame as i64) << 32) + middlegame as i64)
}

impl Tapered {
    /// The middlegame half, in centipawns.
    pub const fn middlegame(self) -> i32 {
        self.0 as i32
    }

    /// The endgame half, in centipawns; it undoes the borrow from a negative middlegame half.
    pub const fn endgame(self) -> i32 {
        ((self.0 + (1 << 31)) >> 32) as i32
    }

    /// Adds `count` times `weight`.
    pub fn add(&mut self, weight: &Self, count: i32) {
        self.0 += weight.0 * i64::from(count);
    }
}

impl Add for Tapered {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Tapered {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// Formats it as it is written in the tables.
impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halves_do_not_disturb_each_other() {
        for (a, b, count) in
            [((-7, 12), (30, -41), 3), ((5, -9), (-5, 9), -4), ((-1, -1), (0, 0), 9)]
        {
            let mut sum = s(a.0, a.1);
            Tapered::add(&mut sum, &s(b.0, b.1), count);
            assert_eq!((sum.middlegame(), sum.endgame()), (a.0 + b.0 * count, a.1 + b.1 * count));
            let difference = s(a.0, a.1) - s(b.0, b.1);
            assert_eq!((difference.middlegame(), difference.endgame()), (a.0 - b.0, a.1 - b.1));
        }
    }
}
