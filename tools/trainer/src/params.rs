//! The network in floating point, split into slices of hidden neurons.
//!
//! A [`Slice`] holds [`LANES`] hidden neurons: their row of the first layer for every input, their
//! biases and their weights in every second layer. Slices meet only in the sum of their outputs, so
//! each is trained by one thread, and its first layer fits in that thread's cache.

use std::ops::Range;

use heddle::eval::nnue::features::{BOARD_INPUTS, INPUTS};
use heddle::eval::nnue::further::{FURTHER_INPUTS, MOBILITY};
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

/// Ranks or files, and squares of one.
pub const SIDE: usize = 8;
/// Squares of the board.
pub const SQUARES: usize = SIDE * SIDE;
/// Lines of the board: ranks and files.
pub const LINES: usize = 2 * SIDE;

/// Rows of the lines of these inputs, which are kinds of pieces on squares.
const fn lines_of(inputs: usize) -> usize {
    inputs / SQUARES * LINES
}

/// The row of the first layer's biases.
pub const BIAS: usize = INPUTS;
/// The first row of pieces on squares, wherever the king is: a part of the rows of all king
/// buckets.
pub const FACTOR: usize = INPUTS + 1 + 2 * BUCKETS;
/// The first row of pieces on ranks and files.
pub const PLACED_LINES: usize = FACTOR + BOARD_INPUTS;
/// Rows of a slice whose neurons do not see further inputs: inputs, biases, two views for each
/// bucket, and what the inputs share.
pub const BLIND_ROWS: usize = PLACED_LINES + lines_of(BOARD_INPUTS);
/// The first row of what further inputs of squares share: their ranks and files.
pub const FURTHER_LINES: usize = BLIND_ROWS + FURTHER_INPUTS;
/// Rows of the first slices, whose neurons see further inputs: theirs come last.
pub const ROWS: usize = FURTHER_LINES + lines_of(MOBILITY);
/// All rows.
pub const ALL_ROWS: Range<usize> = 0..ROWS;
/// What sees a piece alike wherever the king is: all but the inputs' own rows.
pub const SHARED_ROWS: Range<usize> = BIAS..ROWS;
/// The rows of further inputs, and what these share.
pub const FURTHER_ROWS: Range<usize> = BLIND_ROWS..ROWS;
/// Slices that see further inputs: the first ones.
pub const SEEING_SLICES: usize = SEEING / LANES;
const _: () = assert!(SEEING.is_multiple_of(LANES), "a slice sees further inputs or does not");

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

    /// Brings every number within ±`limit`.
    pub fn clip(&mut self, limit: f32) {
        let limit = f32x16::splat(limit);
        for vector in &mut self.0 {
            *vector = vector.fast_max(-limit).fast_min(limit);
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

    /// Random weights for slice `number`, small enough that rarely active inputs do no harm; zero
    /// biases, and zeros for lines and further inputs.
    #[must_use]
    pub fn random(number: usize, rng: &mut impl Rng) -> Self {
        let mut slice = Self::zero(number);
        for (index, row) in slice.0.iter_mut().enumerate() {
            let limit = match index {
                _ if index <= BIAS || index >= PLACED_LINES => continue,
                _ if index >= FACTOR => 1.0 / (BOARD_INPUTS as f32).sqrt(),
                _ => 1.0 / (2.0 * HIDDEN as f32).sqrt(),
            };
            row.0.fill_with(|| {
                f32x16::new(std::array::from_fn(|_| rng.random_range(-limit..limit)))
            });
        }
        slice
    }

    /// The rows of further inputs; none if its neurons do not see them.
    #[must_use]
    pub fn further(&self) -> &[Row] {
        self.0.get(BLIND_ROWS..FURTHER_LINES).unwrap_or_default()
    }

    /// The rows of further inputs, mutably.
    pub fn further_mut(&mut self) -> &mut [Row] {
        self.0.get_mut(BLIND_ROWS..FURTHER_LINES).unwrap_or_default()
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

    /// Lets the slices that a narrower network lacked learn: their first layer becomes random.
    /// Their second layers stay zero, so that the output stays what it was. Source: the growth that
    /// keeps a network's function, T. Chen, I. Goodfellow and J. Shlens, "Net2Net", 2016.
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
