//! The laboratory: the reference algorithms side by side on the same positions.
//!
//! Every algorithm gets a row: its value, its work, and how these compare. Bounded searches deepen
//! ply by ply, and their counts are sums over the iterations, so they show the effect of whatever a
//! table, killers or history carry from one iteration to the next.

mod args;
mod claims;
mod depths;
mod drawing;
mod explain;
mod html;
mod meanings;
mod measure;
mod methods;
mod plot;
mod report;
mod rows;
mod run;
mod trace;
mod worked;

pub use args::Args;
pub use methods::{BASELINE, Group, Method};
pub use rows::methods;
pub use run::{LabError, run};
