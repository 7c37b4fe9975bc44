//! Forward and backward pass through one slice.
//!
//! The activation is the squared clipped rectifier, `clamp(x, 0, 1)²`. A slice adds up the rows of
//! the active inputs, for both views, and returns its neurons' contribution to the direct output and to the second
//! layer; the sums are kept for the backward pass. Few inputs are active, so both passes visit only their rows.

use wide::f32x16;

use crate::params::{BIAS, Row, Slice, VECTORS, WIDTH, output_row, second_rows};
use crate::sample::Sample;

/// The first layer's sums for both views of a position.
pub type Sums = [Row; 2];

/// A slice's contribution to what comes behind it, or the derivatives of the loss with respect to that.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The direct output.
    pub direct: f32,
    /// The sums of the second layer.
    pub second: f32x16,
}

impl Share {
    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        self.direct += other.direct;
        self.second += other.second;
    }
}

/// Computes the first layer for one sample and returns the slice's contribution.
pub fn forward(slice: &Slice, sample: &Sample, sums: &mut Sums) -> Share {
    *sums = gather(slice, sample);
    let mut direct = f32x16::ZERO;
    let mut second = [f32x16::ZERO; WIDTH];
    for (view, sum) in sums.iter().enumerate() {
        let squares = squares(sum);
        let weights = &slice.0[output_row(sample.bucket, view)];
        let rows = &slice.0[second_rows(sample.bucket, view)];
        for vector in 0..VECTORS {
            direct = squares[vector].mul_add(weights.0[vector], direct);
            for (neuron, row) in second.iter_mut().zip(rows) {
                *neuron = squares[vector].mul_add(row.0[vector], *neuron);
            }
        }
    }
    let second = f32x16::new(second.map(|products| products.reduce_add()));
    Share { direct: direct.reduce_add(), second }
}

/// Adds the sample's contribution to `gradient`; `slope` has the derivatives of the loss.
pub fn backward(slice: &Slice, sample: &Sample, sums: &Sums, slope: &Share, gradient: &mut Slice) {
    let direct = f32x16::splat(slope.direct);
    let slopes = slope.second.to_array();
    let mut back = [Row::ZERO; 2];
    for (view, (sum, back)) in sums.iter().zip(&mut back).enumerate() {
        let squares = squares(sum);
        let row = output_row(sample.bucket, view);
        // The derivative with respect to the squares.
        let mut steep = slice.0[row].0.map(|weights| direct * weights);
        for (learnt, square) in gradient.0[row].0.iter_mut().zip(squares) {
            *learnt = direct.mul_add(square, *learnt);
        }
        let rows = second_rows(sample.bucket, view);
        let learnt = &mut gradient.0[rows.clone()];
        for ((row, learnt), slope) in slice.0[rows].iter().zip(learnt).zip(slopes) {
            if slope == 0.0 {
                continue; // a neuron that is silent or full, as half of them are
            }
            let slope = f32x16::splat(slope);
            for vector in 0..VECTORS {
                steep[vector] = slope.mul_add(row.0[vector], steep[vector]);
                learnt.0[vector] = slope.mul_add(squares[vector], learnt.0[vector]);
            }
        }
        for vector in 0..VECTORS {
            let active = clip(sum.0[vector]);
            // Where the rectifier clips, the gradient is zero.
            let open = active.simd_eq(sum.0[vector]);
            back.0[vector] = (steep[vector] * (active + active)) & open;
        }
    }
    scatter(gradient, sample, &back);
}

/// The squares of the clipped sums.
fn squares(sums: &Row) -> [f32x16; VECTORS] {
    sums.0.map(|sum| {
        let active = clip(sum);
        active * active
    })
}

fn clip(sum: f32x16) -> f32x16 {
    sum.fast_max(f32x16::ZERO).fast_min(f32x16::ONE)
}

/// The sum of the bias and the rows of the active inputs, for both views at once: two independent
/// chains of additions use the processor better than one after the other.
fn gather(slice: &Slice, sample: &Sample) -> Sums {
    let mut sums = [slice.0[BIAS]; 2];
    for (&own, &their) in sample.placed(0).iter().zip(sample.placed(1)) {
        sums[0].add(&slice.0[usize::from(own)]);
        sums[1].add(&slice.0[usize::from(their)]);
    }
    let further = slice.further();
    if !further.is_empty() {
        for (&own, &their) in sample.further(0).iter().zip(sample.further(1)) {
            sums[0].add(&further[usize::from(own)]);
            sums[1].add(&further[usize::from(their)]);
        }
    }
    sums
}

/// Adds `back` to the bias and to the rows of the active inputs.
fn scatter(gradient: &mut Slice, sample: &Sample, back: &Sums) {
    for (view, back) in back.iter().enumerate() {
        gradient.0[BIAS].add(back);
        for &input in sample.placed(view) {
            gradient.0[usize::from(input)].add(back);
        }
        let further = gradient.further_mut();
        if !further.is_empty() {
            for &input in sample.further(view) {
                further[usize::from(input)].add(back);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::packed::PackedSample;
    use crate::params::{LANES, ROWS, WIDTH};

    fn sample() -> Sample {
        let fen = "r1bqk2r/ppp2ppp/2n2n2/2bpp3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6";
        let position = Position::from_fen(fen).unwrap();
        let sample = PackedSample::new(&position, 0.5).unpack();
        assert!(!sample.further(0).is_empty());
        sample
    }

    /// The direct output and, weighted, the second layer.
    fn output(slice: &Slice) -> f32 {
        let share = forward(slice, &sample(), &mut [Row::ZERO; 2]);
        share.direct + (share.second * slope().second).reduce_add()
    }

    fn slope() -> Share {
        let second = f32x16::new(std::array::from_fn(|i| 0.1 * i as f32 - 0.5));
        Share { direct: 1.0, second }
    }

    #[test]
    fn an_empty_network_outputs_zero() {
        assert_eq!(output(&Slice::zero(0)), 0.0);
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_output() {
        const NUDGE: f32 = 1e-3;
        let mut slice = Slice::zero(0);
        Slice::random(0, &mut Pcg64::new(1, 1)).merge(&mut slice);
        let mut sums = [Row::ZERO; 2];
        forward(&slice, &sample(), &mut sums);
        let mut gradient = Slice::zero(0);
        backward(&slice, &sample(), &sums, &slope(), &mut gradient);
        let mut steep = 0;
        let mut nudged = slice.clone();
        for (row, lane) in (0..ROWS).flat_map(|row| (0..LANES).map(move |lane| (row, lane))) {
            let at = |slice: &Slice| slice.0[row].0[lane / WIDTH].to_array()[lane % WIDTH];
            let mut output_at = |by: f32| {
                nudged.0[row].0[lane / WIDTH].as_mut_array()[lane % WIDTH] = at(&slice) + by;
                output(&nudged)
            };
            let found = (output_at(NUDGE) - output_at(-NUDGE)) / (2.0 * NUDGE);
            output_at(0.0);
            let said = at(&gradient);
            assert!((found - said).abs() < 1e-3, "row {row}: {found}, not {said}");
            steep += usize::from(said.abs() > 1e-2);
        }
        assert!(steep > 5, "only {steep} weights matter");
    }
}
