//! AdamW: adaptive moments with decoupled weight decay.
//!
//! Source: I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization", 2019.

use heddle::eval::nnue::network::{MAX_FIRST, QA};
use rayon::prelude::*;

use wide::f32x16;

use crate::params::{Params, Slice, VECTORS};

/// Share of the first moment kept per step.
const BETA_1: f32 = 0.9;
/// Share of the second moment kept per step.
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Share of a weight that decays per step, per unit of the learning rate.
const DECAY: f32 = 0.01;
/// The largest absolute weight: the quantised second layer can hold it, and the first layer twice as much.
pub const CLIP: f32 = 1.94;
const _: () = assert!(
    2.0 * CLIP * QA as f32 <= MAX_FIRST as f32,
    "an input's own row and the factoriser's fit together"
);

/// The moments of every parameter, and the number of steps taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Running means of the gradients.
    pub first: Params,
    /// Running means of their squares.
    pub second: Params,
    /// Steps taken.
    pub steps: u64,
}

/// Values shared by all parameters in one step.
#[derive(Copy, Clone)]
struct Step {
    rate: f32,
    /// Bias corrections of the moments, which start at zero.
    first: f32,
    second: f32,
}

impl Default for Adam {
    fn default() -> Self {
        Self { first: Params::zero(), second: Params::zero(), steps: 0 }
    }
}

impl Adam {
    /// Takes a step of size `rate` against `gradient`, and zeroes `gradient`.
    pub fn step(&mut self, params: &mut Params, gradient: &mut Params, rate: f32) {
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let step = Step { rate, first: 1.0 - BETA_1.powi(power), second: 1.0 - BETA_2.powi(power) };
        (&mut params.slices, &mut gradient.slices)
            .into_par_iter()
            .zip((&mut self.first.slices, &mut self.second.slices))
            .for_each(|((params, gradient), (first, second))| {
                step.slice(params, gradient, first, second);
            });
        step.vector(
            &mut params.bias,
            &mut gradient.bias,
            &mut self.first.bias,
            &mut self.second.bias,
        );
    }
}

impl Step {
    fn slice(
        self,
        params: &mut Slice,
        gradient: &mut Slice,
        first: &mut Slice,
        second: &mut Slice,
    ) {
        let rows = params.0.iter_mut().zip(gradient.0.iter_mut());
        let moments = first.0.iter_mut().zip(second.0.iter_mut());
        for ((param, gradient), (first, second)) in rows.zip(moments) {
            for vector in 0..VECTORS {
                self.vector(
                    &mut param.0[vector],
                    &mut gradient.0[vector],
                    &mut first.0[vector],
                    &mut second.0[vector],
                );
            }
        }
    }

    fn vector(
        self,
        param: &mut f32x16,
        gradient: &mut f32x16,
        first: &mut f32x16,
        second: &mut f32x16,
    ) {
        *first = *first * BETA_1 + *gradient * (1.0 - BETA_1);
        *second = *second * BETA_2 + *gradient * *gradient * (1.0 - BETA_2);
        *gradient = f32x16::ZERO;
        let change = *first / self.first / ((*second / self.second).sqrt() + EPSILON);
        let moved = *param * (1.0 - self.rate * DECAY) - change * self.rate;
        *param = moved.fast_max(f32x16::splat(-CLIP)).fast_min(f32x16::splat(CLIP));
    }
}
