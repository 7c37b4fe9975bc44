//! Arithmetic on rows, with the vector instructions that the processor has.
//!
//! A [`Simd`] is chosen when the program runs, so that one build serves every processor. Adding and
//! subtracting rows is left to the compiler, which vectorises it as well as hand-written code. The
//! second layer is not. Half of a product of two clipped sums fits in 15 bits and a sign, and one
//! instruction multiplies it by its weight and adds neighbours in 32 bits; no compiler finds that.
//! Nor does one see that the small layers' products of bytes can skip what is zero.
//!
//! Every path gives the same number: [`Network::is_in_range`] rules out overflow, so the order of
//! additions of integers does not matter, and that of floats is fixed.
//!
//! [`Network::is_in_range`]: super::network::Network::is_in_range

use std::str::FromStr;

use super::head::Head;
use super::row::{Active, FurtherRow, Pairs, Row, Seeing, View};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(test)]
mod tests;

/// Defines a path's additions: those of [`scalar`], compiled for the path's instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! additions {
    ($features:literal) => {
        /// See [`super::Simd::update`].
        #[target_feature(enable = $features)]
        pub fn update<const A: usize, const S: usize>(
            to: &mut Row,
            from: &Row,
            added: [&Row; A],
            subtracted: [&Row; S],
        ) {
            super::scalar::update(to, from, added, subtracted);
        }

        /// See [`super::Simd::accumulate`].
        #[target_feature(enable = $features)]
        pub fn accumulate(sums: &mut Row, added: &[&Row], subtracted: &[&Row]) {
            super::scalar::accumulate(sums, added, subtracted);
        }

        /// See [`super::Simd::add_further`].
        #[target_feature(enable = $features)]
        pub fn add_further(seeing: &mut [Seeing; 2], table: &[FurtherRow], inputs: &[[u16; 2]]) {
            super::scalar::add_further(seeing, table, inputs);
        }

        /// See [`super::Simd::head`].
        #[target_feature(enable = $features)]
        pub fn head(head: &Head, active: &Active) -> f32 {
            head.output(&groups(&head.second, active))
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use additions;

/// The instructions to use. A value proves that the processor has them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Simd(Kind);

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Vnni,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// This processor has no such instructions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported; this CPU has: {}", Simd::names().join(", "))]
pub struct UnknownSimd;

impl FromStr for Simd {
    type Err = UnknownSimd;

    fn from_str(name: &str) -> Result<Self, UnknownSimd> {
        Self::available().into_iter().find(|simd| simd.name() == name).ok_or(UnknownSimd)
    }
}

/// Calls a function of the path of a [`Simd`].
macro_rules! dispatch {
    ($simd:expr, $function:ident($($argument:expr),*)) => {{
        #[allow(unsafe_code, unused_unsafe, reason = "vector instructions, where there are any")]
        // SAFETY: a `Simd` of a kind is only made where the processor has its instructions.
        unsafe {
            match $simd.0 {
                Kind::Scalar => scalar::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Sse2 => sse2::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => avx2::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => avx512::$function($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Vnni => vnni::$function($($argument),*),
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => neon::$function($($argument),*),
            }
        }
    }};
}

impl Simd {
    /// All that this processor has, the best last.
    pub fn available() -> Vec<Self> {
        let mut kinds = vec![Kind::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            kinds.push(Kind::Sse2); // part of the architecture
            if is_x86_feature_detected!("avx2") {
                kinds.push(Kind::Avx2);
            }
            if kinds.contains(&Kind::Avx2)
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
            {
                kinds.push(Kind::Avx512);
                if is_x86_feature_detected!("avx512vnni") {
                    kinds.push(Kind::Vnni);
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        kinds.push(Kind::Neon); // part of the architecture
        kinds.into_iter().map(Self).collect()
    }

    /// The best that this processor has.
    pub fn best() -> Self {
        Self::available().pop().expect("there is always the scalar path")
    }

    /// The names of all that this processor has.
    fn names() -> Vec<&'static str> {
        Self::available().into_iter().map(Self::name).collect()
    }

    /// The name of the instructions.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Vnni => "avx512vnni",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
        }
    }

    /// The sum of `weights`, each times half the product of a pair of sums clipped between 0 and
    /// 1, rounded down, in units of 1 / (`QA`² · `QB`). The products, rounded to bytes, go to
    /// `active`.
    #[inline]
    pub fn activate(self, views: [View<'_>; 2], weights: &[Pairs; 2], active: &mut Active) -> i32 {
        dispatch!(self, activate(views, weights, active))
    }

    /// The output of the small layers.
    #[inline]
    pub fn head(self, head: &Head, active: &Active) -> f32 {
        dispatch!(self, head(head, active))
    }

    /// Computes `to` from `from` by adding and subtracting rows, in one pass. Sums wrap: they may
    /// leave 16 bits on the way as long as the final sum fits.
    #[inline]
    pub fn update<const A: usize, const S: usize>(
        self,
        to: &mut Row,
        from: &Row,
        added: [&Row; A],
        subtracted: [&Row; S],
    ) {
        dispatch!(self, update(to, from, added, subtracted));
    }

    /// Adds and subtracts any number of rows in place. They may wrap on the way, as in
    /// [`Simd::update`].
    #[inline]
    pub fn accumulate(self, sums: &mut Row, added: &[&Row], subtracted: &[&Row]) {
        dispatch!(self, accumulate(sums, added, subtracted));
    }

    /// Adds rows of further inputs to the sums of the seeing neurons of two views, in place: those
    /// that `inputs` name, each by its row in either view. Sums may wrap on the way, as in
    /// [`Simd::update`].
    #[inline]
    pub fn add_further(self, seeing: &mut [Seeing; 2], table: &[FurtherRow], inputs: &[[u16; 2]]) {
        dispatch!(self, add_further(seeing, table, inputs));
    }
}
