//! The network in floating point, split into slices of hidden neurons.
//!
//! A [`Slice`] holds [`LANES`] hidden neurons: their row of the first layer for every input, their
//! biases and their weights in every direct output and every second layer. Slices meet only in the
//! sums of these, so each is trained by one thread, and its first layer fits in that thread's
//! cache. What lies behind is small: a [`Head`] for each bucket.

use std::ops::Range;

use heddle::eval::nnue::features::{BOARD_INPUTS, INPUTS};
use heddle::eval::nnue::further::{FURTHER_INPUTS, MOBILITY};
use heddle::eval::nnue::head::SECOND;
use heddle::eval::nnue::network::{BLOCK, BUCKETS, HIDDEN, SEEING};
use rand::{Rng, RngExt};
use wide::f32x16;

use crate::head::Head;

/// Hidden neurons per slice: those whose products are made together.
pub const LANES: usize = BLOCK;
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
/// The first row of the weights of the products, one for each bucket.
pub const OUTPUTS: usize = INPUTS + 1;
/// The first row of the second layers' weights: one for each bucket and neuron.
pub const SECOND_LAYER: usize = OUTPUTS + BUCKETS;
/// The first row of pieces on squares, wherever the king is: a part of the rows of all king
/// buckets.
pub const FACTOR: usize = SECOND_LAYER + BUCKETS * SECOND;
/// The first row of pieces on ranks and files.
pub const PLACED_LINES: usize = FACTOR + BOARD_INPUTS;
/// Rows of a slice whose neurons do not see further inputs: inputs, biases, those of each bucket's
/// weighted sum and second layer, and what the inputs share.
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

/// The row of the direct output's weights: a vector for the products of each view.
#[must_use]
pub fn output_row(bucket: u8) -> usize {
    OUTPUTS + usize::from(bucket)
}

/// The rows of the second layer's weights, a row for each neuron, likewise.
#[must_use]
pub fn second_rows(bucket: u8) -> Range<usize> {
    let first = SECOND_LAYER + usize::from(bucket) * SECOND;
    first..first + SECOND
}

/// All trained parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The hidden neurons.
    pub slices: Vec<Slice>,
    /// The direct outputs' biases, by bucket; the rest is unused.
    pub bias: f32x16,
    /// The small layers, by bucket.
    pub heads: [Head; BUCKETS],
}

impl Params {
    /// All zero.
    #[must_use]
    pub fn zero() -> Self {
        Self {
            slices: (0..SLICES).map(Slice::zero).collect(),
            bias: f32x16::ZERO,
            heads: [Head::ZERO; BUCKETS],
        }
    }

    /// An untrained network.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Self {
        Self {
            slices: (0..SLICES).map(|number| Slice::random(number, rng)).collect(),
            bias: f32x16::ZERO,
            heads: std::array::from_fn(|_| Head::random(rng)),
        }
    }

    /// What lies behind the slices: the direct outputs' biases and the small layers.
    pub fn behind(&self) -> impl Iterator<Item = &f32x16> {
        [&self.bias].into_iter().chain(self.heads.iter().flat_map(Head::vectors))
    }

    /// The same vectors, mutably.
    pub fn behind_mut(&mut self) -> impl Iterator<Item = &mut f32x16> {
        [&mut self.bias].into_iter().chain(self.heads.iter_mut().flat_map(Head::vectors_mut))
    }

    /// All numbers in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = f32> {
        let rows = self.slices.iter().flat_map(|slice| slice.0.iter());
        rows.flat_map(|row| &row.0).chain(self.behind()).flat_map(|vector| vector.to_array())
    }

    /// All numbers in the same order, mutably.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let Self { slices, bias, heads } = self;
        let rows = slices.iter_mut().flat_map(|slice| slice.0.iter_mut());
        let vectors = rows.flat_map(|row| &mut row.0).chain([bias]);
        vectors.chain(heads.iter_mut().flat_map(Head::vectors_mut)).flat_map(f32x16::as_mut_array)
    }
}
