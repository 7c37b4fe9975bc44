//! AVX2: 16 neurons at a time.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_movemask_ps, _mm256_mullo_epi16, _mm256_packus_epi16, _mm256_permute4x64_epi64,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_srli_epi16,
    _mm256_storeu_si256,
};

use super::sse2;
use crate::eval::nnue::head::{GROUP, GroupWeights, Head, SECOND, take_lowest};
use crate::eval::nnue::row::{
    ACTIVE_SHIFT, Active, BLOCK, FurtherRow, HIDDEN, PAIRS, Pairs, QA, Row, Seeing, View,
};

super::additions!("avx2");

/// Integers of which a vector consists.
pub trait Number {}

impl Number for u8 {}
impl Number for i8 {}
impl Number for i16 {}
impl Number for i32 {}

/// 16-bit lanes per vector.
const LANES: usize = 16;
/// Bytes per vector.
const BYTES: usize = 2 * LANES;
const _: () = assert!(BLOCK == 2 * LANES && HIDDEN.is_multiple_of(2 * BLOCK));

/// Groups of inputs of the second layer in a vector.
const VECTOR_GROUPS: usize = BYTES / GROUP;
/// Groups of which a word of bits says whether they are awake.
pub const WORD_GROUPS: usize = u64::BITS as usize;
/// Packing two vectors mixes their halves; this order of quarters undoes it.
const UNPACKED: i32 = 0b11_01_10_00;

/// See [`super::Simd::activate`].
#[target_feature(enable = "avx2")]
pub fn activate(views: [View<'_>; 2], weights: &[Pairs; 2], active: &mut Active) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let round = _mm256_set1_epi16(1 << (ACTIVE_SHIFT - 1));
    let mut total = _mm256_setzero_si256();
    let halves = active.0.as_chunks_mut::<PAIRS>().0;
    for ((view, weights), active) in views.into_iter().zip(weights).zip(halves) {
        let weights = weights.0.as_chunks::<LANES>().0;
        for (i, bytes) in active.as_chunks_mut::<BYTES>().0.iter_mut().enumerate() {
            let mut rounded = [zero; 2];
            for (half, rounded) in rounded.iter_mut().enumerate() {
                let i = 2 * i + half;
                let [one, two] = [2 * i, 2 * i + 1].map(|i| {
                    _mm256_min_epi16(_mm256_max_epi16(load::<_, LANES>(view.lanes(i)), zero), one)
                });
                let product = _mm256_mullo_epi16(one, two);
                *rounded = _mm256_srli_epi16::<ACTIVE_SHIFT>(_mm256_add_epi16(product, round));
                let halved = _mm256_srli_epi16::<1>(product);
                total = _mm256_add_epi32(total, _mm256_madd_epi16(halved, load(&weights[i])));
            }
            let packed = _mm256_packus_epi16(rounded[0], rounded[1]);
            store(bytes, _mm256_permute4x64_epi64::<UNPACKED>(packed));
        }
    }
    let halves = (_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
    sse2::sum(_mm_add_epi32(halves.0, halves.1))
}

/// See [`super::scalar::groups`].
#[inline]
#[target_feature(enable = "avx2")]
pub fn groups(weights: &[GroupWeights], active: &Active) -> [i32; SECOND] {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); 2];
    let inputs = active.0.as_chunks::<GROUP>().0.chunks(WORD_GROUPS);
    let vectors = active.0.as_chunks::<BYTES>().0.chunks(WORD_GROUPS / VECTOR_GROUPS);
    for ((vectors, inputs), weights) in vectors.zip(inputs).zip(weights.chunks(WORD_GROUPS)) {
        let mut awake = 0_u64;
        for (i, bytes) in vectors.iter().enumerate() {
            awake |= u64::from(positive(load(bytes))) << (i * VECTOR_GROUPS);
        }
        while awake != 0 {
            let group = take_lowest(&mut awake);
            let four = _mm256_set1_epi32(i32::from_ne_bytes(inputs[group]));
            for (sum, weights) in sums.iter_mut().zip(weights[group].0.as_chunks::<BYTES>().0) {
                let pairs = _mm256_maddubs_epi16(four, load(weights));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    let mut found = [0; SECOND];
    for (sum, found) in
        sums.into_iter().zip(found.as_chunks_mut::<{ BYTES / size_of::<i32>() }>().0)
    {
        store(found, sum);
    }
    found
}

/// A bit for each of the 32-bit lanes that is above zero.
#[inline]
#[target_feature(enable = "avx2")]
fn positive(lanes: __m256i) -> u8 {
    let above = _mm256_cmpgt_epi32(lanes, _mm256_setzero_si256());
    _mm256_movemask_ps(_mm256_castsi256_ps(above)) as u8
}

/// Stores one vector of numbers.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vector instructions")]
pub fn store<T: Number, const N: usize>(numbers: &mut [T; N], vector: __m256i) {
    const { assert!(size_of::<[T; N]>() == size_of::<__m256i>()) };
    // SAFETY: the array is as large as the vector and holds any bits; it may be unaligned.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector) }
}

/// Loads one vector of numbers.
#[inline]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vector instructions")]
pub fn load<T: Number, const N: usize>(numbers: &[T; N]) -> __m256i {
    const { assert!(size_of::<[T; N]>() == size_of::<__m256i>()) };
    // SAFETY: the array is as large as the vector, and it may be unaligned.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}
