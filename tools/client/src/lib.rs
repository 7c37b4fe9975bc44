//! Any UCI engine in a process of its own, spoken to over pipes.

mod fault;
mod info;
mod process;
mod seat;
mod session;
mod spec;

pub use fault::Fault;
pub use info::Shown;
pub use seat::{House, Seat};
pub use session::{Reached, Session, Thought};
pub use spec::{Spec, spec};
