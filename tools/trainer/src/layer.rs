//! Forward and backward pass through one slice.
//!
//! The activation is the squared clipped rectifier, `clamp(x, 0, 1)²`. A slice adds up the rows of
//! the active inputs, for both views, and returns its neurons' contribution to the output; the sums
//! are kept for the backward pass. Few inputs are active, so both passes visit only their rows.

use wide::f32x16;

use crate::params::{BIAS, Row, Slice, VECTORS, output_row};
use crate::sample::Sample;

/// The first layer's sums for both views of a position.
pub type Sums = [Row; 2];

/// Computes the first layer for one sample and returns the slice's contribution to the output.
pub fn forward(slice: &Slice, sample: &Sample, sums: &mut Sums) -> f32 {
    *sums = gather(slice, sample);
    let mut output = f32x16::ZERO;
    for (view, sum) in sums.iter().enumerate() {
        let weights = &slice.0[output_row(sample.bucket, view)];
        for (sum, weight) in sum.0.iter().zip(weights.0) {
            let active = clip(*sum);
            output += active * active * weight;
        }
    }
    output.reduce_add()
}

/// Adds the sample's contribution to `gradient`; `slope` is the derivative of the loss with respect
/// to the output.
pub fn backward(slice: &Slice, sample: &Sample, sums: &Sums, slope: f32, gradient: &mut Slice) {
    let slope = f32x16::splat(slope);
    let mut back = [Row::ZERO; 2];
    for (view, (sum, back)) in sums.iter().zip(&mut back).enumerate() {
        let row = output_row(sample.bucket, view);
        let weights = &slice.0[row];
        let learnt = &mut gradient.0[row];
        for vector in 0..VECTORS {
            let active = clip(sum.0[vector]);
            learnt.0[vector] += slope * active * active;
            // Where the rectifier clips, the gradient is zero.
            let open = active.simd_eq(sum.0[vector]);
            back.0[vector] = (slope * weights.0[vector] * (active + active)) & open;
        }
    }
    scatter(gradient, sample, &back);
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

    fn output(slice: &Slice) -> f32 {
        forward(slice, &sample(), &mut [Row::ZERO; 2])
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
        backward(&slice, &sample(), &sums, 1.0, &mut gradient);
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
