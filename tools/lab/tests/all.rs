//! The integration tests as one program, which is linked once.

mod lab;
mod output;
mod tables;
