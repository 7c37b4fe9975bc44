//! Text to [`Command`]: a pure parser, which knows the protocol and nothing of chess.
//!
//! Moves and FENs stay text here; the protocol reads them when it executes the command, against
//! the position that stands then. The protocol is that of Stefan Meyer-Kahlen's UCI
//! specification (April 2006), with the commands that Stockfish added for people.

use std::time::Duration;

use crate::commands::perft;
use crate::score::{Depth, MAX_PLY};
use crate::time::limits::Limits;

/// The longest time that `go` grants; a longer one is cut to it.
const MAX_TIME: Duration = Duration::from_secs(100 * 24 * 60 * 60);
/// The longest distance to a time control or a mate, in moves.
const MAX_MOVES: u32 = 1000;
/// How much of a bad word is quoted back, in characters.
const MAX_QUOTE: usize = 40;

/// One line from the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Identify and list the options.
    Uci,
    /// Answer `readyok`.
    IsReady,
    /// The next position is from another game.
    NewGame,
    /// Set up a position.
    Position {
        /// The FEN, or `None` for the initial position.
        fen: Option<String>,
        /// The moves played from there, in UCI notation.
        moves: Vec<String>,
    },
    /// Search.
    Go(Box<Go>),
    /// Count the leaves of the tree, move by move.
    Perft(u32),
    /// End the search and answer.
    Stop,
    /// The opponent has played the expected move.
    PonderHit,
    /// Set an option.
    SetOption {
        /// Its name.
        name: String,
        /// Its value, spaces kept.
        value: Option<String>,
    },
    /// Say more, or no more, about the search.
    Debug(bool),
    /// Registration, which this engine does not need.
    Register,
    /// End the program.
    Quit,
    /// Show the board.
    Display,
    /// Show the static evaluation.
    Eval,
    /// Mirror the position, colours exchanged.
    Flip,
    /// Search the bench positions, with arguments that are read when it is executed.
    Bench(Vec<String>),
    /// Measure the nodes per second, likewise.
    Speedtest(Vec<String>),
    /// List the commands.
    Help,
    /// Say how the program was built.
    Compiler,
    /// Say under what terms the program may be used.
    License,
}

/// A `go` as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The limits, without the root moves.
    pub limits: Limits,
    /// The root moves in UCI notation; none means all.
    pub search_moves: Vec<String>,
    /// Words that mean nothing after `go`.
    pub unknown: Vec<String>,
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is none of ours.
    #[error("unknown command: {0} (try help)")]
    Unknown(String),
    /// Something has to follow a word.
    #[error("{word} needs {what}")]
    Missing {
        /// The word.
        word: &'static str,
        /// What has to follow.
        what: &'static str,
    },
    /// A number was expected.
    #[error("{word} needs a number, not {found}")]
    NotANumber {
        /// The word before.
        word: &'static str,
        /// What was found instead.
        found: String,
    },
    /// A word stands where it has no meaning.
    #[error("{word} does not take {found}")]
    Unexpected {
        /// The command.
        word: &'static str,
        /// What was found.
        found: String,
    },
}

/// Separates the leading words that are no command, which the protocol asks to skip, from the
/// rest of the line.
#[must_use]
pub fn skip_unknown(line: &str) -> (&str, &str) {
    let line = line.trim();
    let mut rest = line;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if is_command(word) {
            break;
        }
        rest = after;
    }
    (line[..line.len() - rest.len()].trim_end(), rest)
}

/// The beginning of a text that may be of any length, fit to be shown on one line.
#[must_use]
pub fn quote(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(MAX_QUOTE).collect();
    if text.chars().count() > MAX_QUOTE { shown + "…" } else { shown }
}

fn is_command(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "setoption",
        "quit",
        "debug",
        "register",
        "d",
        "eval",
        "flip",
        "bench",
        "speedtest",
        "perft",
        "help",
        "compiler",
        "license",
    ];
    WORDS.contains(&word)
}

/// The first word, and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

impl std::str::FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, CommandError> {
        let (word, rest) = split_word(line.trim());
        Ok(match word {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "position" => position(rest)?,
            "go" => go(rest)?,
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "setoption" => set_option(rest)?,
            "quit" => Self::Quit,
            "debug" => debug(rest)?,
            "register" => Self::Register,
            "d" => Self::Display,
            "eval" => Self::Eval,
            "flip" => Self::Flip,
            "bench" => Self::Bench(words(rest)),
            "speedtest" => Self::Speedtest(words(rest)),
            "perft" => Self::Perft(perft_depth(&mut rest.split_whitespace())?),
            "help" => Self::Help,
            "compiler" => Self::Compiler,
            "license" => Self::License,
            unknown => return Err(CommandError::Unknown(quote(unknown))),
        })
    }
}

fn position(rest: &str) -> Result<Command, CommandError> {
    let mut words = rest.split_whitespace();
    let missing = CommandError::Missing { word: "position", what: "startpos or fen" };
    let fen = match words.next() {
        Some("startpos") => None,
        Some("fen") => {
            let fen: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            let moves = words.map(str::to_owned).collect();
            return Ok(Command::Position { fen: Some(fen.join(" ")), moves });
        }
        _ => return Err(missing),
    };
    match words.next() {
        None | Some("moves") => {}
        Some(word) => {
            return Err(CommandError::Unexpected { word: "startpos", found: quote(word) });
        }
    }
    Ok(Command::Position { fen, moves: words.map(str::to_owned).collect() })
}

fn set_option(rest: &str) -> Result<Command, CommandError> {
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
        Ok(Command::SetOption { name: name.join(" "), value })
    }
}

fn debug(rest: &str) -> Result<Command, CommandError> {
    match rest {
        "on" => Ok(Command::Debug(true)),
        "off" => Ok(Command::Debug(false)),
        _ => Err(CommandError::Missing { word: "debug", what: "on or off" }),
    }
}

fn words(rest: &str) -> Vec<String> {
    rest.split_whitespace().map(str::to_owned).collect()
}

fn perft_depth<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<u32, CommandError> {
    Ok(clamp(number("perft", words)?, 0, perft::MAX_DEPTH.into()) as u32)
}

fn go(rest: &str) -> Result<Command, CommandError> {
    let mut go = Go::default();
    let mut in_search_moves = false;
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        let limits = &mut go.limits;
        let listing = std::mem::take(&mut in_search_moves);
        match word {
            "searchmoves" => in_search_moves = true,
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "wtime" => limits.white.remaining = Some(time("wtime", &mut words)?),
            "btime" => limits.black.remaining = Some(time("btime", &mut words)?),
            "winc" => limits.white.increment = time("winc", &mut words)?,
            "binc" => limits.black.increment = time("binc", &mut words)?,
            "movetime" => limits.move_time = Some(time("movetime", &mut words)?),
            "movestogo" => {
                let moves = number("movestogo", &mut words)?;
                limits.moves_to_go = (moves > 0).then(|| clamp(moves, 1, MAX_MOVES.into()) as u32);
            }
            "depth" => {
                let depth = number("depth", &mut words)?;
                limits.depth = Some(clamp(depth, 1, MAX_PLY as u64) as Depth);
            }
            "nodes" => limits.nodes = Some(clamp(number("nodes", &mut words)?, 1, u64::MAX)),
            "mate" => {
                let moves = number("mate", &mut words)?;
                limits.mate = Some(clamp(moves, 1, MAX_MOVES.into()) as u32);
            }
            "perft" => return Ok(Command::Perft(perft_depth(&mut words)?)),
            other if listing => {
                go.search_moves.push(other.to_owned());
                in_search_moves = true;
            }
            other => go.unknown.push(other.to_owned()),
        }
    }
    Ok(Command::Go(Box::new(go)))
}

/// The next word as a number; one that no register holds is taken as the nearest that fits.
fn number<'a>(
    word: &'static str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<i128, CommandError> {
    let text = words.next().ok_or(CommandError::Missing { word, what: "a number" })?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CommandError::NotANumber { word, found: quote(text) });
    }
    let overflow = if text.starts_with('-') { i128::MIN } else { i128::MAX };
    Ok(text.parse().unwrap_or(overflow))
}

/// The next word as milliseconds; less than none is none.
fn time<'a>(
    word: &'static str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<Duration, CommandError> {
    let milliseconds = clamp(number(word, words)?, 0, MAX_TIME.as_millis() as u64);
    Ok(Duration::from_millis(milliseconds))
}

fn clamp(number: i128, min: u64, max: u64) -> u64 {
    number.clamp(min.into(), max.into()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Command {
        line.parse().unwrap()
    }

    fn parse_go(line: &str) -> Go {
        match parse(line) {
            Command::Go(go) => *go,
            other => panic!("{line} gave {other:?}"),
        }
    }

    fn error(line: &str) -> String {
        line.parse::<Command>().unwrap_err().to_string()
    }

    #[test]
    fn every_single_word_is_its_command() {
        assert_eq!(parse("  uci\r"), Command::Uci);
        assert_eq!(parse("isready"), Command::IsReady);
        assert_eq!(parse("ucinewgame"), Command::NewGame);
        assert_eq!(parse("stop"), Command::Stop);
        assert_eq!(parse("ponderhit"), Command::PonderHit);
        assert_eq!(parse("quit"), Command::Quit);
        assert_eq!(parse("debug on"), Command::Debug(true));
        assert_eq!(parse("debug off"), Command::Debug(false));
        assert_eq!(parse("register later"), Command::Register);
        assert_eq!(parse("perft 4"), Command::Perft(4));
        assert_eq!(parse("bench 9  2"), Command::Bench(vec!["9".into(), "2".into()]));
        assert_eq!(parse("speedtest"), Command::Speedtest(vec![]));
    }

    #[test]
    fn whatever_the_parser_reads_is_not_skipped() {
        for word in [
            "uci",
            "go",
            "d",
            "eval",
            "flip",
            "help",
            "compiler",
            "license",
            "bench",
            "speedtest",
            "stop",
        ] {
            assert!(is_command(word) && word.parse::<Command>().is_ok(), "{word}");
        }
        assert_eq!(error("castle"), "unknown command: castle (try help)");
    }

    #[test]
    fn leading_unknown_words_are_separated() {
        assert_eq!(skip_unknown("joho debug on"), ("joho", "debug on"));
        assert_eq!(skip_unknown(" what is this "), ("what is this", ""));
        assert_eq!(skip_unknown("go depth 3"), ("", "go depth 3"));
        assert_eq!(skip_unknown("  \t"), ("", ""));
        assert_eq!(skip_unknown("é stop"), ("é", "stop"));
    }

    #[test]
    fn positions_keep_their_fen_and_moves_as_text() {
        assert_eq!(
            parse("position startpos moves e2e4  e7e5"),
            Command::Position { fen: None, moves: vec!["e2e4".into(), "e7e5".into()] }
        );
        assert_eq!(
            parse("position fen 8/8/8/8/8/k7/8/K7 w - - 0 1"),
            Command::Position { fen: Some("8/8/8/8/8/k7/8/K7 w - - 0 1".into()), moves: vec![] }
        );
        assert_eq!(error("position"), "position needs startpos or fen");
        assert_eq!(error("position e2e4"), "position needs startpos or fen");
        assert_eq!(error("position startpos e2e4"), "startpos does not take e2e4");
    }

    #[test]
    fn go_reads_everything_in_any_order() {
        let go = parse_go(
            "go movestogo 20 searchmoves e2e4 d2d4 winc 30 wtime 1000 btime 2000 binc 40 ponder \
             depth 7 nodes 500 mate 3 movetime 250 infinite",
        );
        let limits = go.limits;
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(limits.white.remaining, Some(Duration::from_secs(1)));
        assert_eq!(limits.black.remaining, Some(Duration::from_secs(2)));
        assert_eq!(limits.white.increment, Duration::from_millis(30));
        assert_eq!(limits.black.increment, Duration::from_millis(40));
        assert_eq!(limits.moves_to_go, Some(20));
        assert_eq!(limits.depth, Some(7));
        assert_eq!(limits.nodes, Some(500));
        assert_eq!(limits.mate, Some(3));
        assert_eq!(limits.move_time, Some(Duration::from_millis(250)));
        assert!(limits.ponder && limits.infinite);
        assert_eq!(parse_go("go"), Go::default());
    }

    #[test]
    fn absurd_numbers_are_clamped() {
        let limits =
            parse_go("go wtime -5 btime 99999999999999999999999999999999999999999999").limits;
        assert_eq!(limits.white.remaining, Some(Duration::ZERO));
        assert_eq!(limits.black.remaining, Some(MAX_TIME));
        let limits = parse_go("go depth 0 nodes -1 mate 0 movestogo -3").limits;
        assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(1), Some(1), Some(1)));
        assert_eq!(limits.moves_to_go, None);
        assert_eq!(parse_go("go depth 4000").limits.depth, Some(MAX_PLY as Depth));
        assert_eq!(parse("go depth 3 perft 99"), Command::Perft(perft::MAX_DEPTH));
        assert_eq!(parse("perft -1"), Command::Perft(0));
    }

    #[test]
    fn malformed_numbers_are_one_error() {
        assert_eq!(error("go depth"), "depth needs a number");
        assert_eq!(error("go depth x"), "depth needs a number, not x");
        assert_eq!(error("go wtime 1e5"), "wtime needs a number, not 1e5");
        assert_eq!(error("go wtime - btime 5"), "wtime needs a number, not -");
        assert_eq!(error("perft"), "perft needs a number");
        assert_eq!(error("debug maybe"), "debug needs on or off");
        let long = format!("go nodes {}", "é".repeat(100_000));
        assert!(error(&long).len() < 200);
    }

    #[test]
    fn unknown_words_after_go_are_kept_apart() {
        let go = parse_go("go fast depth 3 searchmoves e2e4 depth 4 soon");
        assert_eq!(go.unknown, ["fast", "soon"]);
        assert_eq!(go.search_moves, ["e2e4"]);
        assert_eq!(go.limits.depth, Some(4));
    }

    #[test]
    fn options_keep_the_spaces_of_their_values() {
        let option = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.into(),
            value: value.map(Into::into),
        };
        assert_eq!(parse("setoption name Hash value 64"), option("Hash", Some("64")));
        assert_eq!(parse("setoption name Clear  Hash"), option("Clear Hash", None));
        assert_eq!(parse("setoption name Path value a  b c "), option("Path", Some("a  b c")));
        assert_eq!(parse("setoption name Path value"), option("Path", Some("")));
        assert_eq!(error("setoption Hash 5"), "setoption needs name <option>");
        assert_eq!(error("setoption name value 5"), "setoption needs name <option>");
    }
}
