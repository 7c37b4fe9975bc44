//! Forward and backward through one slice.
//!
//! The activation is the squared clipped rectifier, `clamp(x, 0, 1)²`. A slice adds up the rows of
//! the inputs that are on, for either view, and says what its neurons contribute to the output;
//! backward, the sums are still at hand. Inputs are few and known, so both ways go over their
//! rows alone.

use wide::f32x16;

use crate::params::{BIAS, Row, Slice, VECTORS, output_row};
use crate::sample::Sample;

/// The sums of one position's two views.
pub type Sums = [Row; 2];

/// Adds up the first layer for one sample and returns the slice's share of the output.
pub fn forward(slice: &Slice, sample: &Sample, sums: &mut Sums) -> f32 {
    let mut output = f32x16::ZERO;
    for (view, sum) in sums.iter_mut().enumerate() {
        *sum = gather(slice, sample.inputs(view));
        let weights = &slice.0[output_row(sample.bucket, view)];
        for (sum, weight) in sum.0.iter().zip(weights.0) {
            let active = clip(*sum);
            output += active * active * weight;
        }
    }
    output.reduce_add()
}

/// Adds to `gradient` what an error of `slope` (the loss by the output) teaches.
pub fn backward(slice: &Slice, sample: &Sample, sums: &Sums, slope: f32, gradient: &mut Slice) {
    let slope = f32x16::splat(slope);
    for (view, sum) in sums.iter().enumerate() {
        let row = output_row(sample.bucket, view);
        let weights = &slice.0[row];
        let learnt = &mut gradient.0[row];
        let mut back = Row::ZERO;
        for vector in 0..VECTORS {
            let active = clip(sum.0[vector]);
            learnt.0[vector] += slope * active * active;
            // Where the rectifier clips, nothing is learnt.
            let open = active.simd_eq(sum.0[vector]);
            back.0[vector] = slope * weights.0[vector] * (active + active) & open;
        }
        scatter(gradient, sample.inputs(view), &back);
    }
}

fn clip(sum: f32x16) -> f32x16 {
    sum.fast_max(f32x16::ZERO).fast_min(f32x16::ONE)
}

/// The bias and the rows of `inputs`, added up.
fn gather(slice: &Slice, inputs: &[u16]) -> Row {
    let mut sum = slice.0[BIAS];
    for &input in inputs {
        add(&mut sum, &slice.0[usize::from(input)]);
    }
    sum
}

/// Adds `back` to the bias and to the rows of `inputs`.
fn scatter(gradient: &mut Slice, inputs: &[u16], back: &Row) {
    add(&mut gradient.0[BIAS], back);
    for &input in inputs {
        add(&mut gradient.0[usize::from(input)], back);
    }
}

fn add(sum: &mut Row, row: &Row) {
    for vector in 0..VECTORS {
        sum.0[vector] += row.0[vector];
    }
}
