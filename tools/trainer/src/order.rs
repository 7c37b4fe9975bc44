//! The order of the products of a trained network.
//!
//! The engine skips groups of products that are all zero (`eval/nnue/head.rs`). Products that are
//! zero about equally often therefore lie together, which leaves fewer groups to compute. The
//! network says what it said. Source: the reordered neurons of Stockfish's networks (2023).

use std::cmp::Reverse;

use heddle::eval::nnue::network::{PAIRS, SEEING};
use rayon::prelude::*;

use crate::layer::products_of;
use crate::params::{Params, Slice, WIDTH};
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
}
