//! Self-play games, as training data for a network.
//!
//! [`generate()`] plays them, one per thread at a time, and appends them to a file in viriformat;
//! [`tools()`] counts, shuffles, splits and rescores such files. A trainer reads them with
//! [`open`], replays each with [`Record::walk`] and learns from the positions that [`is_quiet`]
//! passes.

mod adjudicate;
mod draw;
mod error;
mod files;
mod filter;
mod fit;
mod format;
mod generate;
mod import;
mod observe;
mod openings;
mod oracle;
mod ordered;
mod player;
mod positions;
mod progress;
mod rescore;
mod score;
mod selfplay;
mod spread;
mod stats;
mod teacher;
mod tools;
mod tree;
mod trees;
mod writer;

pub use adjudicate::{Length, MAX_PLIES, first_known, play_out};
pub use error::SelfplayError;
pub use files::{Extent, FileError, Reader, append, beside, open, temporary};
pub use filter::{MAX_SCORE, MIN_PLY, is_quiet};
pub use format::{GameResult, Record, RecordError, ScoredPosition};
pub use generate::{Args as GenerateArgs, run as generate};
pub use openings::{Openings, OpeningsError, Variety};
pub use player::Player;
pub use score::{Score, elo, points};
pub use selfplay::{Match, Rules};
pub use tools::{Args as ToolArgs, run as tools};
