//! The commands of the program, and what they share.
//!
//! [`analyse`], [`bench`](mod@bench), [`genfens`], [`perft`] and [`speedtest`] are the commands;
//! [`runner`] is the search they run. [`show`], [`rows`], [`live`], [`screen`] and [`build`] make text for people, [`cli`],
//! [`setup`] and [`pgn`] parse what they type, [`suite`] holds positions to measure on, [`output`] writes
//! result files, and [`system`] tells how much memory and how many processors there are. Any other word is
//! an external program: [`external`]. With the feature `manual`, `manual` writes the manual pages.

pub mod analyse;
pub mod bench;
pub mod build;
#[cfg(target_os = "linux")]
mod cgroup;
pub mod cli;
pub mod external;
pub mod genfens;
pub mod live;
#[cfg(feature = "manual")]
pub mod manual;
pub mod output;
pub mod perft;
pub mod pgn;
pub mod rows;
pub mod runner;
pub mod screen;
pub mod setup;
pub mod show;
pub mod speedtest;
pub mod suite;
pub mod system;
mod text;
