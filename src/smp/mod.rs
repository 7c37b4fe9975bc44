//! Several workers: the pool, the stop flag, counters, outcomes, mailbox, sharing, stagger,
//! lockstep, vote and what the workers make of the root moves.

pub mod counter;
pub mod latest;
pub mod lockstep;
pub mod mailbox;
pub mod opinions;
pub mod pool;
pub mod sharing;
pub mod spawn;
pub mod stagger;
pub mod stop;
pub mod tally;
pub mod vote;
