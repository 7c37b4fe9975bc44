//! Any UCI engine, measured as Heddle is: in a process of its own, over pipes.

mod comparison;
mod fault;
mod info;
mod lineup;
mod process;
mod session;
mod show;
mod spec;

pub use comparison::Comparison;
pub use lineup::{Entrant, lineup, measure};
pub use spec::{Spec, spec};
