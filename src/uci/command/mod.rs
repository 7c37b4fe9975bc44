//! Text to [`Command`]: a pure parser, which knows the protocol and nothing of chess.
//!
//! Every command is one row of one table: its word, its arguments for people, and the function that
//! reads them. Moves and FENs stay text here; the protocol reads them when it executes the command,
//! against the position of that moment. The protocol is that of Stefan Meyer-Kahlen's UCI
//! specification (April 2006), with the commands that Stockfish added for people.

mod go;
#[cfg(test)]
mod tests;

use crate::commands::perft;
use crate::position::record::split_moves;

pub use go::Go;

/// How much of a bad word is quoted back, in characters.
const MAX_QUOTE: usize = 40;

/// One line from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Answered as soon as it is read, whatever the engine is doing.
    Immediate(Immediate),
    /// Executed in order, when the engine is idle.
    Queued(Queued),
}

/// A command that is answered as soon as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Immediate {
    /// Identify and list the options.
    Uci,
    /// Answer `readyok`.
    IsReady,
    /// End the search and answer.
    Stop,
    /// The opponent has played the expected move.
    PonderHit,
    /// Report more about the search, or stop doing so.
    Debug(bool),
    /// Registration, which this engine does not need.
    Register,
    /// End the program.
    Quit,
    /// List the commands.
    Help,
    /// Say how the program was built.
    Compiler,
    /// Say under what terms the program may be used.
    License,
}

/// A command that waits, in order, until the engine is idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued {
    /// The next position is from another game.
    NewGame,
    /// Set up a position.
    Position {
        /// The FEN, or `None` for the initial position.
        fen: Option<String>,
        /// The moves played from there, in UCI notation.
        moves: Vec<String>,
    },
    /// A `position` that cannot be read: there is none to search until the next one.
    Refused(CommandError),
    /// Search.
    Go(Box<Go>),
    /// Count the leaves of the tree, move by move, to a depth in plies.
    Perft(u32),
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value, spaces kept.
        value: Option<String>,
    },
    /// Show the board.
    Display,
    /// Show the static evaluation.
    Eval,
    /// Mirror the position, colors exchanged.
    Flip,
    /// Search the bench positions, with arguments that are read when it is executed.
    Bench(Vec<String>),
    /// Measure the nodes per second, likewise.
    Speedtest(Vec<String>),
    /// Generate random openings, likewise.
    Genfens(Vec<String>),
}

/// Why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is not a command.
    #[error("unknown command: {0} (try help)")]
    Unknown(String),
    /// Something has to follow a word.
    #[error("{word} needs {what}")]
    Missing {
        /// The word.
        word: &'static str,
        /// The words that have to follow.
        what: &'static str,
    },
    /// A number was expected.
    #[error("{word} needs a number, not {found}")]
    NotANumber {
        /// The word before.
        word: &'static str,
        /// The word found instead.
        found: String,
    },
    /// The line is longer than any that is read.
    #[error("the line is too long")]
    LongLine,
    /// A word stands where it has no meaning.
    #[error("{word} does not take {found}")]
    Unexpected {
        /// The command.
        word: &'static str,
        /// The word found.
        found: String,
    },
}

type Reading = Result<Command, CommandError>;

/// One row of the table.
struct Row {
    word: &'static str,
    /// The arguments and what the command does, for people; one line or more.
    help: &'static str,
    /// Reads the rest of the line.
    read: fn(&str) -> Reading,
}

const fn row(word: &'static str, help: &'static str, read: fn(&str) -> Reading) -> Row {
    Row { word, help, read }
}

const fn immediate(command: Immediate) -> Reading {
    Ok(Command::Immediate(command))
}

const fn queued(command: Queued) -> Reading {
    Ok(Command::Queued(command))
}

const TABLE: [Row; 21] = [
    row("uci", "identify and list the options", |_| immediate(Immediate::Uci)),
    row("isready", "answer readyok", |_| immediate(Immediate::IsReady)),
    row("ucinewgame", "forget the last game", |_| queued(Queued::NewGame)),
    row("position", "startpos | fen <FEN> [moves <move>...]", position),
    row(
        "go",
        "wtime btime winc binc movestogo movetime depth nodes mate\n\
         searchmoves <move>... ponder infinite perft <depth>",
        go::read,
    ),
    row("stop", "end the search and answer", |_| immediate(Immediate::Stop)),
    row("ponderhit", "the expected move was played: think on the clock", |_| {
        immediate(Immediate::PonderHit)
    }),
    row("setoption", "name <option> [value <value>]", set_option),
    row("debug", "on | off", debug),
    row("register", "accepted and ignored", |_| immediate(Immediate::Register)),
    row("quit", "end the program", |_| immediate(Immediate::Quit)),
    row("d", "show the board", |_| queued(Queued::Display)),
    row("eval", "show the static evaluation", |_| queued(Queued::Eval)),
    row("flip", "mirror the position, colors exchanged", |_| queued(Queued::Flip)),
    row("perft", "<depth>: count the leaves below each move", |rest| {
        perft_depth(rest.split_whitespace().next()).and_then(|depth| queued(Queued::Perft(depth)))
    }),
    row(
        "bench",
        "[hash] [threads] [limit] [default | current | <file>]\n\
         [depth | nodes | movetime | perft | eval]:\n\
         search fixed positions",
        |rest| queued(Queued::Bench(words(rest))),
    ),
    row("speedtest", "[threads] [hash] [seconds]: measure the nodes per second", |rest| {
        queued(Queued::Speedtest(words(rest)))
    }),
    row("genfens", "<count> [seed <number>] [book None | <file>]:\nrandom openings", |rest| {
        queued(Queued::Genfens(words(rest)))
    }),
    row("help", "this list", |_| immediate(Immediate::Help)),
    row("compiler", "how the program was built", |_| immediate(Immediate::Compiler)),
    row("license", "the terms of use", |_| immediate(Immediate::License)),
];

/// The lines that explain the commands to a person.
pub fn help() -> Vec<String> {
    let lines = |row: &Row| {
        let word = row.word;
        let words = std::iter::once(word).chain(std::iter::repeat(""));
        words
            .zip(row.help.lines())
            .map(|(word, line)| format!("  {word:17} {line}"))
            .collect::<Vec<_>>()
    };
    TABLE.iter().flat_map(lines).collect()
}

/// Separates the leading words that are not a command, which the protocol asks to skip, from the
/// rest of the line.
pub fn skip_unknown(line: &str) -> (&str, &str) {
    // A program may begin what it writes with a byte order mark.
    let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let mut rest = line;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if find(word).is_some() {
            break;
        }
        rest = after;
    }
    (line[..line.len() - rest.len()].trim_end(), rest)
}

/// The beginning of a text of any length, fit to be shown on one line.
pub fn quote(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(MAX_QUOTE).collect();
    if text.chars().count() > MAX_QUOTE { shown + "…" } else { shown }
}

fn find(word: &str) -> Option<&'static Row> {
    const ROWS: &[Row] = &TABLE;
    ROWS.iter().find(|row| row.word == word)
}

/// The first word, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

impl std::str::FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Reading {
        let (word, rest) = split_word(line.trim());
        let row = find(word).ok_or_else(|| CommandError::Unknown(quote(word)))?;
        (row.read)(rest)
    }
}

/// Whether a line would set up a position.
pub fn is_position(line: &str) -> bool {
    split_word(line).0 == "position"
}

fn position(rest: &str) -> Reading {
    let (word, rest) = split_word(rest);
    let (fen, moves) = split_moves(rest);
    let fen = match word {
        "startpos" if fen.is_empty() => None,
        "startpos" => {
            let (found, _) = split_word(fen);
            return Err(CommandError::Unexpected { word: "startpos", found: quote(found) });
        }
        "fen" => Some(fen.to_owned()),
        _ => return Err(CommandError::Missing { word: "position", what: "startpos or fen" }),
    };
    queued(Queued::Position { fen, moves: words(moves) })
}

fn set_option(rest: &str) -> Reading {
    let missing = CommandError::Missing { word: "setoption", what: "name <option>" };
    let ("name", mut rest) = split_word(rest) else { return Err(missing) };
    let mut name = Vec::new();
    let mut value = None;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if word == "value" {
            value = Some(after.trim_end().to_owned());
            break;
        }
        name.push(word);
        rest = after;
    }
    if name.is_empty() {
        Err(missing)
    } else {
        queued(Queued::SetOption { name: name.join(" "), value })
    }
}

fn debug(rest: &str) -> Reading {
    match rest {
        "on" => immediate(Immediate::Debug(true)),
        "off" => immediate(Immediate::Debug(false)),
        _ => Err(CommandError::Missing { word: "debug", what: "on or off" }),
    }
}

/// The words of a line; quotes make one word of several.
fn words(mut rest: &str) -> Vec<String> {
    let mut words = Vec::new();
    loop {
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let quoted = quoted.filter(|(_, after)| !after.starts_with(|c: char| !c.is_whitespace()));
        let (word, after) = quoted.unwrap_or_else(|| split_word(rest));
        if quoted.is_none() && word.is_empty() {
            return words;
        }
        words.push(word.to_owned());
        rest = after.trim_start();
    }
}

fn perft_depth(text: Option<&str>) -> Result<u32, CommandError> {
    let text = text.ok_or(CommandError::Missing { word: "perft", what: "a number" })?;
    Ok(clamp(number("perft", text)?, 0, perft::MAX_DEPTH.into()) as u32)
}

/// `text`, which follows `word`, as a number; one that overflows is taken as the nearest that fits.
fn number(word: &'static str, text: &str) -> Result<i128, CommandError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CommandError::NotANumber { word, found: quote(text) });
    }
    let overflow = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    Ok(text.parse().unwrap_or(overflow))
}

fn clamp(number: i128, min: u64, max: u64) -> u64 {
    number.clamp(min.into(), max.into()) as u64
}
