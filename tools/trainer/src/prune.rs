//! A narrower network: the neurons that matter least are left out.
//!
//! A pair of neurons is worth what its products contribute to the chances that the network says:
//! the mean of |derivative · product|, which is how much leaving them out changes these, to first
//! order. Training makes up for the rest. Source: P. Molchanov and others, "Pruning Convolutional
//! Neural Networks for Resource Efficient Inference", 2017.

use std::path::PathBuf;

use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::head::{GROUP, SECOND};
use heddle::eval::nnue::network::{BLOCK, HIDDEN, Network, PAIRED, PAIRS, SEEING, first_factor};

use crate::adam::Adam;
use crate::aim::Aim;
use crate::committee::Committee;
use crate::loader;
use crate::logistic::SCALE;
use crate::model::Model;
use crate::output::Destination;
use crate::plan::PlanError;
use crate::quantise::restored;
use crate::train::TrainError;

/// Neurons that the engine's vector instructions take at a time.
const STEP: usize = 2 * BLOCK;
/// Where the file has the number of neurons.
const NEURONS_AT: usize = 16;
/// Where the weights begin.
const WEIGHTS_AT: usize = 28;

/// Write a network with fewer neurons.
///
/// It is for a build with these numbers of neurons in `src/eval/nnue/row.rs`, and plays badly until
/// it has been trained on.
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Example: heddle train prune default --neurons 384 --seeing 32 games.vf -o less.nnue"
)]
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
    let worths = Model::new(restored(&network), Adam::default()).worths(&samples);
    let pairs = kept(&worths, args.neurons / 2, args.seeing.min(args.neurons) / 2);
    Ok(file.write(&to_bytes(&network, &pairs, args.seeing))?)
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

/// The file of a network that has these pairs of neurons alone, in this order, of which the first
/// ones, `seeing` neurons, see the further inputs.
fn to_bytes(network: &Network, pairs: &[usize], seeing: usize) -> Vec<u8> {
    // Blocks of first factors and of second ones take turns.
    let lanes: Vec<usize> = pairs
        .chunks(PAIRED)
        .flat_map(|pairs| {
            [0, PAIRED].map(|second| pairs.iter().map(move |p| first_factor(*p) + second))
        })
        .flatten()
        .collect();
    let mut bytes = network.to_bytes();
    bytes.truncate(WEIGHTS_AT);
    bytes[NEURONS_AT..NEURONS_AT + 4].copy_from_slice(&(lanes.len() as u32).to_le_bytes());
    for row in network.features.iter().chain([&network.bias]) {
        bytes.extend(lanes.iter().flat_map(|&lane| row.0[lane].to_le_bytes()));
    }
    for row in &network.further {
        bytes.extend(lanes[..seeing].iter().flat_map(|&lane| row.0[lane].to_le_bytes()));
    }
    for weights in network.outputs.iter().flat_map(|output| &output.weights) {
        bytes.extend(pairs.iter().flat_map(|&pair| weights.0[pair].to_le_bytes()));
    }
    bytes.extend(network.outputs.iter().flat_map(|output| output.bias.to_le_bytes()));
    let inputs: Vec<usize> =
        [0, PAIRS].into_iter().flat_map(|v| pairs.iter().map(move |p| v + p)).collect();
    for head in network.outputs.iter().map(|output| &output.head) {
        for group in inputs.chunks(GROUP) {
            for neuron in 0..SECOND {
                bytes.extend(group.iter().flat_map(|&i| head.weight(i, neuron).to_le_bytes()));
            }
        }
        bytes.extend(head.small().flat_map(|number| number.to_le_bytes()));
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::packed::PackedSample;
    use crate::params::{Params, WIDTH, output_row};
    use crate::quantise::quantise;
    use crate::sample::Sample;

    fn samples() -> Vec<Sample> {
        let fens = [
            "r1bqk2r/ppp2ppp/2n2n2/2bpp3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6",
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1",
        ];
        let position = |fen| Position::from_fen(fen).unwrap();
        fens.iter().map(|fen| PackedSample::new(&position(fen), 0.5).unpack()).collect()
    }

    /// With the small layers' last weights at zero.
    fn random() -> Params {
        Params::random(&mut Pcg64::new(5, 1))
    }

    /// Takes the weights of a pair out of the direct outputs.
    fn silence(params: &mut Params, pair: usize) {
        for bucket in 0..8 {
            for view in &mut params.slices[pair / WIDTH].0[output_row(bucket)].0 {
                view.as_mut_array()[pair % WIDTH] = 0.0;
            }
        }
    }

    #[test]
    fn a_pair_is_worth_what_it_changes() {
        let samples = &samples()[..1];
        let mut params = random();
        for slice in &mut params.slices {
            slice.0[output_row(samples[0].bucket)].0[1] = wide::f32x16::ZERO; // one view alone
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

    #[test]
    fn a_network_of_all_pairs_is_the_same() {
        let network = quantise(&random(), SCALE as i32).unwrap();
        let all: Vec<_> = (0..PAIRS).collect();
        assert_eq!(to_bytes(&network, &all, SEEING), network.to_bytes());
    }

    #[test]
    fn a_narrower_network_has_the_rows_of_the_pairs_that_are_left() {
        let network = quantise(&random(), SCALE as i32).unwrap();
        let pairs: Vec<_> = (0..PAIRS).step_by(2).collect();
        let bytes = to_bytes(&network, &pairs, BLOCK);
        assert!(10 * bytes.len() < 6 * network.to_bytes().len());
        let number = |neuron: usize| {
            let at = WEIGHTS_AT + 2 * neuron;
            i16::from_le_bytes([bytes[at], bytes[at + 1]])
        };
        for (place, &pair) in pairs.iter().enumerate() {
            let (to, from) = (first_factor(place), first_factor(pair));
            let row = &network.features[0].0;
            assert_eq!([number(to), number(to + PAIRED)], [row[from], row[from + PAIRED]]);
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        assert_eq!(crc32fast::hash(content).to_le_bytes(), checksum);
    }
}
