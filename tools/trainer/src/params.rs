//! The network in floating point, split into slices of hidden neurons.
//!
//! A [`Slice`] holds [`LANES`] hidden neurons: their row of the first layer for every input, their
//! biases and their weights in every second layer. Slices meet only in the sum of their outputs, so
//! each is trained by one thread, and its first layer fits in that thread's cache.

use std::ops::Range;

use heddle::eval::nnue::attacked::ATTACKED_INPUTS;
use heddle::eval::nnue::features::{BOARD_INPUTS, INPUTS};
use heddle::eval::nnue::network::{BUCKETS, HIDDEN, SEEING};
use rand::{Rng, RngExt};
use wide::f32x16;

/// Hidden neurons per slice.
pub const LANES: usize = 32;
/// Vectors per row.
pub const VECTORS: usize = LANES / WIDTH;
/// Numbers per vector.
pub const WIDTH: usize = 16;
/// Slices per network.
pub const SLICES: usize = HIDDEN / LANES;
const _: () = assert!(BUCKETS <= WIDTH, "the biases fit in one vector");
const _: () = assert!(HIDDEN.is_multiple_of(LANES), "the slices make up the hidden layer");

/// The row of the first layer's biases.
pub const BIAS: usize = INPUTS;
/// The first row of the factoriser: what the inputs of a piece on a square have in common, wherever the king is. A row of
/// the first layer is the sum of an input's own row and this one, so that a bucket that is seldom seen learns from
/// the others. Source: the factorised inputs of nnue-pytorch (Stockfish's trainer, 2020).
pub const FACTOR: usize = INPUTS + 1 + 2 * BUCKETS;
/// Rows of a slice whose neurons do not see attacked pieces: inputs, biases, two views for each bucket, and the factoriser.
pub const BLIND_ROWS: usize = FACTOR + BOARD_INPUTS;
/// Rows of the first slices, whose neurons see them: theirs come last.
pub const ROWS: usize = BLIND_ROWS + ATTACKED_INPUTS;
/// All rows.
pub const ALL_ROWS: Range<usize> = 0..ROWS;
/// What sees a piece alike wherever the king is: all but the inputs' own rows.
pub const SHARED_ROWS: Range<usize> = BIAS..ROWS;
/// The rows of attacked pieces.
pub const ATTACKED_ROWS: Range<usize> = BLIND_ROWS..ROWS;
/// Slices that see attacked pieces: the first ones.
pub const SEEING_SLICES: usize = SEEING / LANES;
const _: () = assert!(SEEING.is_multiple_of(LANES), "a slice sees attacked pieces or does not");

/// One number per hidden neuron of a slice.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Row(pub [f32x16; VECTORS]);

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([f32x16::ZERO; VECTORS]);

    /// Adds another row to this one.
    pub fn add(&mut self, other: &Self) {
        for vector in 0..VECTORS {
            self.0[vector] += other.0[vector];
        }
    }
}

/// The numbers of one slice of hidden neurons; [`ROWS`] or [`BLIND_ROWS`] rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice(pub Box<[Row]>);

impl Slice {
    /// All zero, for slice `number`.
    #[must_use]
    pub fn zero(number: usize) -> Self {
        let rows = if number < SEEING_SLICES { ROWS } else { BLIND_ROWS };
        Self(vec![Row::ZERO; rows].into_boxed_slice())
    }

    /// Random weights for slice `number`, small enough that rarely active inputs do no harm; zero biases, and zeros for
    /// attacked pieces.
    #[must_use]
    pub fn random(number: usize, rng: &mut impl Rng) -> Self {
        let mut slice = Self::zero(number);
        for (index, row) in slice.0.iter_mut().enumerate() {
            let limit = match index {
                _ if index <= BIAS || index >= BLIND_ROWS => continue,
                _ if index >= FACTOR => 1.0 / (BOARD_INPUTS as f32).sqrt(),
                _ => 1.0 / (2.0 * HIDDEN as f32).sqrt(),
            };
            row.0.fill_with(|| {
                f32x16::new(std::array::from_fn(|_| rng.random_range(-limit..limit)))
            });
        }
        slice
    }

    /// Adds the factoriser's rows to those of the inputs, into `merged`: the network as it plays.
    pub fn merge(&self, merged: &mut Self) {
        merged.0.copy_from_slice(&self.0);
        let (placed, rest) = merged.0.split_at_mut(INPUTS);
        let factors = rest[FACTOR - INPUTS..BLIND_ROWS - INPUTS].iter().cycle();
        placed.iter_mut().zip(factors).for_each(|(row, factor)| row.add(factor));
    }

    /// The rows of attacked pieces; none if its neurons do not see them.
    #[must_use]
    pub fn attacked(&self) -> &[Row] {
        &self.0[BLIND_ROWS..]
    }

    /// The rows of attacked pieces, mutably.
    pub fn attacked_mut(&mut self) -> &mut [Row] {
        &mut self.0[BLIND_ROWS..]
    }

    /// Gives the factoriser's rows the gradients of all inputs that share them.
    pub fn share(&mut self) {
        let (placed, rest) = self.0.split_at_mut(INPUTS);
        let factors = &mut rest[FACTOR - INPUTS..BLIND_ROWS - INPUTS];
        for bucket in placed.chunks(BOARD_INPUTS) {
            factors.iter_mut().zip(bucket).for_each(|(factor, row)| factor.add(row));
        }
    }
}

/// The row of the second layer's weights.
#[must_use]
pub fn output_row(bucket: u8, view: usize) -> usize {
    BIAS + 1 + 2 * usize::from(bucket) + view
}

/// All trained parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The hidden neurons.
    pub slices: Vec<Slice>,
    /// The second layers' biases, by bucket; the rest is unused.
    pub bias: f32x16,
}

impl Params {
    /// All zero.
    #[must_use]
    pub fn zero() -> Self {
        Self { slices: (0..SLICES).map(Slice::zero).collect(), bias: f32x16::ZERO }
    }

    /// An untrained network.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Self {
        Self {
            slices: (0..SLICES).map(|number| Slice::random(number, rng)).collect(),
            bias: f32x16::ZERO,
        }
    }

    /// Lets the slices that a narrower network lacked learn: their first layer becomes random. Their second
    /// layers stay zero, so that the output stays what it was. Source: the growth that keeps a network's function,
    /// T. Chen, I. Goodfellow and J. Shlens, "Net2Net", 2016.
    pub fn grow(&mut self, rng: &mut impl Rng) {
        for (number, slice) in self.slices.iter_mut().enumerate() {
            if *slice == Slice::zero(number) {
                *slice = Slice::random(number, rng);
                slice.0[BIAS..FACTOR].fill(Row::ZERO);
            }
        }
    }

    /// All numbers in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = f32> {
        let rows = self.slices.iter().flat_map(|slice| slice.0.iter());
        rows.flat_map(|row| row.0).flat_map(f32x16::to_array).chain(self.bias.to_array())
    }

    /// All numbers in the same order, mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let rows = self.slices.iter_mut().flat_map(|slice| slice.0.iter_mut());
        rows.flat_map(|row| &mut row.0)
            .flat_map(f32x16::as_mut_array)
            .chain(self.bias.as_mut_array())
    }
}
