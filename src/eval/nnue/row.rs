//! The rows of numbers that the first layer adds up, and what becomes of their sums.
//!
//! Each block of [`BLOCK`] neurons gives half as many products: its first half's sums, clipped
//! between 0 and 1, times its second half's. So a product says that two things are there at once,
//! and is zero unless both are. Source: the paired multiplication of Stockfish's networks (SFNNv4,
//! 2022).

/// Hidden neurons per view.
pub const HIDDEN: usize = 512;
/// Neurons that see the further inputs: the first ones.
pub const SEEING: usize = 64;
/// The value of 1.0 in the first layer.
pub const QA: i32 = 255;
/// Neurons whose products are made together.
pub const BLOCK: usize = 32;
/// Products of a block; the second factor comes as many neurons after the first.
pub const PAIRED: usize = BLOCK / 2;
/// Products of the neurons of one view.
pub const PAIRS: usize = HIDDEN / 2;
const _: () = assert!(HIDDEN.is_multiple_of(BLOCK) && SEEING.is_multiple_of(BLOCK));

/// The value of 1.0 in an [`Active`] neuron.
pub const ACTIVE_ONE: i32 = 127;
/// A product of clipped sums, in units of 1 / [`QA`]², is divided by this power of two.
pub const ACTIVE_SHIFT: i32 = 9;
const _: () = assert!((QA * QA + (1 << (ACTIVE_SHIFT - 1))) >> ACTIVE_SHIFT == ACTIVE_ONE);

/// Numbers aligned for SIMD; all zero by default.
macro_rules! aligned {
    ($(#[$doc:meta])* $name:ident, $number:ty, $length:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[repr(align(64))]
        pub struct $name(pub [$number; $length]);

        impl Default for $name {
            fn default() -> Self {
                Self([0; $length])
            }
        }
    };
}

aligned!(
    /// One number per hidden neuron.
    Row, i16, HIDDEN
);
aligned!(
    /// The sums of the seeing neurons.
    Seeing, i16, SEEING
);
aligned!(
    /// A row of a further input: one number per seeing neuron; bytes suffice.
    FurtherRow, i8, SEEING
);
aligned!(
    /// One number per product of a view.
    Pairs, i16, PAIRS
);
aligned!(
    /// The products of the own view and of the other one, in units of 1 / [`ACTIVE_ONE`].
    Active, u8, 2 * PAIRS
);

impl Seeing {
    /// The first ones of the sums of all neurons.
    pub fn of(sums: &Row) -> Self {
        Self(*sums.0.first_chunk().expect("the seeing neurons are some of all"))
    }

    /// These sums and others. They may wrap, as in [`super::simd::Simd::update`].
    #[must_use]
    pub fn plus(mut self, more: &Self) -> Self {
        self.0.iter_mut().zip(more.0).for_each(|(sum, more)| *sum = sum.wrapping_add(more));
        self
    }
}

/// The first layer's sums of one side's view.
#[derive(Copy, Clone, Debug)]
pub struct View<'a> {
    /// Of the seeing neurons.
    pub seeing: &'a Seeing,
    /// The sums of all neurons; the first [`SEEING`] are unused.
    pub others: &'a Row,
}

/// The neuron whose sum is the first factor of a product.
pub const fn first_factor(product: usize) -> usize {
    product / PAIRED * BLOCK + product % PAIRED
}

impl View<'_> {
    /// The sums of `N` neurons from number `i`·`N` on; `N` divides [`SEEING`].
    #[inline(always)]
    pub fn lanes<const N: usize>(&self, i: usize) -> &[i16; N] {
        let seeing = self.seeing.0.as_chunks().0;
        if i < seeing.len() { &seeing[i] } else { &self.others.0.as_chunks().0[i] }
    }
}
