//! Loom models of the state that the engine's threads share. Run them with `cargo loom`.
//!
//! This package's README describes what is modelled, with which bounds and costs, and what the
//! models can and cannot show.

#[cfg(all(feature = "model", not(loom)))]
compile_error!(
    "`--cfg loom` was lost: RUSTFLAGS or target.*.rustflags overrides the `cargo loom` alias"
);

#[cfg(loom)]
mod counters;
#[cfg(loom)]
mod explore;

#[cfg(loom)]
pub use counters::Counters;
#[cfg(loom)]
pub use explore::{Bound, explore, join};
