//! SSE2, which every x86-64 processor has: 8 neurons at a time.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_madd_epi16, _mm_max_epi16,
    _mm_min_epi16, _mm_mullo_epi16, _mm_set1_epi16, _mm_setzero_si128, _mm_shuffle_epi32,
    _mm_srli_epi16,
};

use crate::eval::nnue::row::{FurtherRow, HIDDEN, QA, Row, SEEING, Seeing, View};

super::additions!("sse2");

/// 16-bit lanes per vector.
const LANES: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && SEEING.is_multiple_of(LANES));

/// Exchanges the halves of four 32-bit lanes, and the lanes within each half.
const SWAP_HALVES: i32 = 0b01_00_11_10;
const SWAP_LANES: i32 = 0b10_11_00_01;

/// See [`super::Simd::activate`].
#[target_feature(enable = "sse2")]
pub fn activate(views: [View<'_>; 2], weights: &[Row; 2]) -> i32 {
    let (zero, one) = (_mm_setzero_si128(), _mm_set1_epi16(QA as i16));
    let mut total = _mm_setzero_si128();
    for (view, weights) in views.into_iter().zip(weights) {
        for (i, weights) in weights.0.as_chunks().0.iter().enumerate() {
            let value = _mm_min_epi16(_mm_max_epi16(load(view.lanes(i)), zero), one);
            let square = _mm_srli_epi16::<1>(_mm_mullo_epi16(value, value));
            total = _mm_add_epi32(total, _mm_madd_epi16(square, load(weights)));
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

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "sse2")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> __m128i {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) }
}
