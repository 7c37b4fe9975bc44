//! Games of the engine against itself, to train a network on.
//!
//! [`generate`](fn@generate) plays them, a game a thread at a time, and appends them to a file in
//! viriformat ([`format`](mod@format)).
//! A trainer reads them with [`open`] or [`for_each`], goes through the positions of a game with
//! [`Record::walk`].

mod adjudicate;
mod files;
mod format;
mod generate;
mod openings;
mod progress;
mod selfplay;

pub use files::{Extent, FileError, ReadError, Reader, append, for_each, open};
pub use format::{Record, RecordError, Sample, Wdl};
pub use generate::{Args as GenerateArgs, GenerateError, run as generate};
