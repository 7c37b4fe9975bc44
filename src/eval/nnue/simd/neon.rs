//! NEON: 8 neurons at a time.

use std::arch::aarch64::{
    int16x8_t, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vmaxq_s16, vminq_s16,
    vmlal_high_s16, vmlal_s16, vmulq_u16, vreinterpretq_s16_u16, vreinterpretq_u16_s16,
    vshrq_n_u16,
};

use crate::eval::nnue::row::{FurtherRow, HIDDEN, QA, Row, SEEING, Seeing, View};

super::additions!("neon");

/// 16-bit lanes per vector.
const LANES: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LANES) && SEEING.is_multiple_of(LANES));

/// See [`super::Simd::activate`].
#[target_feature(enable = "neon")]
pub fn activate(views: [View<'_>; 2], weights: &[Row; 2]) -> i32 {
    let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
    let mut total = vdupq_n_s32(0);
    for (view, weights) in views.into_iter().zip(weights) {
        for (i, weights) in weights.0.as_chunks().0.iter().enumerate() {
            let value = vminq_s16(vmaxq_s16(load(view.lanes(i)), zero), one);
            let square = vmulq_u16(vreinterpretq_u16_s16(value), vreinterpretq_u16_s16(value));
            let half = vreinterpretq_s16_u16(vshrq_n_u16::<1>(square));
            let weights = load(weights);
            total = vmlal_s16(total, vget_low_s16(half), vget_low_s16(weights));
            total = vmlal_high_s16(total, half, weights);
        }
    }
    vaddvq_s32(total)
}

/// Loads one vector of a row.
#[inline]
#[target_feature(enable = "neon")]
#[expect(unsafe_code, reason = "vector instructions")]
fn load(lanes: &[i16; LANES]) -> int16x8_t {
    // SAFETY: the array has as many bytes as the vector, and unaligned loads are allowed.
    unsafe { vld1q_s16(lanes.as_ptr()) }
}
