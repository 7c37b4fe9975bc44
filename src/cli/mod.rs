//! Parsers for command-line values, interrupts and exit statuses, shared by all programs of the
//! workspace. `manual` writes their manual pages.

pub mod hands;
mod manual;

use std::env;
use std::error::Error;
use std::io::{self, ErrorKind::BrokenPipe, IsTerminal, Write};
use std::iter;
use std::process::{self, ExitCode};
use std::time::Duration;

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

/// How all errors begin, before a colon: the tools are commands of this program.
const PROGRAM: &str = "heddle";

/// The exit status after an error.
const FAILURE: u8 = 2;
/// The exit status after Ctrl-C, by shell convention.
const INTERRUPTED: u8 = 130;

/// Reads the command line of a program, or writes its manual pages and completions and ends.
///
/// These also name the `tools`, commands that another program runs, each with its summary.
pub fn parse<C: Parser>(tools: &[(&'static str, &'static str)]) -> C {
    if let Some(folder) = manual::folder() {
        let status = match manual::write(C::command(), tools, folder.as_ref()) {
            Ok(()) => 0,
            Err(error) => {
                let _ = fail(PROGRAM, &error);
                FAILURE.into()
            }
        };
        process::exit(status);
    }
    read()
}

/// Runs a tool in a program of its own, which returns the exit status.
pub fn run_tool<A: clap::Args, T: Into<Completion>, E: Into<Box<dyn Error>>>(
    run: impl FnOnce(&A) -> Result<T, E>,
) -> ExitCode {
    // A doc comment would be the program's.
    #[derive(Parser)]
    struct Tool<A: clap::Args> {
        #[command(flatten)]
        args: A,
    }
    exit_status(run(&read::<Tool<A>>().args))
}

/// Reads a command line. The program ends if it asks for help or is not understood.
fn read<C: Parser>() -> C {
    C::try_parse().unwrap_or_else(|error| refuse(&error))
}

/// Whether the program only writes its manual page, which serves any machine.
pub fn is_for_manual() -> bool {
    manual::folder().is_some()
}

/// Prints the help that was asked for, or what is wrong with the command line, and ends the
/// program.
fn refuse(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let is_plain = !io::stderr().is_terminal() || env::var_os("NO_COLOR").is_some();
    let text = error.render();
    let text = if is_plain { text.to_string() } else { text.ansi().to_string() };
    let text = text.replacen(CLAPS_PREFIX, PROGRAM, 1);
    let _ = write!(streams::errors(), "{text}");
    process::exit(FAILURE.into())
}

/// How clap begins an error, before a colon.
const CLAPS_PREFIX: &str = "error";

/// Writes the error that ends `program` to standard error and returns the exit status for it. A
/// reader that has seen enough of the output and closed it (`heddle bench | head`) is no error.
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

/// A job that cannot be cut short.
impl From<()> for Completion {
    fn from((): ()) -> Self {
        Self::Complete
    }
}

/// The exit status of a job that ended like this. An error is told as by [`fail`].
#[must_use]
pub fn exit_status<T: Into<Completion>, E: Into<Box<dyn Error>>>(ended: Result<T, E>) -> ExitCode {
    match ended.map(T::into) {
        Ok(Completion::Complete) => ExitCode::SUCCESS,
        Ok(Completion::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => fail(PROGRAM, &*error.into()),
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

/// A time: milliseconds, or a number with its unit.
///
/// # Errors
/// What a time looks like.
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "" | "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = number.trim().parse::<f64>().unwrap_or(f64::NAN) * unit;
    // A search of no time would be one without a limit to others.
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "not a time such as 500 (milliseconds), 1.5s, 2m or 1h".to_owned())
}

/// A time in whole milliseconds, as [`duration`] reads it.
///
/// # Errors
/// What a time looks like.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    duration(text).map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1))
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
    fn times_have_units_and_plain_numbers_are_milliseconds() {
        for (text, milliseconds) in [
            ("500", 500),
            ("0.5s", 500),
            ("1.5 s", 1500),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("7ms", 7),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert_eq!(milliseconds("1.5s"), Ok(1500));
        for text in ["", "0", "-1s", "5x", "s", "1e30h", "nan", "inf s"] {
            assert!(duration(text).is_err(), "{text}");
        }
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
