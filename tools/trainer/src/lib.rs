//! Trains Heddle's network on the engine's own games.
//!
//! A [`plan`] says what is trained and how. The [`loader`] reads games, keeps their positions
//! [`packed`] and sends them as [`sample`]s in shuffled batches, with the targets of an [`aim`].
//! The [`model`] holds the network in floating point ([`params`]), split into slices of hidden
//! neurons, one per thread: each slice runs forward and backward through its own [`layer`], and the
//! optimiser ([`adam`]) updates it at a learning rate from the [`schedule`]; the [`average`] of the
//! last steps may be what counts. [`train`] ties these together: its [`journal`] shows the
//! progress, [`output`] writes [`checkpoint`]s and the loss [`curve`], and at the end the network
//! is put in [`mod@order`] and [`mod@quantise`]d. Scores and chances meet in [`logistic`].
//!
//! Trained networks are compared by the [`judge`], by their [`gold`] loss, and by the games of a
//! [`duel`]; several become one by their [`mean`], or speak as one in a [`committee`].
//!
//! The result depends only on the plan and the data, not on the number of threads: sums are always
//! computed in the same order.

pub mod adam;
pub mod aim;
pub mod average;
pub mod checkpoint;
mod command;
pub mod committee;
pub mod curve;
pub mod direction;
pub mod duel;
pub mod gold;
mod head;
pub mod journal;
pub mod judge;
pub mod layer;
pub mod loader;
pub mod logistic;
pub mod mean;
pub mod model;
pub mod occurrences;
pub mod order;
pub mod output;
pub mod packed;
pub mod params;
pub mod plan;
pub mod prune;
pub mod quantise;
pub mod sample;
pub mod schedule;
pub mod sharing;
pub mod train;

pub use command::{Args, run};
