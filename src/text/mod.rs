//! Text that people read and write.
//!
//! [`show`], [`rows`] and [`live`] are positions and searches as text, [`screen`] is the terminal,
//! and [`build`] the program's name. [`files`] opens files, [`setup`] reads the game that a
//! command line describes, [`pgn`] files of games and [`suite`] files of positions.

pub mod build;
pub mod encoding;
pub mod files;
pub mod live;
pub mod pgn;
pub mod rows;
pub mod screen;
pub mod setup;
pub mod show;
pub mod suite;
