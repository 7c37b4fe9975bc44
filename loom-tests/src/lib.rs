//! Models of what the engine's threads share, for loom to explore. Run with `cargo loom`.
//!
//! The README of this package says what is modelled, with which bounds and costs, and what the
//! models can and cannot show.

#[cfg(all(feature = "model", not(loom)))]
compile_error!(
    "`--cfg loom` was lost: RUSTFLAGS or target.*.rustflags overrides the `cargo loom` alias"
);

#[cfg(loom)]
mod explore;

#[cfg(loom)]
pub use explore::{Bound, explore, join};
