//! Several workers: the crew of threads, the board on which they note what they do, stop flag, mailbox, teamwork,
//! lockstep, simulated caches and vote.

pub mod board;
pub mod coherence;
pub mod crew;
pub mod lockstep;
pub mod mailbox;
pub mod stop;
pub mod teamwork;
pub mod vote;
