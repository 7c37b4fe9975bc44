//! The commands of the program, and what they share.
//!
//! [`analyse`], [`bench`](mod@bench), [`perft`] and [`speedtest`] each do one thing and return; [`runner`] is the
//! search that they run. [`show`] and [`build`] word what people read, [`cli`] reads what they
//! type, [`suite`] the positions to measure on, [`output`] writes files of results, [`system`] asks the
//! machine what it has. A word that is none of these is another program: [`external`].

pub mod analyse;
pub mod bench;
pub mod build;
#[cfg(target_os = "linux")]
mod cgroup;
pub mod cli;
pub mod external;
pub mod output;
pub mod perft;
pub mod runner;
pub mod show;
pub mod speedtest;
pub mod suite;
pub mod system;
