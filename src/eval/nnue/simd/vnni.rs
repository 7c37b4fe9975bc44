//! AVX-512 with VNNI, where one instruction multiplies a group of inputs by its weights for all
//! neurons of the second layer.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_storeu_si512, _mm512_test_epi32_mask,
};

use super::avx2::WORD_GROUPS;
pub use super::avx512::activate;
use super::avx512::load;
use crate::eval::nnue::head::{GROUP, GroupWeights, Head, SECOND, take_lowest};
use crate::eval::nnue::row::{Active, FurtherRow, Row, Seeing};

super::additions!("avx2,avx512f,avx512bw,avx512vnni");

/// Bytes per vector.
const BYTES: usize = 64;
/// Groups of inputs in a vector.
const VECTOR_GROUPS: usize = BYTES / GROUP;
/// Sums that are added up side by side, since each waits for the one before it.
const CHAINS: usize = 4;
const _: () = assert!(size_of::<GroupWeights>() == BYTES && size_of::<[i32; SECOND]>() == BYTES);

/// See [`super::scalar::groups`].
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub fn groups(weights: &[GroupWeights], active: &Active) -> [i32; SECOND] {
    let mut chains = [_mm512_setzero_si512(); CHAINS];
    let inputs = active.0.as_chunks::<GROUP>().0.chunks(WORD_GROUPS);
    let vectors = active.0.as_chunks::<BYTES>().0.chunks(WORD_GROUPS / VECTOR_GROUPS);
    for ((vectors, inputs), weights) in vectors.zip(inputs).zip(weights.chunks(WORD_GROUPS)) {
        let mut awake = 0;
        for (i, bytes) in vectors.iter().enumerate() {
            let bytes = load(bytes);
            awake |= u64::from(_mm512_test_epi32_mask(bytes, bytes)) << (i * VECTOR_GROUPS);
        }
        let plus = |sum, group: usize| {
            let four = _mm512_set1_epi32(i32::from_ne_bytes(inputs[group]));
            _mm512_dpbusd_epi32(sum, four, load(&weights[group].0))
        };
        for _ in 0..awake.count_ones() as usize / CHAINS {
            for sum in &mut chains {
                *sum = plus(*sum, take_lowest(&mut awake));
            }
        }
        while awake != 0 {
            chains[0] = plus(chains[0], take_lowest(&mut awake));
        }
    }
    let [a, b, c, d] = chains;
    let mut found = [0; SECOND];
    store(&mut found, _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d)));
    found
}

/// Stores one vector of sums.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "vector instructions")]
fn store(sums: &mut [i32; SECOND], vector: __m512i) {
    // SAFETY: the array has as many bytes as the vector, and unaligned stores are allowed.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), vector) }
}
