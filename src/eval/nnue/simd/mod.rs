//! Arithmetic on rows, with the widest vectors of the target the program is built for.
//!
//! Adding and subtracting rows is left to the compiler, which vectorises it as well as hand-written
//! code. The second layer is not. With v the clipped sum and w its weight, v·w still fits in 16
//! bits, and one instruction multiplies it by v and adds neighbours in 32 bits; no compiler finds
//! that. Source: the community's "Lizard SCReLU", after the engine Lizard.
//!
//! Every path gives the same number: [`Network::is_in_range`] rules out overflow, so the order of
//! additions does not matter.
//!
//! [`Network::is_in_range`]: super::network::Network::is_in_range

use super::network::{HIDDEN, Row};

#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "one path is used; the tests compare all that the machine has")]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "one path is used; the tests compare all that the machine has")]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[allow(dead_code, reason = "one path is used; the tests compare all that the machine has")]
mod neon;
#[allow(dead_code, reason = "one path is used; the tests compare all that the machine has")]
mod scalar;

#[cfg(test)]
mod tests;

/// The sum of `weights`, each times the square of a sum clipped between 0 and 1 (SCReLU), in units
/// of 1 / (`QA`² · `QB`).
#[inline]
#[must_use]
pub fn activate(sums: &Row, weights: &Row) -> i32 {
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "avx512bw") => {
            #[expect(unsafe_code, reason = "vector instructions")]
            // SAFETY: the program is built for processors with these instructions.
            unsafe { avx512::activate(sums, weights) }
        }
        all(target_arch = "x86_64", target_feature = "avx2") => {
            #[expect(unsafe_code, reason = "vector instructions")]
            // SAFETY: the program is built for processors with these instructions.
            unsafe { avx2::activate(sums, weights) }
        }
        all(target_arch = "aarch64", target_feature = "neon") => {
            #[expect(unsafe_code, reason = "vector instructions")]
            // SAFETY: the program is built for processors with these instructions.
            unsafe { neon::activate(sums, weights) }
        }
        _ => { scalar::activate(sums, weights) }
    }
}

/// Computes `to` from `from` by adding and subtracting rows, in one pass. Sums wrap: they may leave
/// 16 bits on the way as long as the final sum fits.
#[inline]
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

/// Adds and subtracts any number of rows in place. They may wrap on the way, as in [`update`].
#[inline]
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
