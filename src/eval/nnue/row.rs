//! The rows of numbers that the first layer adds up.

/// Hidden neurons per view.
pub const HIDDEN: usize = 384;
/// Neurons that see the further inputs: the first ones.
pub const SEEING: usize = 64;
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

/// The sums of the seeing neurons.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Seeing(pub [i16; SEEING]);

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

impl Default for Seeing {
    fn default() -> Self {
        Self([0; SEEING])
    }
}

/// A row of a further input: one number per seeing neuron. A cache line holds it, since bytes
/// suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct FurtherRow(pub [i8; SEEING]);

impl Default for FurtherRow {
    fn default() -> Self {
        Self([0; SEEING])
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

impl View<'_> {
    /// The sums of `N` neurons from number `i`·`N` on; `N` divides [`SEEING`].
    #[inline(always)]
    pub fn lanes<const N: usize>(&self, i: usize) -> &[i16; N] {
        let seeing = self.seeing.0.as_chunks().0;
        if i < seeing.len() { &seeing[i] } else { &self.others.0.as_chunks().0[i] }
    }
}
