//! The rows of numbers that the first layer adds up.

/// Hidden neurons per view.
pub const HIDDEN: usize = 384;
/// The value of 1.0 in the first layer.
pub const QA: i32 = 255;

/// One number per hidden neuron, aligned for SIMD.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Default for Row {
    fn default() -> Self {
        Self([0; HIDDEN])
    }
}
