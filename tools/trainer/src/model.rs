//! A network in training: forward and backward pass of a batch, with one thread per slice.

use std::ops::Range;

use rayon::prelude::*;

use crate::adam::Adam;
use crate::layer::{self, Sums};
use crate::logistic::sigmoid;
use crate::params::{ALL_ROWS, Params, Row, SLICES, Slice};
use crate::sample::Sample;

/// Samples that go forward and backward at a time, so that they and their sums stay in a cache.
const PIECE: usize = 1024;

/// A network in training.
pub struct Model {
    /// The weights.
    pub params: Params,
    /// The optimiser.
    pub adam: Adam,
    /// The logarithm of the odds for an output of 1.0.
    pub steepness: f32,
    /// The rows that learn; with the first layer's biases, the second layers' too.
    pub rows: Range<usize>,
    gradient: Params,
    /// The parameters with the common rows added to the inputs' own, which is what evaluates.
    merged: Params,
    work: Vec<Work>,
}

/// Kept by a slice between the forward and the backward pass of a batch.
#[derive(Default)]
struct Work {
    sums: Vec<Sums>,
    /// The slice's contribution to each output.
    shares: Vec<f32>,
}

impl Model {
    /// A model that continues from `params` and `adam`.
    #[must_use]
    pub fn new(params: Params, adam: Adam) -> Self {
        let work = (0..SLICES).map(|_| Work::default()).collect();
        let mut model = Self {
            params,
            adam,
            steepness: 1.0,
            rows: ALL_ROWS,
            gradient: Params::zero(),
            merged: Params::zero(),
            work,
        };
        model.merge();
        model
    }

    /// Takes one step of size `rate` on a batch, and returns the mean loss before it.
    pub fn learn(&mut self, batch: &[Sample], rate: f32) -> f64 {
        let count = batch.len().max(1) as f32;
        let mut loss = 0.0;
        for piece in batch.chunks(PIECE) {
            loss += self.descend(piece, count);
        }
        self.gradient.slices.par_iter_mut().for_each(Slice::share);
        self.adam.step(&mut self.params, &mut self.gradient, rate, self.rows.clone());
        self.merge();
        loss / f64::from(count)
    }

    fn merge(&mut self) {
        let merged = self.merged.slices.par_iter_mut();
        self.params.slices.par_iter().zip(merged).for_each(|(slice, merged)| slice.merge(merged));
    }

    /// Adds the gradient of a piece of a batch of `count` samples, and returns the sum of its
    /// losses.
    fn descend(&mut self, piece: &[Sample], count: f32) -> f64 {
        self.forward(piece);
        let (slopes, loss) = self.slopes(piece, count);
        let first = self.rows.start;
        self.merged.slices.par_iter().zip(&mut self.gradient.slices).zip(&self.work).for_each(
            |((slice, gradient), work)| {
                if slice.0.len() <= first {
                    return; // none of its rows learn
                }
                for ((sample, sums), &slope) in piece.iter().zip(&work.sums).zip(&slopes) {
                    layer::backward(slice, sample, sums, slope, gradient);
                }
            },
        );
        for (sample, slope) in piece.iter().zip(&slopes) {
            self.gradient.bias.as_mut_array()[usize::from(sample.bucket)] += slope;
        }
        loss
    }

    /// The mean loss over any number of samples, without training on them.
    pub fn loss(&mut self, samples: &[Sample]) -> f64 {
        let count = samples.len().max(1) as f32;
        let mut loss = 0.0;
        for piece in samples.chunks(PIECE) {
            self.forward(piece);
            loss += self.slopes(piece, count).1;
        }
        loss / f64::from(count)
    }

    /// The network's output for each sample of a batch, in units of the scale.
    pub fn outputs(&mut self, batch: &[Sample]) -> Vec<f32> {
        self.forward(batch);
        (0..batch.len()).map(|index| self.output(index, &batch[index])).collect()
    }

    fn forward(&mut self, batch: &[Sample]) {
        self.merged.slices.par_iter().zip(&mut self.work).for_each(|(slice, work)| {
            work.sums.resize(batch.len(), [Row::ZERO; 2]);
            work.shares.clear();
            let shares = batch.iter().zip(&mut work.sums);
            work.shares.extend(shares.map(|(sample, sums)| layer::forward(slice, sample, sums)));
        });
    }

    fn output(&self, index: usize, sample: &Sample) -> f32 {
        let shares: f32 = self.work.iter().map(|work| work.shares[index]).sum();
        shares + self.params.bias.as_array()[usize::from(sample.bucket)]
    }

    /// The derivatives of the mean squared error of `count` samples with respect to each output of
    /// these, and the sum of their errors.
    fn slopes(&self, piece: &[Sample], count: f32) -> (Vec<f32>, f64) {
        let mut loss = 0.0;
        let slope = |(index, sample): (usize, &Sample)| {
            let steepness = self.steepness * sample.fade;
            let said = sigmoid(steepness * self.output(index, sample));
            let error = said - sample.target;
            loss += f64::from(error * error);
            2.0 * steepness * error * said * (1.0 - said) / count
        };
        let slopes = piece.iter().enumerate().map(slope).collect();
        (slopes, loss)
    }
}

#[cfg(test)]
mod tests {
    use heddle::eval::nnue::features::{BOARD_INPUTS, KING_BUCKETS};
    use heddle::position::Position;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::packed::PackedSample;
    use crate::params::{BIAS, BLIND_ROWS, FACTOR, FURTHER_ROWS, SHARED_ROWS};
    use crate::quantise::quantise;

    /// Both kings in the corner of their first ranks, and a rook more for White.
    const CORNERS: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

    #[test]
    fn what_one_king_bucket_learns_the_others_learn_too() {
        let position = Position::from_fen(CORNERS).unwrap();
        let batch = [PackedSample::new(&position, 0.9).unpack()];
        let mut model = Model::new(Params::random(&mut Pcg64::new(1, 1)), Adam::default());
        let before = quantise(&model.params, 400).unwrap();
        let loss = model.learn(&batch, 1e-3);
        for _ in 0..30 {
            model.learn(&batch, 1e-3);
        }
        assert!(model.loss(&batch) < loss / 2.0);
        let after = quantise(&model.params, 400).unwrap();
        let change = |bucket: usize| -> Vec<i16> {
            let rows = bucket * BOARD_INPUTS..(bucket + 1) * BOARD_INPUTS;
            let rows = after.features[rows.clone()].iter().zip(&before.features[rows]);
            rows.flat_map(|(after, before)| after.0.iter().zip(&before.0))
                .map(|(after, before)| after - before)
                .collect()
        };
        let unseen = change(1);
        assert!(unseen.iter().any(|&change| change.abs() > 3), "the factoriser learns");
        assert!((2..KING_BUCKETS).all(|bucket| change(bucket) == unseen));
        let seen = change(0);
        let more = seen.iter().zip(&unseen).filter(|(seen, unseen)| seen.abs() > unseen.abs());
        assert!(more.count() > 100, "the bucket that was seen learns more");
    }

    /// A random network before and after these rows alone learnt a position.
    fn taught_alone(rows: Range<usize>, fen: &str, rate: f32) -> (Params, Params) {
        let batch = [PackedSample::new(&Position::from_fen(fen).unwrap(), 0.9).unpack()];
        let mut model = Model::new(Params::random(&mut Pcg64::new(3, 1)), Adam::default());
        model.rows = rows;
        let (before, loss) = (model.params.clone(), model.loss(&batch));
        for _ in 0..200 {
            model.learn(&batch, rate);
        }
        let after = model.loss(&batch);
        assert!(after < 0.8 * loss, "{loss} {after}");
        (before, model.params)
    }

    #[test]
    fn the_rows_of_further_inputs_learn_alone() {
        let loose = "6k1/5ppp/8/8/8/8/r4PPP/R5K1 b - - 0 1";
        let (before, after) = taught_alone(FURTHER_ROWS, loose, 1e-2);
        assert_eq!(after.bias, before.bias);
        for (after, before) in after.slices.iter().zip(&before.slices) {
            assert_eq!(after.0[..BLIND_ROWS], before.0[..BLIND_ROWS]);
            assert_eq!(after.further() == before.further(), after.further().is_empty());
        }
    }

    #[test]
    fn what_the_king_buckets_share_learns_without_their_own_rows() {
        let (before, after) = taught_alone(SHARED_ROWS, CORNERS, 1e-3);
        assert_ne!(after.bias, before.bias);
        for (after, before) in after.slices.iter().zip(&before.slices) {
            assert_eq!(after.0[..BIAS], before.0[..BIAS]);
            assert_ne!(after.0[FACTOR..BLIND_ROWS], before.0[FACTOR..BLIND_ROWS]);
        }
    }

    #[test]
    fn a_grown_network_says_what_it_said_and_learns_with_what_is_new() {
        let position = Position::from_fen(CORNERS).unwrap();
        let batch = [PackedSample::new(&position, 0.9).unpack()];
        let mut rng = Pcg64::new(2, 1);
        let mut params = Params::random(&mut rng);
        params.slices[1] = Slice::zero(1);
        let mut model = Model::new(params.clone(), Adam::default());
        let (said, loss) = (model.outputs(&batch), model.loss(&batch));
        params.grow(&mut rng);
        let mut model = Model::new(params.clone(), Adam::default());
        assert_eq!(model.outputs(&batch), said);
        assert_ne!(params.slices[1], Slice::zero(1));
        // The others fall silent, and only what has grown is left to learn.
        for (index, slice) in params.slices.iter_mut().enumerate() {
            if index != 1 {
                *slice = Slice::zero(index);
            }
        }
        let mut model = Model::new(params, Adam::default());
        for _ in 0..200 {
            model.learn(&batch, 1e-3);
        }
        assert!(model.loss(&batch) < loss / 2.0);
    }
}
