//! Any UCI engine, measured as Heddle is.

mod comparison;
mod lineup;
mod show;

pub use comparison::Comparison;
pub use lineup::{Entrant, lineup, measure, unique};
