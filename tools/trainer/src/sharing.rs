//! What the first layer's rows have in common.
//!
//! A row that few positions need learns little, and much of that is chance. But a knight on c3 is
//! worth about what it is worth on d3, and with the king in one corner what it is worth with the
//! king elsewhere. So a row of the network is a sum: its own weights, those of its piece on its
//! square wherever the king is, and those of its piece on its rank and on its file. A position
//! teaches every part. What many positions say alike is learnt by the common parts, which leave the
//! rest to the own ones. The engine needs none of this: the sums are its rows.
//!
//! Source: the factorised inputs of nnue-pytorch (Stockfish's trainer, 2020), whose virtual inputs
//! are pieces on squares.

use std::ops::Range;

use heddle::eval::nnue::features::{BOARD_INPUTS, INPUTS, KING_BUCKETS};
use heddle::eval::nnue::further::MOBILITY;
use heddle::eval::nnue::network::{MAX_FURTHER_WEIGHT, QA};

use crate::params::{
    BLIND_ROWS, FACTOR, FURTHER_LINES, LINES, PLACED_LINES, Row, SIDE, SQUARES, Slice,
};

/// The largest absolute weight in a row of a further input.
pub const CLIP_FURTHER: f32 = MAX_FURTHER_WEIGHT as f32 / QA as f32;

/// The rows of the rank and of the file of an input; the first line is row `first`.
fn lines(first: usize, input: usize) -> [usize; 2] {
    let (kind, square) = (input / SQUARES, input % SQUARES);
    let ranks = first + kind * LINES;
    [ranks + square / SIDE, ranks + SIDE + square % SIDE]
}

/// The share of the learning rate that a row gets. Rows of single inputs learn more slowly than
/// lines, so that chance moves them less.
pub fn pace(row: usize) -> f32 {
    const SINGLE: f32 = 0.3;
    const PLACED: Range<usize> = 0..INPUTS;
    const COMMON: Range<usize> = FACTOR..PLACED_LINES;
    const FURTHER: Range<usize> = BLIND_ROWS..FURTHER_LINES;
    let is_single = [PLACED, COMMON, FURTHER].iter().any(|rows| rows.contains(&row));
    if is_single { SINGLE } else { 1.0 }
}

impl Slice {
    /// Adds the common rows to those of the inputs, into `merged`: the network as it plays.
    pub fn merge(&self, merged: &mut Self) {
        merged.0.copy_from_slice(&self.0);
        for input in 0..BOARD_INPUTS {
            let mut common = self.0[FACTOR + input];
            lines(PLACED_LINES, input).iter().for_each(|&line| common.add(&self.0[line]));
            for bucket in 0..KING_BUCKETS {
                merged.0[bucket * BOARD_INPUTS + input].add(&common);
            }
        }
        for (input, row) in merged.further_mut().iter_mut().enumerate().take(MOBILITY) {
            lines(FURTHER_LINES, input).iter().for_each(|&line| row.add(&self.0[line]));
            row.clip(CLIP_FURTHER); // so that bytes hold it
        }
    }

    /// The same network, in which the rows of the inputs hold everything.
    #[must_use]
    pub fn folded(&self) -> Self {
        let mut folded = self.clone();
        self.merge(&mut folded);
        folded.0[FACTOR..BLIND_ROWS].fill(Row::ZERO);
        if let Some(lines) = folded.0.get_mut(FURTHER_LINES..) {
            lines.fill(Row::ZERO);
        }
        folded
    }

    /// Gives the common rows the gradients of all inputs that share them.
    pub fn share(&mut self) {
        for input in 0..BOARD_INPUTS {
            let mut sum = Row::ZERO;
            for bucket in 0..KING_BUCKETS {
                sum.add(&self.0[bucket * BOARD_INPUTS + input]);
            }
            self.0[FACTOR + input].add(&sum);
            lines(PLACED_LINES, input).iter().for_each(|&line| self.0[line].add(&sum));
        }
        for input in 0..self.further().len().min(MOBILITY) {
            let row = self.further()[input];
            lines(FURTHER_LINES, input).iter().for_each(|&line| self.0[line].add(&row));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;
    use wide::f32x16;

    use super::*;
    use crate::params::{SEEING_SLICES, VECTORS};

    /// Slices with and without further inputs, no number of which is zero.
    fn slices(seed: u128) -> [Slice; 2] {
        [0, SEEING_SLICES].map(|number| {
            let mut slice = Slice::zero(number);
            let mut rng = Pcg64::new(seed, 1);
            for row in &mut slice.0 {
                row.0.fill_with(|| {
                    f32x16::new(std::array::from_fn(|_| rng.random_range(0.01..0.1)))
                });
            }
            slice
        })
    }

    /// What plays.
    fn merged(slice: &Slice) -> Slice {
        let mut merged = slice.clone();
        slice.merge(&mut merged);
        merged
    }

    /// The sum of the products of their numbers.
    fn product(one: &Slice, two: &Slice) -> f64 {
        let numbers = |slice: &Slice| -> Vec<f64> {
            let rows = slice.0.iter().flat_map(|row| row.0);
            rows.flat_map(f32x16::to_array).map(f64::from).collect()
        };
        numbers(one).iter().zip(numbers(two)).map(|(one, two)| one * two).sum()
    }

    #[test]
    fn a_shared_row_gets_the_gradients_of_all_that_contain_it() {
        // Sharing is the transpose of merging.
        for (slice, gradient) in slices(1).iter().zip(slices(2)) {
            let mut shared = gradient.clone();
            shared.share();
            let (by_rows, by_parts) = (product(&merged(slice), &gradient), product(slice, &shared));
            assert!((by_rows / by_parts - 1.0).abs() < 1e-6, "{by_rows}, {by_parts}");
            assert!(by_rows > 1.1 * product(slice, &gradient));
        }
    }

    #[test]
    fn a_folded_network_plays_alike_and_shares_nothing() {
        for slice in slices(3) {
            let folded = slice.folded();
            let (before, after) = (merged(&slice), merged(&folded));
            assert_eq!(after.0[..FACTOR], before.0[..FACTOR]);
            assert_eq!(after.further(), before.further());
            assert_eq!(folded.folded(), folded);
        }
    }

    #[test]
    fn a_square_learns_from_its_rank_and_its_file() {
        let mut slice = Slice::zero(0);
        let (piece, c4) = (7, 26);
        slice.further_mut()[piece * SQUARES + c4] = Row([f32x16::ONE; VECTORS]);
        slice.share();
        slice.further_mut().fill(Row::ZERO);
        let merged = merged(&slice);
        let learnt: Vec<_> = (0..merged.further().len())
            .filter(|&input| merged.further()[input] != Row::ZERO)
            .collect();
        let in_line = |square: &usize| square / SIDE == c4 / SIDE || square % SIDE == c4 % SIDE;
        let expected: Vec<_> =
            (0..SQUARES).filter(in_line).map(|square| piece * SQUARES + square).collect();
        assert_eq!(learnt, expected);
    }
}
