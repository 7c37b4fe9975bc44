//! The small layers behind the first one.
//!
//! The products of both views feed 16 neurons, these 32, and these one output, which is added to
//! the direct one. A direct output weighs every product once; the small layers see which of them
//! occur together. Groups of products that are all zero are skipped. Each output bucket has its
//! own.
//!
//! Source: the small layers of Stockfish's networks (SFNNv5, 2022), their direct output too.

use super::row::{ACTIVE_ONE, PAIRS};

/// Neurons of the second layer.
pub const SECOND: usize = 16;
/// Inputs of the third layer: the second layer's clipped outputs, and their squares.
pub const THIRD_INPUTS: usize = 2 * SECOND;
/// Neurons of the third layer.
pub const THIRD: usize = 32;
/// Inputs of the second layer that are multiplied at a time, and skipped if all are zero.
pub const GROUP: usize = 4;
/// Groups of inputs of the second layer.
pub const GROUPS: usize = 2 * PAIRS / GROUP;
/// Numbers of the small layers but for the second layer's weights.
pub const SMALL_NUMBERS: usize = SECOND + (THIRD_INPUTS + 2) * THIRD;
const _: () = assert!(PAIRS.is_multiple_of(GROUP));

/// The value of 1.0 in the second layer's weights.
pub const QC: i32 = 64;
/// The largest weight of the second layer: two products of it fit together in 16 bits.
pub const MAX_GROUP_WEIGHT: i8 = i8::MAX;
/// The largest number in the small layers, far more than training gives: no output leaves 32 bits.
pub const MAX_SMALL: f32 = 64.0;
/// The unit of the second layer's sums.
const UNIT: f32 = 1.0 / (ACTIVE_ONE * QC) as f32;
/// Partial sums of the output, so that vectors can add them; their number fixes the order of
/// additions.
const PARTS: usize = 8;

/// The weights of a group of inputs: for each neuron of the second layer those of the group's
/// inputs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct GroupWeights(pub [i8; SECOND * GROUP]);

/// The small layers of one bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The second layer's weights, in units of 1 / [`QC`]; [`GROUPS`] groups.
    pub second: Box<[GroupWeights]>,
    /// The second layer's biases.
    pub second_bias: [f32; SECOND],
    /// The third layer's weights, input by input.
    pub third: [[f32; THIRD]; THIRD_INPUTS],
    /// The third layer's biases.
    pub third_bias: [f32; THIRD],
    /// The output's weights.
    pub last: [f32; THIRD],
}

impl Default for Head {
    /// One whose output is zero.
    fn default() -> Self {
        Self {
            second: vec![GroupWeights([0; SECOND * GROUP]); GROUPS].into_boxed_slice(),
            second_bias: [0.0; SECOND],
            third: [[0.0; THIRD]; THIRD_INPUTS],
            third_bias: [0.0; THIRD],
            last: [0.0; THIRD],
        }
    }
}

/// The group of an input's weight for a neuron of the second layer, and its place there.
const fn place(input: usize, neuron: usize) -> (usize, usize) {
    (input / GROUP, neuron * GROUP + input % GROUP)
}

/// Takes the lowest of some bits, of which there are any, and returns its place.
#[inline(always)]
pub(super) fn take_lowest(bits: &mut u64) -> usize {
    let place = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    place
}

impl Head {
    /// The weight of an input for a neuron of the second layer.
    pub fn weight(&self, input: usize, neuron: usize) -> i8 {
        let (group, place) = place(input, neuron);
        self.second[group].0[place]
    }

    /// The same weight, mutably.
    pub fn weight_mut(&mut self, input: usize, neuron: usize) -> &mut i8 {
        let (group, place) = place(input, neuron);
        &mut self.second[group].0[place]
    }

    /// All numbers but the second layer's weights, in the order of the file.
    pub fn small(&self) -> impl Iterator<Item = &f32> {
        let third = self.third.iter().flatten();
        self.second_bias.iter().chain(third).chain(&self.third_bias).chain(&self.last)
    }

    /// The same numbers, mutably.
    pub fn small_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let third = self.third.iter_mut().flatten();
        let biases = self.second_bias.iter_mut();
        biases.chain(third).chain(&mut self.third_bias).chain(&mut self.last)
    }

    /// Whether no sum can overflow.
    pub fn is_in_range(&self) -> bool {
        let mut weights = self.second.iter().flat_map(|group| group.0);
        weights.all(|weight| weight >= -MAX_GROUP_WEIGHT)
            && self.small().all(|number| number.abs() <= MAX_SMALL)
    }

    /// The output, given the second layer's `sums` without its biases. The order of additions is
    /// fixed, so every processor gives the same number.
    #[inline(always)]
    pub fn output(&self, sums: &[i32; SECOND]) -> f32 {
        let mut clipped = [0.0; SECOND];
        for ((clipped, &sum), bias) in clipped.iter_mut().zip(sums).zip(self.second_bias) {
            *clipped = (sum as f32 * UNIT + bias).clamp(0.0, 1.0);
        }
        let awake = |(i, &input): (usize, &f32)| u64::from(input > 0.0) << i;
        let mut awake = clipped.iter().enumerate().map(awake).sum();
        let mut third = self.third_bias;
        // Bit by bit, for a test of every neuron would be foreseen only half of the time.
        while awake != 0 {
            let i = take_lowest(&mut awake);
            let (linear, squared) = (&self.third[i], &self.third[SECOND + i]);
            let (input, square) = (clipped[i], clipped[i] * clipped[i]);
            for ((sum, linear), squared) in third.iter_mut().zip(linear).zip(squared) {
                *sum += input * linear + square * squared;
            }
        }
        let mut parts = [0.0; PARTS];
        let neurons = third.as_chunks::<PARTS>().0.iter().zip(self.last.as_chunks::<PARTS>().0);
        for (sums, weights) in neurons {
            for (i, part) in parts.iter_mut().enumerate() {
                let clipped = sums[i].clamp(0.0, 1.0);
                *part += clipped * clipped * weights[i];
            }
        }
        parts.iter().sum()
    }
}
