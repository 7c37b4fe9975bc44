//! A narrower network: the neurons that matter least are left out.
//!
//! A pair of neurons is worth what its products contribute to the chances that the network says:
//! the mean of |derivative · product|, which is how much leaving them out changes these, to first
//! order. Training makes up for the rest. Source: P. Molchanov and others, "Pruning Convolutional
//! Neural Networks for Resource Efficient Inference", 2017.

use std::path::PathBuf;

use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::network::{BLOCK, HIDDEN, PAIRS, SEEING};

use crate::adam::Adam;
use crate::aim::Aim;
use crate::committee::Committee;
use crate::loader::{self, LoadError};
use crate::logistic::SCALE;
use crate::model::Model;
use crate::output::Destination;
use crate::plan::PlanError;
use crate::quantise::restored;
use crate::train::TrainError;

/// Neurons that the engine's vector instructions take at a time.
const STEP: usize = 2 * BLOCK;

/// Write a network with fewer neurons.
///
/// It is for a build with these numbers of neurons in `src/eval/nnue/row.rs`, and plays badly until
/// it has been trained on.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Example: heddle train prune default games.vf --neurons 384 --seeing 32 --output narrow.nnue")]
pub struct Args {
    /// The network: a file, or `default` for the engine's own
    #[arg(value_name = "NETWORK")]
    pub network: String,
    /// Games whose positions show which neurons matter, in viriformat
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Neurons to keep, a multiple of 64
    #[arg(long, value_name = "N", value_parser = neurons)]
    pub neurons: usize,
    /// Those that see the further inputs, a multiple of 32
    #[arg(long, value_name = "N", value_parser = seeing)]
    pub seeing: usize,
    /// The most positions to look at
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub positions: usize,
    /// Write the network here
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

fn neurons(text: &str) -> Result<usize, String> {
    multiple(text, STEP, HIDDEN)
}

fn seeing(text: &str) -> Result<usize, String> {
    multiple(text, BLOCK, SEEING)
}

fn multiple(text: &str, step: usize, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| (step..=most).contains(n) && n % step == 0);
    number.ok_or_else(|| format!("not a multiple of {step} up to {most}"))
}

/// Writes the network that `args` ask for.
///
/// # Errors
/// [`TrainError`] if the network or the games cannot be read, or the result cannot be written.
pub fn run(args: &Args) -> Result<(), TrainError> {
    let mut file = Destination::open(&args.output)?;
    let network = EvalFile::from(&*args.network).load()?.ok_or(PlanError::Weightless)?;
    let teachers = Committee::default();
    let aim = Aim { lambda: 0.0, anchor: 0.0, teachers, trace: 0.0, logistic: SCALE };
    let samples = loader::read(&args.files, args.positions, &aim)?;
    if samples.is_empty() {
        return Err(LoadError::Few { found: 0, batch: 1 }.into());
    }
    let worths = Model::new(restored(&network), Adam::default()).worths(&samples);
    let seeing = args.seeing.min(args.neurons);
    let pairs = kept(&worths, args.neurons / 2, seeing / 2);
    Ok(file.write(&network.to_bytes_of(&pairs, seeing))?)
}

/// The `count` pairs of most worth in their old order; first the `seeing` best of those that see
/// the further inputs, which the others then no longer do.
fn kept(worths: &[f64], count: usize, seeing: usize) -> Vec<usize> {
    let best = |mut pairs: Vec<usize>, count: usize| {
        pairs.sort_by(|&one, &two| worths[two].total_cmp(&worths[one]));
        pairs.truncate(count);
        pairs.sort_unstable();
        pairs
    };
    let seers = best((0..SEEING / 2).collect(), seeing);
    let others = (0..PAIRS).filter(|pair| !seers.contains(pair)).collect();
    let others = best(others, count - seeing);
    [seers, others].concat()
}

#[cfg(test)]
mod tests {
    use heddle::eval::nnue::network::BUCKETS;
    use rand_pcg::Pcg64;
    use wide::f32x16;

    use super::*;
    use crate::params::{Params, WIDTH, output_row};
    use crate::sample::examples;

    /// With the small layers' last weights at zero.
    fn random() -> Params {
        Params::random(&mut Pcg64::new(5, 1))
    }

    /// Takes the weights of a pair out of the direct outputs.
    fn silence(params: &mut Params, pair: usize) {
        for bucket in 0..BUCKETS as u8 {
            for view in &mut params.slices[pair / WIDTH].0[output_row(bucket)].0 {
                view.as_mut_array()[pair % WIDTH] = 0.0;
            }
        }
    }

    #[test]
    fn a_pair_is_worth_what_it_changes() {
        let samples = &examples()[..1];
        let mut params = random();
        for slice in &mut params.slices {
            slice.0[output_row(samples[0].bucket)].0[1] = f32x16::ZERO; // one view alone
        }
        let mut model = Model::new(params.clone(), Adam::default());
        let worths = model.worths(samples);
        let output = model.outputs(samples)[0];
        let mut found = 0;
        for (pair, worth) in worths.iter().enumerate().filter(|(_, worth)| **worth > 0.0) {
            let mut less = params.clone();
            silence(&mut less, pair);
            let changed = Model::new(less, Adam::default()).outputs(samples)[0];
            // The chance's slope at an output near zero is a quarter, and the material fades it.
            let slope = f64::from(samples[0].fade) / 4.0;
            let expected = slope * f64::from((changed - output).abs());
            assert!(
                (worth - expected).abs() < 0.02 * expected + 1e-6,
                "{pair}: {worth} {expected}"
            );
            found += 1;
            if found == 8 {
                return;
            }
        }
        panic!("{found} pairs are worth something");
    }

    #[test]
    fn the_best_pairs_are_kept_and_those_that_see_among_themselves() {
        let mut worths = vec![0.0; PAIRS];
        for (pair, worth) in [(1, 1.0), (5, 9.0), (SEEING / 2, 2.0), (PAIRS - 1, 3.0)] {
            worths[pair] = worth;
        }
        assert_eq!(kept(&worths, 4, 1), [5, 1, SEEING / 2, PAIRS - 1]);
        assert_eq!(kept(&worths, 3, 1), [5, SEEING / 2, PAIRS - 1]);
    }
}
