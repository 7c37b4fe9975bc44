//! AVX-512 with 16-bit lanes: 32 neurons at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_max_epi16,
    _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16,
    _mm512_setzero_si512, _mm512_srli_epi16,
};

use crate::eval::nnue::row::{FurtherRow, HIDDEN, QA, Row, SEEING, Seeing, View};

super::additions!("avx512f,avx512bw");

/// 16-bit lanes per vector.
const LANES: usize = 32;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && SEEING.is_multiple_of(LANES));

/// See [`super::Simd::activate`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn activate(views: [View<'_>; 2], weights: &[Row; 2]) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut total = _mm512_setzero_si512();
    for (view, weights) in views.into_iter().zip(weights) {
        for (i, weights) in weights.0.as_chunks().0.iter().enumerate() {
            let value = _mm512_min_epi16(_mm512_max_epi16(load(view.lanes(i)), zero), one);
            let square = _mm512_srli_epi16::<1>(_mm512_mullo_epi16(value, value));
            total = _mm512_add_epi32(total, _mm512_madd_epi16(square, load(weights)));
        }
    }
    _mm512_reduce_add_epi32(total)
}

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> __m512i {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
}
