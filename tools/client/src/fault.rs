//! What may go wrong with an engine.

use std::io;
use std::time::Duration;

use heddle::score::Depth;

/// The most that is shown of what an engine said, in characters.
const SHOWN: usize = 120;

/// Why an engine cannot be measured, wholly or in one position.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The user has interrupted the measurement.
    #[error("interrupted")]
    Interrupted,
    /// The program could not be started.
    #[error("cannot run {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// The error from the system.
        source: io::Error,
    },
    /// The process ended, or closed its input or output.
    #[error("the engine ended ({status}){}", quoted(last))]
    Ended {
        /// How it ended, in words.
        status: String,
        /// What it said last.
        last: String,
    },
    /// An answer does not come.
    #[error("no answer to `{command}` within {} s", limit.as_secs_f64())]
    Silent {
        /// What it was told.
        command: String,
        /// How long it had.
        limit: Duration,
    },
    /// An option cannot be set.
    #[error("no option {name}: {hint}")]
    Unknown {
        /// The option's name.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// A value is outside of its option's bounds.
    #[error("{name} is a number from {min} to {max}, not {value}")]
    Bounds {
        /// The option's name.
        name: String,
        /// The value.
        value: String,
        /// The least value.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// A value is none of its option's choices.
    #[error("{name} is one of {choices}, not {value}")]
    Choice {
        /// The option's name.
        name: String,
        /// The value.
        value: String,
        /// What may be chosen.
        choices: String,
    },
    /// The answer to `go` makes no sense.
    #[error("its move in {fen} is `{}`", printable(answer))]
    Move {
        /// What it said.
        answer: String,
        /// The position.
        fen: String,
    },
    /// No depth, or none with its nodes, was reported.
    #[error("it reports no {0}")]
    Unreported(&'static str),
    /// The search ended too early; other positions may still be searched.
    #[error("it ends at depth {reached} of {goal}")]
    Early {
        /// The depth completed.
        reached: Depth,
        /// The depth to complete.
        goal: Depth,
    },
}

/// What an engine said, as the end of a sentence.
fn quoted(text: &str) -> String {
    let text = printable(text);
    if text.is_empty() { text } else { format!(", last said: {text}") }
}

/// What an engine said, on one line, not too long, and harmless to a terminal.
pub fn printable(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_one_short_line() {
        let said = |last: &str| {
            Fault::Ended { status: "exit status: 1".into(), last: last.into() }.to_string()
        };
        assert_eq!(said(" "), "the engine ended (exit status: 1)");
        assert_eq!(said("no\x1bnet\n"), "the engine ended (exit status: 1), last said: nonet");
        assert!(said(&"x".repeat(1000)).len() < 200);
    }
}
