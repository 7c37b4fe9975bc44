//! Parsers for command-line values, interrupts and exit statuses, shared by all programs of the
//! workspace. With the feature `manual`, `manual` writes their manual pages.

#[cfg(feature = "manual")]
mod manual;

use std::error::Error;
use std::io::{self, ErrorKind::BrokenPipe, Write};
use std::iter;
use std::process::{self, ExitCode};

use clap::Parser;
use clap::builder::{
    OsStringValueParser, PossibleValue, PossibleValuesParser, RangedI64ValueParser,
    TypedValueParser,
};

use crate::paths;
use crate::score::{Depth, MAX_PLY};
use crate::smp::stop::StopFlag;
use crate::streams;
use crate::sync::Arc;

use crate::machine::{max_hash, max_threads};
use crate::names::Named;

/// Default size of the transposition table in games, in MiB: small, for a GUI that sets none.
pub const GAME_HASH: usize = 16;
/// Default size of the transposition table in an analysis, in MiB.
pub const ANALYSIS_HASH: usize = 64;
/// The most lines that a search can report: no position has more legal moves.
pub const MAX_MULTIPV: usize = 256;

/// The exit status after an error.
const FAILURE: u8 = 2;
/// The exit status after Ctrl-C, by shell convention.
pub const INTERRUPTED: u8 = 130;

/// Reads the command line of a program, which ends if it asks for help or is not understood.
pub fn parse<C: Parser>() -> C {
    #[cfg(feature = "manual")]
    if let Some(folder) = std::env::var_os(manual::FOLDER) {
        let status = match manual::write(C::command(), folder.as_ref()) {
            Ok(()) => 0,
            Err(error) => {
                let _ = fail("heddle", &error);
                FAILURE.into()
            }
        };
        process::exit(status);
    }
    C::parse()
}

/// Writes the error that ends `program` to standard error and returns the exit status for it. A reader
/// that has seen enough of the output and closed it (`heddle bench | head`) is no error.
#[must_use]
pub fn fail(program: &str, error: &(dyn Error + 'static)) -> ExitCode {
    if is_unread(error) {
        return ExitCode::SUCCESS;
    }
    // If this fails too, nobody can be told.
    let _ = writeln!(streams::errors(), "{program}: {error}");
    ExitCode::from(FAILURE)
}

/// Whether an error comes from a pipe that nobody reads.
fn is_unread(error: &(dyn Error + 'static)) -> bool {
    let causes = iter::successors(Some(error), |&error| error.source());
    causes.filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|e| e.kind() == BrokenPipe)
}

/// How a job ended that an interrupt may cut short.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Everything was done, or there was nothing to do.
    Complete,
    /// It was interrupted; what was done is kept.
    Interrupted,
}

/// The exit status of `program`, whose job ended like this. An error is told as by [`fail`].
#[must_use]
pub fn exit_status<E: Error + 'static>(program: &str, ended: Result<Completion, E>) -> ExitCode {
    match ended {
        Ok(Completion::Complete) => ExitCode::SUCCESS,
        Ok(Completion::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => fail(program, &error),
    }
}

/// The system accepts no handler for interrupts.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen for interrupts: {0}")]
pub struct InterruptError(#[from] ctrlc::Error);

/// Raises `stop` at the first interrupt (Ctrl-C, or a request of the system to end) and ends the
/// program at the next one.
pub fn stop_on_interrupt(stop: Arc<StopFlag>) -> Result<(), InterruptError> {
    Ok(ctrlc::set_handler(move || {
        if stop.is_raised() {
            process::exit(INTERRUPTED.into());
        }
        stop.raise();
    })?)
}

/// The Jaro similarity from which one word may be a misspelling of the other.
const ALIKE: f64 = 0.8;

/// The candidate that is spelt most like `word`, if it may have been meant.
pub fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let rated =
        candidates.into_iter().map(|name| (strsim::jaro(&word, &name.to_lowercase()), name));
    let best = rated.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|&(likeness, _)| likeness >= ALIKE).map(|(_, name)| name)
}

/// The question whether `similar` was meant, or `otherwise` if nothing is similar.
pub fn hint(similar: Option<&str>, otherwise: &str) -> String {
    similar.map_or_else(|| otherwise.to_owned(), |name| format!("did you mean {name}?"))
}

/// A setting that is chosen by name.
pub fn named<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let values = T::VALUES.iter().map(|&(_, name, meaning)| PossibleValue::new(name).help(meaning));
    PossibleValuesParser::new(values)
        .map(|name| T::by_name(&name).expect("only listed names are accepted"))
}

/// A word that may be the name of a file, whatever its encoding.
pub fn word() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|word| paths::text(&word))
}

/// A depth, in plies.
pub fn depth() -> RangedI64ValueParser<Depth> {
    clap::value_parser!(Depth).range(1..=MAX_PLY as i64)
}

/// A number of threads that this machine can run.
pub fn threads(text: &str) -> Result<usize, String> {
    between(text, 1, max_threads())
}

/// The size of a transposition table, in MiB.
pub fn hash(text: &str) -> Result<usize, String> {
    between(text, 1, max_hash())
}

/// A number of lines to show.
pub fn lines(text: &str) -> Result<usize, String> {
    between(text, 1, MAX_MULTIPV)
}

/// A whole number from `min` to `max`; the error is that range.
pub fn between(text: &str, min: usize, max: usize) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("not a number from {min} to {max}"))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn only_a_pipe_that_nobody_reads_is_no_error() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot print: {0}")]
        struct Print(#[source] io::Error);
        assert!(is_unread(&Print(BrokenPipe.into())) && is_unread(&io::Error::from(BrokenPipe)));
        assert!(!is_unread(&Print(ErrorKind::StorageFull.into())));
    }

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
