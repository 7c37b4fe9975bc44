//! Parsers for command-line values, shared by all programs of the workspace.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::RangedI64ValueParser;

use crate::score::{Depth, MAX_PLY};

use super::system::{max_hash, max_threads};

/// The most lines that a search can report: no position has more legal moves.
pub const MAX_MULTIPV: usize = 256;

/// The exit status after an error.
const FAILURE: u8 = 2;
/// The exit status after Ctrl-C, by shell convention.
pub const INTERRUPTED: u8 = 130;

/// Writes the error that ends `program` to standard error and returns the exit status for it.
#[must_use]
pub fn fail(program: &str, error: impl Display) -> ExitCode {
    // If this fails too, nobody can be told.
    let _ = writeln!(io::stderr(), "{program}: {error}");
    ExitCode::from(FAILURE)
}

/// A depth, in plies.
#[must_use]
pub fn depth() -> RangedI64ValueParser<Depth> {
    clap::value_parser!(Depth).range(1..=MAX_PLY as i64)
}

/// A number of threads that this machine can run.
///
/// # Errors
/// The allowed range, as text.
pub fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, max_threads())
}

/// The size of a transposition table, in MiB.
///
/// # Errors
/// The allowed range, as text.
pub fn hash(text: &str) -> Result<usize, String> {
    between(text, 1, max_hash())
}

/// A number of lines to show.
///
/// # Errors
/// The allowed range, as text.
pub fn lines(text: &str) -> Result<usize, String> {
    between(text, 1, MAX_MULTIPV)
}

/// A whole number from `min` to `max`.
///
/// # Errors
/// The allowed range, as text.
pub fn between(text: &str, min: usize, max: usize) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("not a number from {min} to {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bounds() {
        assert_eq!(between(" 3", 3, 5), Ok(3));
        for text in ["2", "6", "-3", "three", ""] {
            assert_eq!(between(text, 3, 5), Err("not a number from 3 to 5".into()), "{text}");
        }
        assert!(hash("0").is_err() && hash("1").is_ok());
        assert!(threads("0").is_err() && threads("1024").is_ok());
    }
}
