//! The game that the words of a command line describe: a position and the moves from there, or a
//! file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::files;
use super::pgn::{self, MainLine, PgnError};
use super::suite::{self, LineError};
use crate::paths;
use crate::position::record::trimmed;
use crate::position::{FenError, Game, MoveError, Position};

/// The word between a position and its moves; it may be left out.
const MOVES: &str = "moves";
/// A word with such an extension is the name of a file, even if there is no such file.
const EXTENSIONS: [&str; 3] = [GAMES, "epd", "fen"];
/// That of games, whatever they look like.
const GAMES: &str = "pgn";
/// Extensions of compressed files.
const PACKED: [&str; 2] = ["gz", "zst"];
/// Operations of EPD that no move is written like.
const OPERATIONS: [&str; 10] = ["bm", "am", "id", "hmvc", "fmvn", "acd", "acn", "ce", "dm", "pv"];
/// The ends of games in PGN.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// Why the words describe no game.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no such position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is not legal.
    #[error("{source}, before {number}{}", if *.is_white { "." } else { "..." })]
    Move {
        /// The number of the move that was due.
        number: u32,
        /// It was White's.
        is_white: bool,
        /// The reason.
        source: MoveError,
    },
    /// The first word is none of the things that it may be.
    #[error("{0} is neither a FEN, a move nor a file")]
    Unknown(String),
    /// The file cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Pgn(PathBuf, #[source] PgnError),
    /// The file is a list of positions, and a line is none.
    #[error("{} {}", .0.display(), .1)]
    List(PathBuf, #[source] LineError),
    /// The list has fewer positions.
    #[error("{}: no position {}", .0.display(), .1)]
    Missing(PathBuf, usize),
    /// The game is shorter than was asked for.
    #[error("the game has only {0} {plies}", plies = if *.0 == 1 { "ply" } else { "plies" })]
    Short(usize),
}

/// Reads the game that `words` describe: a file of games or positions, of which `number`, from 1,
/// is taken; or a position (a FEN, `startpos` or nothing) and moves in algebraic or UCI notation.
/// With `ply`, only as many of its moves are played.
pub fn game(words: &[String], number: usize, ply: Option<usize>) -> Result<Game, SetupError> {
    let MainLine { start, moves } = match words {
        [path] if is_file(&paths::path(path)) => file(&paths::path(path), number)?,
        _ => line(&words.join(" "))?,
    };
    let plies = ply.unwrap_or(moves.len());
    if plies > moves.len() {
        return Err(SetupError::Short(moves.len()));
    }
    let mut game = Game::new(start);
    let is_played = moves[..plies].iter().all(|&m| game.play_or_pass(m));
    debug_assert!(is_played, "the moves were found to be legal");
    Ok(game)
}

fn is_file(path: &Path) -> bool {
    let is_named = extension(path).is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known));
    is_named || path.is_file() || path == Path::new(files::STANDARD_INPUT)
}

/// The extension of a file before it was compressed.
fn extension(path: &Path) -> Option<OsString> {
    let is_packed = path.extension().is_some_and(|e| PACKED.iter().any(|packed| e == *packed));
    let path = if is_packed { path.with_extension("") } else { path.to_owned() };
    path.extension().map(OsStr::to_owned)
}

/// Reads the game or the position of this number in a file.
fn file(path: &Path, number: usize) -> Result<MainLine, SetupError> {
    let refused = |source| SetupError::Pgn(path.to_owned(), source);
    let mut input = files::open(path).map_err(|error| refused(error.into()))?;
    let beginning = input.fill_buf().map_err(|error| refused(error.into()))?;
    let is_list = suite::is_list(&String::from_utf8_lossy(beginning));
    if !is_list || extension(path).is_some_and(|extension| extension == GAMES) {
        return pgn::read(input, number).map_err(refused);
    }
    let text = suite::text(input).map_err(|error| refused(error.into()))?;
    let records = suite::records(&text);
    let records = records.map_err(|source| SetupError::List(path.to_owned(), source))?;
    let record = records.into_iter().nth(number - 1);
    let (_, record) = record.ok_or_else(|| SetupError::Missing(path.to_owned(), number))?;
    Ok(MainLine { start: record.position, moves: Vec::new() })
}

/// Reads a position and moves.
fn line(text: &str) -> Result<MainLine, SetupError> {
    let text = trimmed(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_fen = words.first().is_some_and(|word| word.contains('/'));
    let fields = if is_fen { fen_fields(&words) } else { 0 };
    if is_fen && is_record(text, words.get(fields)) {
        // What follows the position was not played.
        let start = Position::from_record(text)?;
        return Ok(MainLine { start, moves: Vec::new() });
    }
    let start = match words.first() {
        Some(_) if is_fen => Position::from_record(&words[..fields].join(" "))?,
        _ => Position::default(),
    };
    let is_named = words.first() == Some(&"startpos");
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in &words[fields.max(usize::from(is_named))..] {
        let word = word.trim_end_matches(['!', '?']);
        // A move may follow its number without a space; castling may be written with zeros.
        let (number, rest) = word.split_once('.').unwrap_or(("", word));
        let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let word = if is_numbered { rest.trim_start_matches('.') } else { word };
        if word.is_empty() || word == MOVES || RESULTS.contains(&word) {
            continue;
        }
        let (number, is_white) = (position.fullmoves(), position.turn().is_white());
        let (m, after) = pgn::step(&position, word).map_err(|source| match source {
            MoveError::Syntax(_) if moves.is_empty() && !is_fen && !is_named => {
                SetupError::Unknown(word.to_owned())
            }
            source => SetupError::Move { number, is_white, source },
        })?;
        moves.push(m);
        position = after;
    }
    Ok(MainLine { start, moves })
}

/// Whether a text that begins with a position is quoted, a row of a table or an EPD, with `next`
/// after the position.
fn is_record(text: &str, next: Option<&&str>) -> bool {
    text.starts_with(['"', '\''])
        || text.contains([';', ','])
        || next.is_some_and(|next| OPERATIONS.contains(next))
}

/// How many of the words belong to the FEN that they begin with, whose last fields may be missing.
fn fen_fields(words: &[&str]) -> usize {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let fits = |(index, word): (usize, &&str)| match index {
        0 => true,
        1 => matches!(*word, "w" | "b"),
        2 => word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') && *word != MOVES,
        3 => *word == "-" || is_passed(word, words.get(4)),
        4 | 5 => is_number(word),
        _ => false,
    };
    words.iter().enumerate().take_while(|&word| fits(word)).count()
}

/// Whether a word is the square of a capture en passant. Without a clock after it, a square of
/// another rank is a move.
fn is_passed(word: &str, next: Option<&&str>) -> bool {
    let has_clock = next.is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_digit()));
    let is_square = matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8']);
    is_square && (has_clock || word.ends_with(['3', '6']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fen(text: &str, ply: Option<usize>) -> Result<String, String> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        game(&words, 1, ply).map(|game| game.position().fen()).map_err(|error| error.to_string())
    }

    const AFTER: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";

    #[test]
    fn moves_follow_a_position_in_either_notation() {
        let start = crate::position::START_FEN;
        for text in [
            "e4 e5 Nf3",
            "startpos moves e2e4 e7e5 g1f3",
            "1. e4 e5! 2.Nf3?! *",
            &format!("{start} e4 e7e5 Nf3"),
            &format!("{start} moves e4 e5 Nf3"),
            AFTER,
        ] {
            assert_eq!(fen(text, None).unwrap(), AFTER, "{text}");
        }
        assert_eq!(fen("e4 e5 Nf3 Nc6", Some(3)).unwrap(), AFTER);
        assert_eq!(fen("", None).unwrap(), start);
        let castled = fen("4k3/8/8/8/8/8/8/R3K2R w KQ 0-0 Kd7", None).unwrap();
        assert!(castled.starts_with("8/3k4/8/8/8/8/8/R4RK1 w "), "{castled}");
    }

    #[test]
    fn operations_of_an_epd_are_no_moves() {
        let record = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";";
        assert_eq!(fen(record, None).unwrap(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        for tail in [" bm e4", " 0 1;", " 0 1,12", " c0 \"two moves later\";"] {
            let record = format!("4k3/8/8/8/8/8/4P3/4K3 w - -{tail}");
            assert_eq!(fen(&record, None).unwrap(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "{tail}");
            let quoted = format!("\"{record}\"");
            assert_eq!(fen(&quoted, None).unwrap(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "{tail}");
        }
        let wrong = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e4 0 1";
        assert!(fen(wrong, None).unwrap().contains(" b KQkq - 0 1"));
        let moved = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 e5";
        assert!(fen(moved, None).unwrap().contains("/4p3/4P3/"));
        let padded = "r3k2r/8/8/8/8/8/8/R3K2R w KQ-- - O-O";
        assert!(fen(padded, None).unwrap().starts_with("r3k2r/8/8/8/8/8/8/R4RK1 b "));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (text, message) in [
            ("nonsense", "nonsense is neither a FEN, a move nor a file"),
            ("startpos nonsense", "not a move: nonsense, before 1."),
            ("e4 Ke4", "illegal move: Ke4, before 1..."),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "illegal position: "),
            ("8/8 w", "invalid board part in FEN"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc x;", "invalid hmvc in EPD"),
            ("no such file.pgn", "no is neither a FEN, a move nor a file"),
            ("missing.pgn", "missing.pgn: "),
        ] {
            let error = fen(text, None).unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        assert_eq!(fen("e4", Some(2)).unwrap_err(), "the game has only 1 ply");
    }
}
