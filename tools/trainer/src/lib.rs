//! Trains Heddle's network on the engine's own games.
//!
//! A [`loader`] reads games and makes [`sample`]s of their positions, in shuffled batches; an [`aim`]
//! says what is to be learnt of each. The
//! [`model`] holds the network in floating point ([`params`]), cut into slices of hidden neurons, a
//! thread a slice: each goes forward and backward through its own [`layer`], and the optimiser
//! ([`adam`]) moves it a step at a rate that a [`schedule`] gives. [`train`] is the whole, with
//! [`checkpoint`]s and a loss [`curve`]; at the end the network is [`mod@quantise`]d.
//!
//! The result depends on the plan and the data alone, not on the threads: sums are always formed
//! in the same order.

pub mod adam;
pub mod aim;
pub mod checkpoint;
pub mod curve;
pub mod layer;
pub mod loader;
pub mod model;
pub mod params;
pub mod quantise;
pub mod sample;
pub mod schedule;
pub mod train;
