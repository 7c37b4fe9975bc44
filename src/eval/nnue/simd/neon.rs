//! NEON: 8 neurons at a time.

use std::arch::aarch64::{
    int16x8_t, uint8x8_t, vaddq_u16, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vdupq_n_u16,
    vget_low_s16, vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmovn_u16, vmulq_u16,
    vreinterpretq_s16_u16, vreinterpretq_u16_s16, vshrq_n_u16, vst1_u8,
};

use super::scalar::groups;
use crate::eval::nnue::head::Head;
use crate::eval::nnue::row::{
    ACTIVE_SHIFT, Active, BLOCK, FurtherRow, PAIRS, Pairs, QA, Row, Seeing, View,
};

super::additions!("neon");

/// 16-bit lanes per vector.
const LANES: usize = 8;
const _: () = assert!(BLOCK == 4 * LANES);

/// See [`super::Simd::activate`].
#[target_feature(enable = "neon")]
pub fn activate(views: [View<'_>; 2], weights: &[Pairs; 2], active: &mut Active) -> i32 {
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let round = vdupq_n_u16(1 << (ACTIVE_SHIFT - 1));
    let mut total = vdupq_n_s32(0);
    let halves = active.0.as_chunks_mut::<PAIRS>().0;
    for ((view, weights), active) in views.into_iter().zip(weights).zip(halves) {
        let weights = weights.0.as_chunks().0.iter();
        for (i, (weights, bytes)) in weights.zip(active.as_chunks_mut().0).enumerate() {
            let first = i / 2 * 4 + i % 2; // a block is four vectors
            let [one, two] = [first, first + 2].map(|i| {
                vreinterpretq_u16_s16(vminq_s16(vmaxq_s16(load(view.lanes(i)), zero), one))
            });
            let product = vmulq_u16(one, two);
            let rounded = vshrq_n_u16::<ACTIVE_SHIFT>(vaddq_u16(product, round));
            store(bytes, vmovn_u16(rounded));
            let half = vreinterpretq_s16_u16(vshrq_n_u16::<1>(product));
            let weights = load(weights);
            total = vmlal_s16(total, vget_low_s16(half), vget_low_s16(weights));
            total = vmlal_high_s16(total, half, weights);
        }
    }
    vaddvq_s32(total)
}

/// Stores the bytes of one vector's neurons.
#[inline]
#[target_feature(enable = "neon")]
#[expect(unsafe_code, reason = "vector instructions")]
fn store(bytes: &mut [u8; LANES], vector: uint8x8_t) {
    // SAFETY: the array has as many bytes as the vector, and unaligned stores are allowed.
    unsafe { vst1_u8(bytes.as_mut_ptr(), vector) }
}

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "neon")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> int16x8_t {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { vld1q_s16(lanes.as_ptr()) }
}
