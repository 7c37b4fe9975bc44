//! SSE2, which every x86-64 processor has: 8 neurons at a time.

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_madd_epi16,
    _mm_max_epi16, _mm_min_epi16, _mm_mullo_epi16, _mm_packus_epi16, _mm_set1_epi16,
    _mm_setzero_si128, _mm_shuffle_epi32, _mm_srli_epi16, _mm_storeu_si128,
};

use super::scalar::groups;
use crate::eval::nnue::head::Head;
use crate::eval::nnue::row::{
    ACTIVE_SHIFT, Active, BLOCK, FurtherRow, PAIRS, Pairs, QA, Row, Seeing, View,
};

super::additions!("sse2");

/// 16-bit lanes per vector.
const LANES: usize = 8;
/// Bytes per vector.
const BYTES: usize = 2 * LANES;
const _: () = assert!(BLOCK == 4 * LANES);

/// Exchanges the halves of four 32-bit lanes, and the lanes within each half.
const SWAP_HALVES: i32 = 0b01_00_11_10;
const SWAP_LANES: i32 = 0b10_11_00_01;

/// See [`super::Simd::activate`].
#[target_feature(enable = "sse2")]
pub fn activate(views: [View<'_>; 2], weights: &[Pairs; 2], active: &mut Active) -> i32 {
    let (zero, one) = (_mm_setzero_si128(), _mm_set1_epi16(QA as i16));
    let round = _mm_set1_epi16(1 << (ACTIVE_SHIFT - 1));
    let mut total = _mm_setzero_si128();
    let halves = active.0.as_chunks_mut::<PAIRS>().0;
    for ((view, weights), active) in views.into_iter().zip(weights).zip(halves) {
        let weights = weights.0.as_chunks::<LANES>().0;
        for (i, bytes) in active.as_chunks_mut().0.iter_mut().enumerate() {
            let mut rounded = [zero; 2];
            for (half, rounded) in rounded.iter_mut().enumerate() {
                let first = 4 * i + half; // a block is four vectors
                let [one, two] = [first, first + 2]
                    .map(|i| _mm_min_epi16(_mm_max_epi16(load(view.lanes(i)), zero), one));
                let product = _mm_mullo_epi16(one, two);
                *rounded = _mm_srli_epi16::<ACTIVE_SHIFT>(_mm_add_epi16(product, round));
                let halved = _mm_srli_epi16::<1>(product);
                let weights = load(&weights[2 * i + half]);
                total = _mm_add_epi32(total, _mm_madd_epi16(halved, weights));
            }
            store(bytes, _mm_packus_epi16(rounded[0], rounded[1]));
        }
    }
    sum(total)
}

/// The sum of the 32-bit lanes.
#[inline]
#[target_feature(enable = "sse2")]
pub fn sum(four: __m128i) -> i32 {
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<SWAP_HALVES>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<SWAP_LANES>(two)))
}

/// Stores one vector of bytes.
#[inline]
#[target_feature(enable = "sse2")]
#[expect(unsafe_code, reason = "vector instructions")]
fn store(bytes: &mut [u8; BYTES], vector: __m128i) {
    // SAFETY: the array has as many bytes as the vector, and unaligned stores are allowed.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) }
}

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "sse2")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> __m128i {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) }
}
