//! Tunes the parameters of the search by games.
//!
//! A [`Session`](session::Session) hands out [`Trial`](spsa::Trial)s of simultaneous perturbation,
//! [`Board`](game::Board)s play each as a pair of games between two engine processes, and
//! [`tune()`](tune::tune) brings the results back into the session, which is kept in a file and
//! drawn.

mod args;
mod engine;
mod game;
mod parameter;
mod plot;
mod progress;
mod run;
mod session;
mod spsa;
mod state;
mod tune;

pub use args::Args;
pub use run::{TuneError, run};
