//! The commands of the program.
//!
//! Any word that is none of them is an external program: [`external`].

pub mod analyse;
pub mod bench;
pub mod external;
pub mod genfens;
pub mod perft;
pub mod speedtest;
pub mod suite;
