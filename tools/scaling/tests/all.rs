//! The integration tests as one program, which is linked once.

mod common;
mod engines;
mod games;
mod scaling;
