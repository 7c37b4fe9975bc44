//! The commands of the program.
//!
//! Those that only measure, draw or serve pages are another program's: [`tools`].

pub mod analyse;
pub mod bench;
pub mod genfens;
pub mod perft;
pub mod speedtest;
pub mod suite;
pub mod tools;
