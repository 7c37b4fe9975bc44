//! AVX2: 16 neurons at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16, _mm256_mullo_epi16,
    _mm256_set1_epi16, _mm256_setzero_si256, _mm256_srli_epi16,
};

use super::sse2;
use crate::eval::nnue::row::{FurtherRow, HIDDEN, QA, Row, SEEING, Seeing, View};

super::additions!("avx2");

/// 16-bit lanes per vector.
const LANES: usize = 16;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && SEEING.is_multiple_of(LANES));

/// See [`super::Simd::activate`].
#[target_feature(enable = "avx2")]
pub fn activate(views: [View<'_>; 2], weights: &[Row; 2]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut total = _mm256_setzero_si256();
    for (view, weights) in views.into_iter().zip(weights) {
        for (i, weights) in weights.0.as_chunks().0.iter().enumerate() {
            let value = _mm256_min_epi16(_mm256_max_epi16(load(view.lanes(i)), zero), one);
            let square = _mm256_srli_epi16::<1>(_mm256_mullo_epi16(value, value));
            total = _mm256_add_epi32(total, _mm256_madd_epi16(square, load(weights)));
        }
    }
    let halves = (_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
    sse2::sum(_mm_add_epi32(halves.0, halves.1))
}

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> __m256i {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}
