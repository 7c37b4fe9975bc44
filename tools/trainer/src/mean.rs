//! The mean of several networks, weight by weight.
//!
//! Networks that began as the same one and learnt apart lie in one basin of the loss, and it is
//! lower between them. So a mean keeps what they learnt and recovers what a high rate has lost.
//! Training reorders the neurons ([`crate::order`]), so all are put in the order of the first.
//! Source: M. Wortsman and others, "Model Soups", 2022.

use std::path::PathBuf;

use wide::f32x16;

use crate::logistic::SCALE;
use crate::order::align;
use crate::output::Destination;
use crate::params::{BIAS, Params, SECOND_LAYER};
use crate::quantise::quantise;
use crate::train::{TrainError, weights_of};

/// Write the mean of networks, weight by weight.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example: heddle train mean default new.nnue new.nnue --output mean.nnue")]
pub struct Args {
    /// Networks that began as the same one: a file, or `default` for the engine's own; one named
    /// twice weighs twice
    #[arg(required = true, value_name = "NETWORK")]
    pub networks: Vec<String>,
    /// Factor of the output
    #[arg(long, default_value_t = 1.0, value_parser = factor)]
    pub scale: f32,
    /// Write the network here
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

fn factor(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.5..=1.5).contains(number));
    number.ok_or_else(|| "not a number from 0.5 to 1.5".to_owned())
}

/// Writes the mean that `args` ask for.
///
/// # Errors
/// [`TrainError`] if a network cannot be loaded, the mean does not fit the engine's integers, or it
/// cannot be written.
pub fn run(args: &Args) -> Result<(), TrainError> {
    let mut file = Destination::open(&args.output)?;
    let networks = args.networks.iter().map(|name| weights_of(name));
    let networks = networks.collect::<Result<Vec<_>, _>>()?;
    Ok(file.write(&quantise(&mean(networks, args.scale), SCALE as i32)?.to_bytes())?)
}

/// The mean of `networks` in the order of the first one, its output multiplied by `scale`.
fn mean(mut networks: Vec<Params>, scale: f32) -> Params {
    if let [first, others @ ..] = &mut *networks {
        others.iter_mut().for_each(|other| align(other, first));
    }
    let mut mean = Params::zero();
    let share = 1.0 / networks.len().max(1) as f32;
    for network in &networks {
        mean.iter_mut().zip(network.iter()).for_each(|(mean, weight)| *mean += share * weight);
    }
    let scale = f32x16::splat(scale);
    for slice in &mut mean.slices {
        let rows = slice.0[BIAS + 1..SECOND_LAYER].iter_mut();
        rows.flat_map(|row| &mut row.0).for_each(|weights| *weights *= scale);
    }
    mean.bias *= scale;
    for head in &mut mean.heads {
        head.last.iter_mut().for_each(|weights| *weights *= scale);
    }
    mean
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::adam::Adam;
    use crate::model::Model;
    use crate::order::{order, relatives};
    use crate::packed::PackedSample;

    #[test]
    fn every_weight_is_the_mean_and_one_named_twice_weighs_twice() {
        let [one, two] = relatives();
        let found = mean(vec![one.clone(), two.clone(), two.clone()], 1.0);
        let mut weights = found.iter().zip(one.iter().zip(two.iter()));
        assert!(weights.all(|(found, (one, two))| (found - (one + 2.0 * two) / 3.0).abs() < 1e-6));
        assert_ne!(quantise(&found, 400), quantise(&two, 400));
        assert_eq!(quantise(&mean(vec![one.clone(), one.clone()], 1.0), 400), quantise(&one, 400));
    }

    #[test]
    fn the_order_of_the_neurons_does_not_change_the_mean() {
        let [one, two] = relatives();
        let mut reordered = two.clone();
        order(&mut reordered, &[PackedSample::new(&Position::default(), 0.5).unpack()]);
        assert_ne!(reordered, two);
        assert_eq!(mean(vec![one.clone(), reordered], 1.0), mean(vec![one, two], 1.0));
    }

    #[test]
    fn the_scale_is_that_of_the_output() {
        let mut network = Params::random(&mut Pcg64::new(3, 1));
        network.bias.as_mut_array().fill(0.25);
        let batch = [PackedSample::new(&Position::default(), 0.5).unpack()];
        let output = |params| Model::new(params, Adam::default()).outputs(&batch)[0];
        let half = output(mean(vec![network.clone()], 0.5));
        assert!((half - output(network) / 2.0).abs() < 1e-5 && half.abs() > 0.01, "{half}");
    }
}
