//! The integration tests as one program, which is linked once.

mod common;
mod duel;
mod faults;
mod gold;
mod r#loop;
mod training;
