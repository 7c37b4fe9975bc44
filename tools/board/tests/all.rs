//! The tests of the board, as one program.

mod common;
mod hostile;
mod pages;
#[cfg(unix)]
mod program;
mod protocol;
