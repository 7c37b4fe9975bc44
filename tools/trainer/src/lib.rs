//! Trains Heddle's network on the engine's own games.
//!
//! A [`plan`] says what is trained and how. The [`loader`] reads games and sends their positions as
//! [`sample`]s, in shuffled batches, with targets by an [`aim`]. The [`model`] holds the network in
//! floating point ([`params`]), cut into slices of hidden neurons, one per thread: each goes forward
//! and backward through its own [`layer`], and the optimiser ([`adam`]) moves it a step at a rate
//! from the [`schedule`]. [`train`] is the whole: its [`journal`] shows the progress, [`output`] writes
//! [`checkpoint`]s and the loss [`curve`], and at the end the network is [`mod@quantise`]d.
//!
//! Trained networks are compared by their [`gold`] loss.
//!
//! The result depends on the plan and the data alone, not on the threads: sums are always formed
//! in the same order.

pub mod adam;
pub mod aim;
pub mod checkpoint;
pub mod curve;
pub mod gold;
pub mod journal;
pub mod layer;
pub mod loader;
pub mod model;
pub mod output;
pub mod params;
pub mod plan;
pub mod quantise;
pub mod sample;
pub mod schedule;
pub mod train;
