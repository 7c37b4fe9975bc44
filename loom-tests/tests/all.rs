//! The models as one program, which is linked once.

#![cfg(loom)]

mod board;
mod census;
mod counters;
mod crew;
mod crew_mutants;
mod histories;
mod limits;
mod mailbox;
mod outcome;
mod protocol;
mod slot;
mod stop;
mod table;
mod turnstile;
