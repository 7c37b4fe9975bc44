//! The commands of the program, and what they share.
//!
//! [`analyse`], [`bench`](mod@bench), [`genfens`], [`perft`] and [`speedtest`] are the commands, [`runner`] is
//! the search they run, and [`cli`] reads command lines. Any other word is an external program: [`external`].
//! With the feature `manual`, `manual` writes the manual pages.

pub mod analyse;
pub mod bench;
pub mod cli;
pub mod external;
pub mod genfens;
#[cfg(feature = "manual")]
pub mod manual;
pub mod perft;
pub mod runner;
pub mod speedtest;
