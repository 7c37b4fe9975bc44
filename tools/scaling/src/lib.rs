//! How the search scales with the number of threads.
//!
//! A [`Plan`] of searches (every position of a suite in every [`Configuration`] of threads and
//! policy) is carried out by an [`Instrument`]: on real threads or simulated in lockstep. A
//! [`Report`] compares the samples with those on one thread, fits the Universal Scalability Law to
//! the speeds, and is written as text, JSON, CSV or HTML. Nodes per second show what the machine
//! and its memory can do, time to depth what the search gains from it, and games against one thread
//! with more nodes how much strength that is worth.
//!
//! Other engines are searched with over UCI, in turn, and reported on in a [`Comparison`].

mod advice;
mod archive;
mod arena;
mod args;
mod configuration;
mod contest;
mod document;
mod duel;
mod engines;
mod equal;
mod forecast;
mod html;
mod listing;
mod lockstep;
mod machine;
mod measure;
mod misses;
mod origin;
mod output;
mod plot;
mod ranks;
mod report;
mod run;
mod serial;
mod stats;
mod suite;
mod summary;
mod tables;
mod text;
mod usage;
mod usl;
mod wall;

pub use args::Args;
pub use configuration::{Configuration, Policy};
pub use engines::Comparison;
pub use lockstep::InLockstep;
pub use measure::{Goal, Instrument, Plan, Run, Sample, TimeUnit};
pub use ranks::Ranks;
pub use report::Report;
pub use run::{ScalingError, run};
pub use wall::OnThreads;
