//! Several workers: the crew of threads, the board on which they note what they do, stop flag,
//! mailbox, teamwork, lockstep, recorder and vote.

pub mod board;
pub mod crew;

pub mod mailbox;
pub mod recorder;
pub mod stop;
pub mod teamwork;
pub mod turnstile;
pub mod vote;
