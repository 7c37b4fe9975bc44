//! Random networks, for tests and measurements.

use super::features::INPUTS;
use super::further::FURTHER_INPUTS;
use super::head::Head;
use super::network::{BUCKETS, FurtherRow, HIDDEN, Network, Output, Pairs, QA, QB, Row};
use super::simd::Simd;
use crate::position::split_mix;

/// First-layer weights up to this size leave most sums between 0 and 1.
const FIRST: i16 = 60;
/// Second-layer weights up to this size give scores of a few pawns.
const SECOND: i16 = 48;
/// Numbers of the small layers, in units of 1 / [`SMALL_ONE`], up to this size.
const SMALL: i16 = 32;
const SMALL_ONE: f32 = 128.0;
/// Centipawns for an output of 1.0.
const SCALE: i32 = 400;

impl Network {
    /// A network of pseudo-random weights, determined by `seed`.
    pub fn random(seed: u64) -> Self {
        let mut state = seed;
        let mut below = |limit: i32| (split_mix(&mut state) >> 33) as i32 % limit;
        let mut row = |limit: i16| {
            let mut row = Row::default();
            row.0.fill_with(|| below(2 * i32::from(limit) + 1) as i16 - limit);
            row
        };
        let features = (0..INPUTS).map(|_| row(FIRST)).collect();
        let mut bias = row(FIRST);
        bias.0.iter_mut().for_each(|bias| *bias += QA as i16 / 2);
        let pairs = |row: Row| Pairs(*row.0.first_chunk().expect("a row is longer"));
        let outputs: [Output; BUCKETS] = std::array::from_fn(|_| Output {
            weights: [pairs(row(SECOND)), pairs(row(SECOND))],
            bias: i32::from(row(1).0[0]) * QA * QB / HIDDEN as i32,
            head: Head::default(),
        });
        let mut number = |_| below(2 * i32::from(FIRST) + 1) as i8 - FIRST as i8;
        let further =
            (0..FURTHER_INPUTS).map(|_| FurtherRow(std::array::from_fn(&mut number))).collect();
        let mut network =
            Self { features, bias, further, outputs, scale: SCALE, simd: Simd::best() };
        for output in &mut network.outputs {
            let mut number = |limit: i16| (below(2 * i32::from(limit) + 1) as i16 - limit) as f32;
            let head = &mut output.head;
            let weights = head.second.iter_mut().flat_map(|group| &mut group.0);
            weights.for_each(|weight| *weight = number(SMALL) as i8);
            head.small_mut().for_each(|weight| *weight = number(SMALL) / SMALL_ONE);
        }
        network
    }
}
