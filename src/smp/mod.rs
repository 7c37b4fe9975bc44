//! Several workers: the crew of threads, the board on which they note what they do, stop flag, counters, mailbox,
//! sharing, stagger, lockstep, simulated caches and vote.

pub mod board;
pub mod coherence;
pub mod counter;
pub mod crew;
pub mod lockstep;
pub mod mailbox;
pub mod sharing;
pub mod spawn;
pub mod stagger;
pub mod stop;
pub mod vote;
