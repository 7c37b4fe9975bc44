//! Several workers: the pool, the stop flag, counters, outcomes, mailbox, sharing, stagger,
//! lockstep and vote.

pub mod counter;
pub mod latest;
pub mod lockstep;
pub mod mailbox;
pub mod pool;
pub mod sharing;
pub mod spawn;
pub mod stagger;
pub mod stop;
pub mod vote;
