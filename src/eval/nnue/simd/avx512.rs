//! AVX-512 with 16-bit lanes: 32 neurons at a time.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_castsi256_si512, _mm512_cvtepi16_epi8,
    _mm512_inserti64x4, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512,
    _mm512_srli_epi16,
};

// A processor with these instructions has AVX2, and the groups of inputs fill its vectors.
use super::avx2::{self, Number, groups};
use crate::eval::nnue::head::Head;
use crate::eval::nnue::row::{
    ACTIVE_SHIFT, Active, BLOCK, FurtherRow, PAIRED, PAIRS, Pairs, QA, Row, Seeing, View,
};

super::additions!("avx2,avx512f,avx512bw");

/// 16-bit lanes per vector.
const LANES: usize = 32;
const _: () = assert!(BLOCK == LANES && PAIRS.is_multiple_of(LANES));

/// See [`super::Simd::activate`].
#[target_feature(enable = "avx512f,avx512bw")]
pub fn activate(views: [View<'_>; 2], weights: &[Pairs; 2], active: &mut Active) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let round = _mm512_set1_epi16(1 << (ACTIVE_SHIFT - 1));
    let mut total = _mm512_setzero_si512();
    let halves = active.0.as_chunks_mut::<PAIRS>().0;
    for ((view, weights), active) in views.into_iter().zip(weights).zip(halves) {
        let weights = weights.0.as_chunks::<LANES>().0.iter();
        for (i, (weights, bytes)) in weights.zip(active.as_chunks_mut::<LANES>().0).enumerate() {
            let [one, two] = [0, 1].map(|half| {
                // The same half of two blocks.
                let [low, high] =
                    [0, 2].map(|block| avx2::load::<_, PAIRED>(view.lanes(4 * i + block + half)));
                let sums = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
                _mm512_min_epi16(_mm512_max_epi16(sums, zero), one)
            });
            let product = _mm512_mullo_epi16(one, two);
            let rounded = _mm512_add_epi16(product, round);
            let rounded = _mm512_srli_epi16::<{ ACTIVE_SHIFT as u32 }>(rounded);
            avx2::store(bytes, _mm512_cvtepi16_epi8(rounded));
            let halved = _mm512_srli_epi16::<1>(product);
            total = _mm512_add_epi32(total, _mm512_madd_epi16(halved, load(weights)));
        }
    }
    _mm512_reduce_add_epi32(total)
}

/// Loads one vector of numbers.
#[inline]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "vector instructions")]
pub fn load<T: Number, const N: usize>(numbers: &[T; N]) -> __m512i {
    const { assert!(size_of::<[T; N]>() == size_of::<__m512i>()) };
    // SAFETY: the array is as large as the vector and holds any bits; it may be unaligned.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}
