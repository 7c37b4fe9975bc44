//! The small layers in training: forward and backward pass of one sample.

use heddle::eval::nnue::head::{SECOND, THIRD, THIRD_INPUTS};
use rand::{Rng, RngExt};
use wide::f32x16;

const _: () =
    assert!(size_of::<[f32; SECOND]>() == size_of::<f32x16>(), "a vector holds the layer");

/// Vectors of the third layer.
const VECTORS: usize = THIRD / SECOND;
/// The first weights of the third layer, of either sign, are smaller than this.
const LIMIT: f32 = 0.25;
/// The first biases: most neurons should be neither silent nor full.
const OPEN: f32 = 0.25;

/// One number per neuron of the third layer.
type Third = [f32x16; VECTORS];

/// The small layers of a bucket, or their gradient.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Head {
    /// The second layer's biases.
    pub second_bias: f32x16,
    /// The third layer's weights, input by input.
    pub third: [Third; THIRD_INPUTS],
    /// The third layer's biases.
    pub third_bias: Third,
    /// The output's weights.
    pub last: Third,
}

/// What the backward pass needs of the forward one.
pub struct Passed {
    /// The second layer before it is clipped.
    second: f32x16,
    /// Likewise the third one.
    third: Third,
    /// The output.
    pub output: f32,
}

impl Head {
    /// All zero.
    pub const ZERO: Self = Self {
        second_bias: f32x16::ZERO,
        third: [[f32x16::ZERO; VECTORS]; THIRD_INPUTS],
        third_bias: [f32x16::ZERO; VECTORS],
        last: [f32x16::ZERO; VECTORS],
    };

    /// Random weights, but for the last, which are zero.
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut head = Self::ZERO;
        for vector in head.third.as_flattened_mut() {
            *vector = f32x16::new(std::array::from_fn(|_| rng.random_range(-LIMIT..LIMIT)));
        }
        head.second_bias = f32x16::splat(OPEN);
        head.third_bias = [f32x16::splat(OPEN); VECTORS];
        head
    }

    /// All its vectors, in a fixed order: that of a network's file.
    pub fn vectors(&self) -> impl Iterator<Item = &f32x16> {
        let third = self.third.as_flattened().iter();
        [&self.second_bias].into_iter().chain(third).chain(&self.third_bias).chain(&self.last)
    }

    /// The same vectors, mutably.
    pub fn vectors_mut(&mut self) -> impl Iterator<Item = &mut f32x16> {
        let third = self.third.as_flattened_mut().iter_mut();
        let bias = [&mut self.second_bias].into_iter();
        bias.chain(third).chain(&mut self.third_bias).chain(&mut self.last)
    }

    /// Computes the output, given the second layer's sums without its biases.
    pub fn forward(&self, sums: f32x16) -> Passed {
        let second = sums + self.second_bias;
        let mut third = self.third_bias;
        for (input, weights) in inputs(second).into_iter().zip(&self.third) {
            let input = f32x16::splat(input);
            for (sum, weights) in third.iter_mut().zip(weights) {
                *sum = input.mul_add(*weights, *sum);
            }
        }
        let mut output = f32x16::ZERO;
        for (sum, weights) in third.iter().zip(self.last) {
            let active = clip(*sum);
            output += active * active * weights;
        }
        Passed { second, third, output: output.reduce_add() }
    }

    /// Adds the sample's contribution to `gradient` and returns the derivatives with respect to the
    /// second layer's sums; `slope` is that of the loss with respect to the output.
    pub fn backward(&self, passed: &Passed, slope: f32, gradient: &mut Self) -> f32x16 {
        let slope = f32x16::splat(slope);
        let mut back = [f32x16::ZERO; VECTORS];
        for (i, back) in back.iter_mut().enumerate() {
            let active = clip(passed.third[i]);
            gradient.last[i] += slope * active * active;
            let open = active.simd_eq(passed.third[i]);
            *back = (slope * self.last[i] * (active + active)) & open;
            gradient.third_bias[i] += *back;
        }
        let inputs = inputs(passed.second);
        let mut slopes = [0.0; THIRD_INPUTS];
        for (i, weights) in self.third.iter().enumerate() {
            let input = f32x16::splat(inputs[i]);
            let mut sum = f32x16::ZERO;
            for (vector, weights) in weights.iter().enumerate() {
                gradient.third[i][vector] = input.mul_add(back[vector], gradient.third[i][vector]);
                sum = weights.mul_add(back[vector], sum);
            }
            slopes[i] = sum.reduce_add();
        }
        let [linear, squared] =
            [0, SECOND].map(|first| f32x16::new(std::array::from_fn(|i| slopes[first + i])));
        let active = clip(passed.second);
        let back = (linear + squared * (active + active)) & active.simd_eq(passed.second);
        gradient.second_bias += back;
        back
    }
}

/// The inputs of the third layer.
fn inputs(second: f32x16) -> [f32; THIRD_INPUTS] {
    let clipped = clip(second);
    let (linear, squares) = (clipped.to_array(), (clipped * clipped).to_array());
    std::array::from_fn(|i| if i < SECOND { linear[i] } else { squares[i - SECOND] })
}

/// Between 0 and 1.
pub fn clip(sum: f32x16) -> f32x16 {
    sum.fast_max(f32x16::ZERO).fast_min(f32x16::ONE)
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;

    use super::*;

    /// A head all of whose numbers are random, and sums for its second layer.
    fn head() -> (Head, f32x16) {
        let mut rng = Pcg64::new(5, 1);
        let mut number = || f32x16::new(std::array::from_fn(|_| rng.random_range(-0.3..0.3)));
        let mut head = Head::ZERO;
        head.vectors_mut().for_each(|vector| *vector = number());
        (head, number() + f32x16::splat(0.4))
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_output() {
        const NUDGE: f32 = 1e-3;
        let (head, sums) = head();
        let mut gradient = Head::ZERO;
        let back = head.backward(&head.forward(sums), 1.0, &mut gradient);
        let mut steep = 0;
        let mut check = |found: f32, said: f32| {
            assert!((found - said).abs() < 2e-3, "{found}, not {said}");
            steep += usize::from(said.abs() > 1e-2);
        };
        let vectors = head.vectors().count();
        for (index, lane) in
            (0..vectors).flat_map(|index| (0..SECOND).map(move |lane| (index, lane)))
        {
            let output_at = |by: f32| {
                let mut nudged = head;
                let vector = nudged.vectors_mut().nth(index).unwrap();
                vector.as_mut_array()[lane] += by;
                nudged.forward(sums).output
            };
            let found = (output_at(NUDGE) - output_at(-NUDGE)) / (2.0 * NUDGE);
            check(found, gradient.vectors().nth(index).unwrap().to_array()[lane]);
        }
        for lane in 0..SECOND {
            let output_at = |by: f32| {
                let mut nudged = sums;
                nudged.as_mut_array()[lane] += by;
                head.forward(nudged).output
            };
            let found = (output_at(NUDGE) - output_at(-NUDGE)) / (2.0 * NUDGE);
            check(found, back.to_array()[lane]);
        }
        assert!(steep > 100, "only {steep} numbers matter");
    }
}
