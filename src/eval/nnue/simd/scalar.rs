//! Code without vector instructions of its own, with which the vector paths must agree. The compiler
//! vectorises the additions with whatever the caller may use.

use crate::eval::nnue::row::{HIDDEN, QA, Row};

/// See [`super::Simd::activate`].
pub fn activate(sums: [&Row; 2], weights: &[Row; 2]) -> i32 {
    let term = |(&sum, &weight): (&i16, &i16)| {
        let value = i32::from(sum).clamp(0, QA);
        (value * value / 2) * i32::from(weight)
    };
    let half = |side: usize| sums[side].0.iter().zip(&weights[side].0).map(term).sum::<i32>();
    half(0) + half(1)
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
pub fn accumulate<'a>(
    sums: &mut Row,
    added: impl IntoIterator<Item = &'a Row>,
    subtracted: impl IntoIterator<Item = &'a Row>,
) {
    // A local copy, which the compiler keeps in registers from row to row.
    let mut kept = sums.clone();
    for row in added {
        kept.0.iter_mut().zip(&row.0).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
    }
    for row in subtracted {
        kept.0.iter_mut().zip(&row.0).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
    }
    *sums = kept;
}
