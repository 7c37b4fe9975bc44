//! The order of the products of a network, which does not change its output.
//!
//! The engine skips groups of products that are all zero (`eval/nnue/head.rs`). Products that are
//! zero about equally often therefore lie together, which leaves fewer groups to compute. Source:
//! the reordered neurons of Stockfish's networks (2023).
//!
//! Two networks that began as the same one end in different orders. Before their weights can be
//! averaged, one must be put in the order of the other. Source: R. Entezari and others, "The Role
//! of Permutation Invariance in Linear Mode Connectivity of Neural Networks", 2022.

use std::cmp::Reverse;

use heddle::eval::nnue::network::{PAIRS, SEEING};
use rayon::prelude::*;

use crate::layer::products_of;
use crate::params::{BIAS, Params, Slice, WIDTH};
use crate::sample::Sample;

/// Products of the neurons that see further inputs; they stay among themselves.
const SEEING_PAIRS: usize = SEEING / 2;

/// Puts the products in the order of how often they are above zero in `samples`.
pub fn order(params: &mut Params, samples: &[Sample]) {
    let counts: Vec<usize> =
        params.slices.par_iter().flat_map_iter(|slice| activity(slice, samples)).collect();
    let mut places: Vec<usize> = (0..PAIRS).collect();
    let (seeing, others) = places.split_at_mut(SEEING_PAIRS);
    for places in [seeing, others] {
        places.sort_by_key(|&place| Reverse(counts[place]));
    }
    permute(params, &places);
}

/// Puts each product in the place of the product of `other` whose neurons have the most similar
/// input weights. The most similar two are matched first.
pub fn align(params: &mut Params, other: &Params) {
    let (ours, theirs) = (columns(params), columns(other));
    let mut places: Vec<usize> = (0..PAIRS).collect();
    let (seeing, others) = places.split_at_mut(SEEING_PAIRS);
    for places in [seeing, others] {
        let range = places[0]..places[0] + places.len();
        let similarities = range.clone().into_par_iter().flat_map_iter(|place| {
            let (ours, theirs, range) = (&ours, &theirs[place], range.clone());
            range.map(move |from| (cosine(&ours[from], theirs), place, from))
        });
        let mut similarities: Vec<(f32, usize, usize)> = similarities.collect();
        similarities.sort_unstable_by(|one, two| two.0.total_cmp(&one.0));
        let (mut filled, mut taken) = ([false; PAIRS], [false; PAIRS]);
        for (_, place, from) in similarities {
            if !filled[place] && !taken[from] {
                (filled[place], taken[from]) = (true, true);
                places[place - range.start] = from;
            }
        }
    }
    permute(params, &places);
}

/// The input weights of each product's two neurons, as a vector of length one.
fn columns(params: &Params) -> Vec<Vec<f32>> {
    let column = |product: usize| {
        let rows = params.slices[product / WIDTH].0[..BIAS].iter();
        let weights = rows.flat_map(|row| row.0).map(|vector| vector.to_array()[product % WIDTH]);
        let mut weights: Vec<f32> = weights.collect();
        let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
        weights.iter_mut().for_each(|weight| *weight /= length.max(f32::MIN_POSITIVE));
        weights
    };
    (0..PAIRS).into_par_iter().map(column).collect()
}

/// The cosine of the angle between two vectors of length one.
fn cosine(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

/// How often each product of a slice is above zero, in either view.
fn activity(slice: &Slice, samples: &[Sample]) -> [usize; WIDTH] {
    let mut merged = slice.clone();
    slice.merge(&mut merged);
    let mut counts = [0; WIDTH];
    for products in samples.iter().flat_map(|sample| products_of(&merged, sample)) {
        for (count, product) in counts.iter_mut().zip(products.to_array()) {
            *count += usize::from(product > 0.0);
        }
    }
    counts
}

/// Moves to each place the product that was at `places[place]`.
fn permute(params: &mut Params, places: &[usize]) {
    let before = params.slices.clone();
    for (place, &from) in places.iter().enumerate() {
        let source = before[from / WIDTH].0.iter();
        let target = params.slices[place / WIDTH].0.iter_mut();
        for (target, source) in target.zip(source) {
            for (target, source) in target.0.iter_mut().zip(source.0) {
                target.as_mut_array()[place % WIDTH] = source.to_array()[from % WIDTH];
            }
        }
    }
}

/// A random network, and one that began as it: each weight differs a little.
#[cfg(test)]
pub(crate) fn relatives() -> [Params; 2] {
    use crate::quantise::rounded;
    use rand_pcg::Pcg64;

    let [one, noise] = [8, 9].map(|seed| rounded(&Params::random(&mut Pcg64::new(seed, 1))));
    let mut two = one.clone();
    two.iter_mut().zip(noise.iter()).for_each(|(weight, noise)| *weight += 0.3 * noise);
    [one, two]
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::adam::Adam;
    use crate::model::Model;
    use crate::packed::PackedSample;

    #[test]
    fn an_ordered_network_says_what_it_said_and_its_busy_products_come_first() {
        let fens = [
            "r1bqk2r/ppp2ppp/2n2n2/2bpp3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6",
            "6k1/5ppp/8/8/8/8/r4PPP/R5K1 b - - 0 1",
        ];
        let position = |fen: &&str| Position::from_fen(fen).unwrap();
        let samples = fens.map(|fen| PackedSample::new(&position(&fen), 0.5).unpack());
        let mut params = Params::random(&mut Pcg64::new(7, 1));
        let outputs =
            |params: &Params| Model::new(params.clone(), Adam::default()).outputs(&samples);
        let before = outputs(&params);
        order(&mut params, &samples);
        for (before, after) in before.iter().zip(outputs(&params)) {
            assert!((before - after).abs() < 1e-4, "{before}, {after}");
        }
        let counts: Vec<_> =
            params.slices.iter().flat_map(|slice| activity(slice, &samples)).collect();
        let (seeing, others) = counts.split_at(SEEING_PAIRS);
        assert!([seeing, others].iter().all(|counts| counts.is_sorted_by(|one, two| one >= two)));
        assert!(counts.contains(&0) && counts.iter().any(|&count| count > 1));
    }

    #[test]
    fn a_network_in_another_order_is_put_in_the_order_it_had() {
        let [before, learnt] = relatives();
        let mut places: Vec<usize> = (0..PAIRS).collect();
        places[..SEEING_PAIRS].rotate_left(5);
        places[SEEING_PAIRS..].reverse();
        let mut found = learnt.clone();
        permute(&mut found, &places);
        assert_ne!(found, learnt);
        align(&mut found, &before);
        assert_eq!(found, learnt);
    }
}
