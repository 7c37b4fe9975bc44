//! How the search scales with the number of threads.
//!
//! A [`Plan`] of searches (every position of a suite in every [`Configuration`] of threads and
//! policy) is carried out by an [`Instrument`]: on real threads or simulated in lockstep. A
//! [`Report`] compares the samples with those on one thread, fits the Universal Scalability Law to
//! the speeds, and is written as text, JSON, CSV or HTML. Nodes per second show what the machine
//! and its memory can do, and time to depth what the search gains from it.
//!
//! Other engines are searched with over UCI, in turn, and reported on in a [`Comparison`]. The
//! [`games`] between two of them are a program of their own, `heddle match`.

mod advice;
mod args;
mod configuration;
mod document;
mod engines;
mod forecast;
pub mod games;
mod html;

mod machine;
mod measure;
mod misses;
mod origin;
mod output;
mod plot;
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
mod virtual_time;
mod wall;

pub use args::Args;
pub use configuration::{Configuration, Policy};
pub use engines::Comparison;
pub use measure::{Goal, Instrument, Plan, Run, Sample, TimeUnit};
pub use report::Report;
pub use run::{ScalingError, run};
pub use virtual_time::InLockstep;
pub use wall::OnThreads;
