//! A network in training: forward and backward pass of a batch, with one thread per slice.

use std::ops::Range;

use heddle::eval::nnue::network::PAIRS;
use rayon::prelude::*;

use crate::adam::Adam;
use crate::head::{Head, Passed};
use crate::layer::{self, Inputs, Share, Sums};
use crate::logistic::sigmoid;
use crate::params::{ALL_ROWS, Params, Row, SLICES, Slice, WIDTH};
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
    /// Of the piece that goes backward.
    inputs: Inputs,
}

/// Kept by a slice between the forward and the backward pass of a batch.
#[derive(Default)]
struct Work {
    sums: Vec<Sums>,
    /// The slice's contribution to what comes behind it, for each sample.
    shares: Vec<Share>,
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
            inputs: Inputs::default(),
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
        self.inputs.fill(piece);
        let inputs = &self.inputs;
        self.merged.slices.par_iter().zip(&mut self.gradient.slices).zip(&mut self.work).for_each(
            |((slice, gradient), work)| {
                if slice.0.len() <= first {
                    return; // none of its rows learn
                }
                for ((sample, sums), slope) in piece.iter().zip(&mut work.sums).zip(&slopes) {
                    layer::backward(slice, sample, sums, slope, gradient);
                }
                layer::scatter(gradient, &work.sums, inputs);
            },
        );
        for (sample, slope) in piece.iter().zip(&slopes) {
            self.gradient.bias.as_mut_array()[usize::from(sample.bucket)] += slope.direct;
        }
        loss
    }

    /// The mean loss over any number of samples, without training on them.
    pub fn loss(&mut self, samples: &[Sample]) -> f64 {
        let count = samples.len().max(1) as f32;
        let mut loss = 0.0;
        for piece in samples.chunks(PIECE) {
            self.forward(piece);
            for (index, sample) in piece.iter().enumerate() {
                let error = self.judged(sample, self.passed(index, sample).1).0;
                loss += f64::from(error * error);
            }
        }
        loss / f64::from(count)
    }

    /// The network's output for each sample of a batch, in units of the scale.
    pub fn outputs(&mut self, batch: &[Sample]) -> Vec<f32> {
        self.forward(batch);
        (0..batch.len()).map(|index| self.passed(index, &batch[index]).1).collect()
    }

    /// How much each pair of neurons contributes to the chances that the network says, in the mean
    /// over `samples` and to first order.
    pub fn worths(&mut self, samples: &[Sample]) -> Vec<f64> {
        let share = 1.0 / samples.len().max(1) as f64;
        let mut worths = vec![0.0; PAIRS];
        for piece in samples.chunks(PIECE) {
            self.forward(piece);
            let slopes: Vec<_> = piece.iter().enumerate().map(|(i, s)| self.chance(i, s)).collect();
            let slices = self.merged.slices.par_iter().zip(&self.work);
            slices.zip(worths.par_chunks_mut(WIDTH)).for_each(|((slice, work), worths)| {
                for ((sample, sums), slope) in piece.iter().zip(&work.sums).zip(&slopes) {
                    let found = layer::contributions(slice, sample.bucket, sums, slope);
                    let found = found.to_array().map(f64::from);
                    worths.iter_mut().zip(found).for_each(|(worth, new)| *worth += share * new);
                }
            });
        }
        worths
    }

    /// The derivatives of the chance that the network says.
    fn chance(&self, index: usize, sample: &Sample) -> Share {
        let (passed, output) = self.passed(index, sample);
        let direct = self.judged(sample, output).1;
        let head = &self.params.heads[usize::from(sample.bucket)];
        Share { direct, second: head.backward(&passed, direct, &mut { Head::ZERO }) }
    }

    fn forward(&mut self, batch: &[Sample]) {
        self.merged.slices.par_iter().zip(&mut self.work).for_each(|(slice, work)| {
            work.sums.resize(batch.len(), [Row::ZERO; 2]);
            work.shares.clear();
            let shares = batch.iter().zip(&mut work.sums);
            work.shares.extend(shares.map(|(sample, sums)| layer::forward(slice, sample, sums)));
        });
    }

    /// What the small layers make of a sample, and the whole output.
    fn passed(&self, index: usize, sample: &Sample) -> (Passed, f32) {
        let mut share = Share::default();
        self.work.iter().for_each(|work| share.add(&work.shares[index]));
        let bucket = usize::from(sample.bucket);
        let passed = self.params.heads[bucket].forward(share.second);
        let output = share.direct + self.params.bias.as_array()[bucket] + passed.output;
        (passed, output)
    }

    /// The error of the chances that an output says, and their derivative with respect to it.
    fn judged(&self, sample: &Sample, output: f32) -> (f32, f32) {
        let steepness = self.steepness * sample.fade;
        let said = sigmoid(steepness * output);
        (said - sample.target, steepness * said * (1.0 - said))
    }

    /// The derivatives of the mean squared error of `count` samples with respect to what each slice
    /// gives for each of these, and the sum of their errors. Adds to the gradient of the small
    /// layers.
    fn slopes(&mut self, piece: &[Sample], count: f32) -> (Vec<Share>, f64) {
        let mut loss = 0.0;
        let mut slopes = Vec::with_capacity(piece.len());
        for (index, sample) in piece.iter().enumerate() {
            let (passed, output) = self.passed(index, sample);
            let (error, steepness) = self.judged(sample, output);
            loss += f64::from(error * error);
            let direct = 2.0 * error * steepness / count;
            let bucket = usize::from(sample.bucket);
            let gradient = &mut self.gradient.heads[bucket];
            let second = self.params.heads[bucket].backward(&passed, direct, gradient);
            slopes.push(Share { direct, second });
        }
        (slopes, loss)
    }
}

#[cfg(test)]
mod tests {
    use heddle::eval::nnue::features::{BOARD_INPUTS, KING_BUCKETS, Perspective};
    use heddle::position::{Color, Position};
    use rand_pcg::Pcg64;
    use wide::f32x16;

    use super::*;
    use crate::packed::PackedSample;
    use crate::params::{
        BIAS, BLIND_ROWS, FACTOR, FURTHER_ROWS, OUTPUTS, SECOND_LAYER, SHARED_ROWS, VECTORS,
    };
    use crate::quantise::quantise;

    /// Both kings in one bucket, and a rook more for White.
    const CASTLED: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";

    #[test]
    fn what_one_king_bucket_learns_the_others_learn_too() {
        let position = Position::from_fen(CASTLED).unwrap();
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
        let bucket = Perspective::new(Color::White, position.king(Color::White)).zone() / 2;
        let seen = change(bucket);
        let others: Vec<_> =
            (0..KING_BUCKETS).filter(|&other| other != bucket).map(change).collect();
        let unseen = &others[0];
        assert!(unseen.iter().any(|&change| change.abs() > 3), "the factoriser learns");
        assert!(others.iter().all(|change| change == unseen));
        let more = seen.iter().zip(unseen).filter(|(seen, unseen)| seen.abs() > unseen.abs());
        assert!(more.count() > 100, "the bucket that was seen learns more");
    }

    /// The biases of neurons that are neither silent nor full.
    const OPEN: Row = Row([f32x16::HALF; VECTORS]);

    /// A random network before and after these rows alone learnt a position.
    fn taught_alone(rows: Range<usize>, fen: &str, rate: f32) -> (Params, Params) {
        let batch = [PackedSample::new(&Position::from_fen(fen).unwrap(), 0.9).unpack()];
        let mut params = Params::random(&mut Pcg64::new(3, 1));
        // Open neurons: a product whose other factor is zero teaches nothing.
        params.slices.iter_mut().for_each(|slice| slice.0[BIAS] = OPEN);
        let mut model = Model::new(params, Adam::default());
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
        let (before, after) = taught_alone(SHARED_ROWS, CASTLED, 1e-3);
        assert_ne!(after.bias, before.bias);
        for (after, before) in after.slices.iter().zip(&before.slices) {
            assert_eq!(after.0[..BIAS], before.0[..BIAS]);
            assert_ne!(after.0[FACTOR..BLIND_ROWS], before.0[FACTOR..BLIND_ROWS]);
        }
    }

    #[test]
    fn the_small_layers_learn_where_the_direct_way_is_silent() {
        let position = Position::from_fen(CASTLED).unwrap();
        let batch = [PackedSample::new(&position, 0.9).unpack()];
        let mut params = Params::random(&mut Pcg64::new(2, 1));
        for slice in &mut params.slices {
            slice.0[OUTPUTS..SECOND_LAYER].fill(Row::ZERO);
        }
        let mut model = Model::new(params, Adam::default());
        let loss = model.loss(&batch);
        for _ in 0..200 {
            model.learn(&batch, 1e-3);
        }
        assert!(model.loss(&batch) < loss / 2.0);
    }
}
