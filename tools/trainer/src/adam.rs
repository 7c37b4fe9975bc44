//! AdamW: adaptive moments with decoupled weight decay.
//!
//! Source: I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization", 2019.

use std::ops::Range;

use heddle::eval::nnue::network::{BUCKETS, MAX_FIRST, QA};
use rayon::prelude::*;

use wide::f32x16;

use crate::head::Head;
use crate::params::{BIAS, BLIND_ROWS, FACTOR, PLACED_LINES, Params, Row, Slice, VECTORS};
use crate::sharing::{CLIP_FURTHER, pace};

/// Share of the first moment kept per step.
const BETA_1: f32 = 0.9;
/// Share of the second moment kept per step.
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Share of a weight that decays per step, per unit of the learning rate.
const DECAY: f32 = 0.01;
/// The largest absolute weight: the quantised second layer can hold it.
pub const CLIP: f32 = 1.94;
/// The largest absolute number in the small layers.
const CLIP_SMALL: f32 = 8.0;
/// The largest absolute weight of a piece on a square, wherever the king is.
const CLIP_FACTOR: f32 = 0.6;
/// The largest absolute weight of a piece on a rank or a file.
const CLIP_LINE: f32 = 0.24;
const _: () = assert!(
    (CLIP + CLIP_FACTOR + 2.0 * CLIP_LINE) * QA as f32 <= MAX_FIRST as f32,
    "an input's own row and those that it shares fit together"
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
struct Step {
    rate: f32,
    /// The rows that learn.
    rows: Range<usize>,
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
    /// Takes a step of size `rate` against `gradient`, and zeroes `gradient`. Only `rows` learn;
    /// with the first layer's biases, the second layers' too.
    pub fn step(
        &mut self,
        params: &mut Params,
        gradient: &mut Params,
        rate: f32,
        rows: Range<usize>,
    ) {
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let (first, second) = (1.0 - BETA_1.powi(power), 1.0 - BETA_2.powi(power));
        let step = Step { rate, rows, first, second };
        (&mut params.slices, &mut gradient.slices)
            .into_par_iter()
            .zip((&mut self.first.slices, &mut self.second.slices))
            .for_each(|((params, gradient), (first, second))| {
                step.slice(params, gradient, first, second);
            });
        if step.rows.contains(&BIAS) {
            let moments = (&mut self.first.bias, &mut self.second.bias);
            step.vector(&mut params.bias, &gradient.bias, moments, rate, CLIP);
            let params = params.heads.iter_mut().flat_map(Head::vectors_mut);
            let gradient = gradient.heads.iter().flat_map(Head::vectors);
            let first = self.first.heads.iter_mut().flat_map(Head::vectors_mut);
            let second = self.second.heads.iter_mut().flat_map(Head::vectors_mut);
            for ((param, gradient), moments) in params.zip(gradient).zip(first.zip(second)) {
                step.vector(param, gradient, moments, rate, CLIP_SMALL);
            }
        }
        gradient.bias = f32x16::ZERO;
        gradient.heads = [Head::ZERO; BUCKETS];
    }
}

impl Step {
    fn slice(
        &self,
        params: &mut Slice,
        gradient: &mut Slice,
        first: &mut Slice,
        second: &mut Slice,
    ) {
        let rows = params.0.iter_mut().zip(gradient.0.iter_mut());
        let moments = first.0.iter_mut().zip(second.0.iter_mut());
        for (index, ((param, gradient), (first, second))) in rows.zip(moments).enumerate() {
            if self.rows.contains(&index) {
                let clip = match index {
                    BLIND_ROWS.. => CLIP_FURTHER,
                    PLACED_LINES.. => CLIP_LINE,
                    FACTOR.. => CLIP_FACTOR,
                    _ => CLIP,
                };
                let rate = self.rate * pace(index);
                for vector in 0..VECTORS {
                    let moments = (&mut first.0[vector], &mut second.0[vector]);
                    self.vector(&mut param.0[vector], &gradient.0[vector], moments, rate, clip);
                }
            }
            *gradient = Row::ZERO;
        }
    }

    fn vector(
        &self,
        param: &mut f32x16,
        gradient: &f32x16,
        (first, second): (&mut f32x16, &mut f32x16),
        rate: f32,
        clip: f32,
    ) {
        *first = *first * BETA_1 + *gradient * (1.0 - BETA_1);
        *second = *second * BETA_2 + *gradient * *gradient * (1.0 - BETA_2);
        let change = *first / self.first / ((*second / self.second).sqrt() + EPSILON);
        let moved = *param * (1.0 - rate * DECAY) - change * rate;
        *param = moved.fast_max(f32x16::splat(-clip)).fast_min(f32x16::splat(clip));
    }
}
