//! Code without vector instructions of its own, with which the vector paths must agree. The
//! compiler vectorises the additions with whatever the caller may use.

use crate::eval::nnue::row::{FurtherRow, HIDDEN, QA, Row, Seeing, View};

/// Neurons whose sums fit in the registers of AVX2, with room for weights.
const TILE: usize = 128;
const _: () = assert!(HIDDEN.is_multiple_of(TILE));

/// See [`super::Simd::activate`].
pub fn activate(views: [View<'_>; 2], weights: &[Row; 2]) -> i32 {
    let half = |(view, weights): (View<'_>, &Row)| {
        let term = |(i, &weight): (usize, &i16)| {
            let [sum] = *view.lanes(i);
            let value = i32::from(sum).clamp(0, QA);
            (value * value / 2) * i32::from(weight)
        };
        weights.0.iter().enumerate().map(term).sum::<i32>()
    };
    views.into_iter().zip(weights).map(half).sum()
}

/// See [`super::Simd::update`].
#[inline(always)]
pub fn update<const A: usize, const S: usize>(
    to: &mut Row,
    from: &Row,
    added: [&Row; A],
    subtracted: [&Row; S],
) {
    for i in 0..HIDDEN {
        let sum = added.iter().fold(from.0[i], |sum, row| sum.wrapping_add(row.0[i]));
        to.0[i] = subtracted.iter().fold(sum, |sum, row| sum.wrapping_sub(row.0[i]));
    }
}

/// See [`super::Simd::accumulate`].
#[inline(always)]
pub fn accumulate(sums: &mut Row, added: &[&Row], subtracted: &[&Row]) {
    for (index, tile) in sums.0.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
        let weights = |row: &Row| row.0.as_chunks::<TILE>().0[index];
        // A local copy, which the compiler keeps in registers from row to row.
        let mut kept = *tile;
        for row in added {
            kept.iter_mut().zip(weights(row)).for_each(|(sum, w)| *sum = sum.wrapping_add(w));
        }
        for row in subtracted {
            kept.iter_mut().zip(weights(row)).for_each(|(sum, w)| *sum = sum.wrapping_sub(w));
        }
        *tile = kept;
    }
}

/// See [`super::Simd::add_further`].
#[inline(always)]
pub fn add_further(seeing: &mut [Seeing; 2], table: &[FurtherRow], inputs: &[[u16; 2]]) {
    let mut kept = seeing.each_ref().map(|seeing| seeing.0);
    for input in inputs {
        for (kept, &input) in kept.iter_mut().zip(input) {
            let row = &table[usize::from(input)];
            kept.iter_mut().zip(row.0).for_each(|(sum, w)| *sum = sum.wrapping_add(w.into()));
        }
    }
    *seeing = kept.map(Seeing);
}
