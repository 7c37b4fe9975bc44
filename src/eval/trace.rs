//! The evaluation as a sum, for whoever tunes its weights.
//!
//! The terms are written over a [`Tally`]. With [`Tapered`] they add up to centipawns and nothing
//! else is left after compilation; with [`Coefficients`] they say which weight counted how often,
//! which is the gradient that Texel's tuning method (Peter Österlund, 2014) descends along.

use super::params::{WEIGHTS, Weights};
use super::tapered::Tapered;

/// What the terms are added to.
pub trait Tally: Default {
    /// Adds `count` times a weight of [`WEIGHTS`].
    fn add(&mut self, weight: &'static Tapered, count: i32);
}

impl Tally for Tapered {
    #[inline(always)]
    fn add(&mut self, weight: &'static Tapered, count: i32) {
        *self += *weight * count;
    }
}

/// How often a weight counts.
#[derive(Copy, Clone, Debug)]
pub struct Coefficient {
    /// The number of the weight among all [`WEIGHTS`], in the order of the fields.
    pub index: usize,
    /// The weight.
    pub weight: Tapered,
    /// The factor it is added with.
    pub count: i32,
}

/// Every weight that counts, one as often as terms make use of it.
#[derive(Clone, Debug, Default)]
pub struct Coefficients(Vec<Coefficient>);

impl Coefficients {
    /// The number of weights.
    pub const WEIGHTS: usize = size_of::<Weights>() / size_of::<Tapered>();

    /// The coefficients, in no particular order.
    #[must_use]
    pub fn entries(&self) -> &[Coefficient] {
        &self.0
    }

    /// What they add up to.
    #[must_use]
    pub fn sum(&self) -> Tapered {
        self.0.iter().fold(Tapered::default(), |sum, c| sum + c.weight * c.count)
    }
}

impl Tally for Coefficients {
    fn add(&mut self, weight: &'static Tapered, count: i32) {
        if count != 0 {
            let offset = std::ptr::from_ref(weight).addr() - (&raw const WEIGHTS).addr();
            self.0.push(Coefficient {
                index: offset / size_of::<Tapered>(),
                weight: *weight,
                count,
            });
        }
    }
}
