//! Games between two UCI engines, in pairs: which is stronger, or how much more the other has to be
//! given to be equally strong.
//!
//! A [`Contest`](contest::Contest) says which pairs to play, an [`Arena`](arena::Arena) plays them
//! several at a time, each in a [`Duel`] of its own, and saves them, and a
//! [`Report`](report::Report) sums them up.

mod archive;
mod arena;
mod args;
mod book;
mod clock;
mod contest;
mod course;
mod duel;
mod equal;
mod factorial;
mod hand;
mod identity;
mod own;
mod pgn;
mod progress;
mod report;
mod run;
mod sprt;

pub use args::Args;
pub use clock::Limit;
pub use contest::{Odds, Pair};
pub use duel::{Duel, DuelError, Rules};
pub use own::own_engine;
pub use run::{MatchError, run};
