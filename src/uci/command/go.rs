//! The arguments of `go`.
//!
//! A malformed limit is reported and left out, and the rest of the line counts: a GUI that has sent
//! `go` waits for a `bestmove` whatever was wrong with it.

use std::time::Duration;

use super::{Command, CommandError, Queued, Reading, clamp, number, perft_depth, quote};
use crate::score::{Depth, MAX_PLY};
use crate::time::limits::Limits;

/// The longest time that `go` grants; a longer one is cut to it.
pub(super) const MAX_TIME: Duration = Duration::from_secs(100 * 24 * 60 * 60);
/// The longest distance to a time control or a mate, in moves.
const MAX_MOVES: u64 = 1000;

/// A `go` as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The limits, without the root moves.
    pub limits: Limits,
    /// The root moves in UCI notation; none means all.
    pub search_moves: Vec<String>,
    /// Words that mean nothing after `go`.
    pub unknown: Vec<String>,
    /// Errors in limits, which are left out.
    pub errors: Vec<CommandError>,
}

/// The argument of a word of `go`, and its effect on the limits.
enum Takes {
    Nothing(fn(&mut Limits)),
    Number(fn(&mut Limits, i128)),
}

/// The words of `go`, but for [`PERFT`].
const WORDS: [(&str, Takes); 12] = [
    (SEARCH_MOVES, Takes::Nothing(|_| {})), // the moves follow
    ("ponder", Takes::Nothing(|limits| limits.ponder = true)),
    ("infinite", Takes::Nothing(|limits| limits.infinite = true)),
    ("wtime", Takes::Number(|limits, ms| limits.white.remaining = Some(time(ms)))),
    ("btime", Takes::Number(|limits, ms| limits.black.remaining = Some(time(ms)))),
    ("winc", Takes::Number(|limits, ms| limits.white.increment = time(ms))),
    ("binc", Takes::Number(|limits, ms| limits.black.increment = time(ms))),
    ("movetime", Takes::Number(|limits, ms| limits.move_time = Some(time(ms)))),
    (
        "movestogo",
        Takes::Number(|limits, moves| {
            limits.moves_to_go = (moves > 0).then(|| clamp(moves, 1, MAX_MOVES) as u32);
        }),
    ),
    (
        "depth",
        Takes::Number(|limits, depth| {
            limits.depth = Some(clamp(depth, 1, MAX_PLY as u64) as Depth);
        }),
    ),
    ("nodes", Takes::Number(|limits, nodes| limits.nodes = Some(clamp(nodes, 1, u64::MAX)))),
    ("mate", Takes::Number(|limits, moves| limits.mate = Some(clamp(moves, 1, MAX_MOVES) as u32))),
];

const SEARCH_MOVES: &str = "searchmoves";
/// The word that makes another command of the whole line.
const PERFT: &str = "perft";

fn find(word: &str) -> Option<&'static (&'static str, Takes)> {
    const ALL: &[(&str, Takes)] = &WORDS;
    ALL.iter().find(|(name, _)| *name == word)
}

fn is_keyword(word: &str) -> bool {
    word == PERFT || find(word).is_some()
}

/// Milliseconds; less than none is none.
fn time(milliseconds: i128) -> Duration {
    Duration::from_millis(clamp(milliseconds, 0, MAX_TIME.as_millis() as u64))
}

/// Reads what follows `go`. Only a `perft` without a valid depth is an error.
pub(super) fn read(rest: &str) -> Reading {
    let mut go = Go::default();
    let mut is_listing = false;
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word == PERFT {
            return Ok(Command::Queued(Queued::Perft(perft_depth(words.next())?)));
        }
        let Some((name, takes)) = find(word) else {
            let list = if is_listing { &mut go.search_moves } else { &mut go.unknown };
            list.push(word.to_owned());
            continue;
        };
        is_listing = *name == SEARCH_MOVES;
        match takes {
            Takes::Nothing(set) => set(&mut go.limits),
            // A number that was forgotten does not cost the word after it.
            Takes::Number(set) => match words.next_if(|next| !is_keyword(next)) {
                None => go.errors.push(CommandError::Missing { word: name, what: "a number" }),
                Some(text) => match number(name, text) {
                    Ok(value) => set(&mut go.limits, value),
                    Err(error) => go.errors.push(error),
                },
            },
        }
    }
    Ok(Command::Queued(Queued::Go(Box::new(go))))
}

impl Go {
    /// The errors, if there are any, on one line.
    pub fn complaint(&self) -> Option<String> {
        let errors: Vec<String> = self.errors.iter().map(ToString::to_string).collect();
        let errors = errors.join("; ");
        let unknown = quote(&self.unknown.join(" "));
        match (self.unknown.is_empty(), self.errors.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("go: {errors}")),
            (false, true) => Some(format!("go ignores {unknown}")),
            (false, false) => Some(format!("go ignores {unknown}; {errors}")),
        }
    }
}
