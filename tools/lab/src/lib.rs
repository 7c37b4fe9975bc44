//! The laboratory: the reference algorithms side by side on the same positions.
//!
//! Every algorithm gets a row: value, work, and how that compares. Bounded searches deepen ply by
//! ply, and their counts are sums over the iterations, so that what a table, killers or history
//! carry from one iteration to the next shows.

mod args;
mod measure;
mod methods;
mod plot;
mod report;
mod run;

pub use args::Args;
pub use measure::Row;
pub use methods::{BASELINE, Group, Method, methods};
pub use run::{LabError, run};
