//! Forward and backward pass through one slice.
//!
//! A slice adds up the rows of the active inputs, for both views, and multiplies its neurons'
//! clipped sums in pairs. It returns what the products contribute to the direct output and to the
//! second layer; the sums are kept for the backward pass. Few inputs are active, so both passes
//! visit only their rows.

use heddle::eval::nnue::features::INPUTS;
use heddle::eval::nnue::further::FURTHER_INPUTS;
use wide::f32x16;

use crate::head::clip;
use crate::occurrences::Occurrences;
use crate::params::{BIAS, Row, Slice, VECTORS, WIDTH, output_row, second_rows};
use crate::sample::Sample;

/// The first layer's sums for both views of a position.
pub type Sums = [Row; 2];

/// The products of both views; a row of what comes behind has a vector for each, too.
pub type Products = [f32x16; 2];
const _: () = assert!(VECTORS == 2, "the first vector of a block times the second");

/// A slice's contribution to what comes behind it, or the derivatives of the loss with respect to
/// that.
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
    let products = products(sums);
    let weighted = |row: &Row| products[0].mul_add(row.0[0], products[1] * row.0[1]).reduce_add();
    let mut second = [0.0; WIDTH];
    for (neuron, row) in second.iter_mut().zip(&slice.0[second_rows(sample.bucket)]) {
        *neuron = weighted(row);
    }
    let direct = weighted(&slice.0[output_row(sample.bucket)]);
    Share { direct, second: f32x16::new(second) }
}

/// Adds the sample's contribution to `gradient`, but for the rows of the active inputs, and turns
/// the `sums` into the derivatives with respect to them; `slope` has the derivatives of the loss.
pub fn backward(
    slice: &Slice,
    sample: &Sample,
    sums: &mut Sums,
    slope: &Share,
    gradient: &mut Slice,
) {
    let products = products(sums);
    let steep = behind(slice, sample.bucket, slope, |row, slope| {
        for (learnt, product) in gradient.0[row].0.iter_mut().zip(products) {
            *learnt = slope.mul_add(product, *learnt);
        }
    });
    for (sums, steep) in sums.iter_mut().zip(steep) {
        let clipped = sums.0.map(clip);
        for (vector, sum) in sums.0.iter_mut().enumerate() {
            // Where the rectifier clips, the gradient is zero.
            let open = clipped[vector].simd_eq(*sum);
            *sum = (steep * clipped[1 - vector]) & open;
        }
        gradient.0[BIAS].add(sums);
    }
}

/// The derivatives with respect to the products. Visits the rows of weights behind them, each with
/// its slope.
#[inline(always)]
fn behind(
    slice: &Slice,
    bucket: u8,
    slope: &Share,
    mut visit: impl FnMut(usize, f32x16),
) -> Products {
    let mut steep = [f32x16::ZERO; 2];
    let mut weigh = |row: usize, slope: f32| {
        let slope = f32x16::splat(slope);
        visit(row, slope);
        for (steep, weight) in steep.iter_mut().zip(slice.0[row].0) {
            *steep = slope.mul_add(weight, *steep);
        }
    };
    weigh(output_row(bucket), slope.direct);
    for (row, slope) in second_rows(bucket).zip(slope.second.to_array()) {
        if slope != 0.0 {
            weigh(row, slope); // half of the neurons are silent or full
        }
    }
    steep
}

/// How much each pair of neurons contributes, by both views, to that of which `slope` has the
/// derivatives.
pub fn contributions(slice: &Slice, bucket: u8, sums: &Sums, slope: &Share) -> f32x16 {
    let (products, steep) = (products(sums), behind(slice, bucket, slope, |_, _| {}));
    (products[0] * steep[0]).abs() + (products[1] * steep[1]).abs()
}

/// The products of both views of a sample.
pub fn products_of(slice: &Slice, sample: &Sample) -> Products {
    products(&gather(slice, sample))
}

/// The products of the clipped sums.
fn products(sums: &Sums) -> Products {
    sums.each_ref().map(|sums| clip(sums.0[0]) * clip(sums.0[1]))
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

/// Where the inputs of some samples are active.
#[derive(Debug, Default)]
pub struct Inputs {
    placed: Occurrences,
    further: Occurrences,
}

impl Inputs {
    /// Takes those of `samples`.
    pub fn fill(&mut self, samples: &[Sample]) {
        let Self { placed, further } = self;
        rayon::join(
            || placed.fill(samples, INPUTS, Sample::placed),
            || further.fill(samples, FURTHER_INPUTS, Sample::further),
        );
    }
}

/// Adds the derivatives with respect to the sums of samples to the rows of their active inputs.
pub fn scatter(gradient: &mut Slice, slopes: &[Sums], inputs: &Inputs) {
    let slopes = slopes.as_flattened();
    let add = |rows: &mut [Row], occurrences: &Occurrences| {
        for (input, views) in occurrences.iter() {
            let mut sum = rows[input];
            views.iter().for_each(|&view| sum.add(&slopes[view as usize]));
            rows[input] = sum;
        }
    };
    add(&mut gradient.0, &inputs.placed);
    let further = gradient.further_mut();
    if !further.is_empty() {
        add(further, &inputs.further);
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;

    use super::*;
    use crate::params::{LANES, ROWS, WIDTH};
    use crate::sample::examples;

    fn sample() -> Sample {
        let [sample, _] = examples();
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
        backward(&slice, &sample(), &mut sums, &slope(), &mut gradient);
        let mut inputs = Inputs::default();
        inputs.fill(&[sample()]);
        scatter(&mut gradient, &[sums], &inputs);
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
