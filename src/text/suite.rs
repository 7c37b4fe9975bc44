//! Named positions: the built-in suite, and files of FEN or EPD lines.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::pgn::games::Games;
use super::pgn::raw::RawGame;
use super::pgn::{self, MainLine, PgnError};
use super::{encoding, files};
use crate::paths;
use crate::position::record::{Operation, Record, trimmed};
use crate::position::{FenError, Game, Position};

/// The first 24 positions are the Bratko-Kopec test (D. Kopec and I. Bratko, 1982), chosen for
/// their variety rather than for their best moves. The others are well-known endings and positions
/// that exercise the rules.
const BUILT_IN: &str = include_str!("suite.epd");

/// The first cell of a table's header.
const HEADER: &str = "fen";
/// The most words of the name of a file.
const MAX_NAME_WORDS: usize = 64;
/// Beginnings of a line of comment.
const COMMENTS: [&str; 4] = ["#", ";", "//", "%"];

/// A position with its name.
#[derive(Clone, Debug)]
pub struct Named {
    /// The operand of the `id` operation, or else the line number.
    pub name: String,
    /// The position.
    pub position: Position,
}

/// A line is not a position.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {source}")]
pub struct LineError {
    /// The line number, from 1.
    pub line: usize,
    /// The reason.
    pub source: FenError,
}

/// Why a file of positions could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file could not be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
    /// A line is not a position.
    #[error("{} {}", .0.display(), .1)]
    Line(PathBuf, #[source] LineError),
    /// The file contains no positions.
    #[error("{}: no positions", .0.display())]
    Empty(PathBuf),
    /// A game makes no sense.
    #[error("{}: {}", .0.display(), .1)]
    Game(PathBuf, #[source] PgnError),
    /// The position of this name is mate, stalemate or drawn.
    #[error("{} {}: the game is over", .0.display(), .1)]
    Finished(PathBuf, String),
}

/// The built-in suite.
pub fn built_in() -> Vec<Named> {
    parse(BUILT_IN).expect("the built-in suite has one legal position per line")
}

/// Reads the positions of a regular file, which may be compressed: one a line, or the last ones of
/// games in PGN. A pipe might never begin or never end, and reading it could not be cancelled.
pub fn read(path: &Path) -> Result<Vec<Named>, SuiteError> {
    let metadata = fs::metadata(path).map_err(|error| SuiteError::File(path.to_owned(), error))?;
    if !metadata.is_file() {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(SuiteError::File(path.to_owned(), source));
    }
    read_any(path, None)
}

/// The same for any file, a pipe and, as `-`, the standard input; games are played for at most
/// `plies`.
pub fn read_any(path: &Path, plies: Option<usize>) -> Result<Vec<Named>, SuiteError> {
    let text = read_text(path).map_err(|source| SuiteError::File(path.to_owned(), source))?;
    let suite = if is_list(&text) {
        parse(&text).map_err(|source| SuiteError::Line(path.to_owned(), source))?
    } else {
        ends_of_games(&text, plies).map_err(|source| SuiteError::Game(path.to_owned(), source))?
    };
    if suite.is_empty() { Err(SuiteError::Empty(path.to_owned())) } else { Ok(suite) }
}

/// The same for positions that have to be played on from: they are neither over nor drawn.
pub fn read_unfinished(path: &Path, plies: Option<usize>) -> Result<Vec<Named>, SuiteError> {
    let positions = read_any(path, plies)?;
    let is_over = |named: &&Named| {
        let position = &named.position;
        position.legal_moves().is_empty() || Game::new(position.clone()).is_draw()
    };
    match positions.iter().find(is_over) {
        Some(Named { name, .. }) => Err(SuiteError::Finished(path.to_owned(), name.clone())),
        None => Ok(positions),
    }
}

/// Whether a text is a list of positions rather than games in PGN.
pub fn is_list(text: &str) -> bool {
    let is_used = |line: &&str| !line.is_empty() && !is_comment(line);
    let first = text.lines().map(trimmed).find(is_used).unwrap_or_default();
    let is_move = first.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.');
    !first.starts_with(['[', '{', '(']) && !is_move
}

/// The positions after `plies` of each game, or at its end.
fn ends_of_games(text: &str, plies: Option<usize>) -> Result<Vec<Named>, PgnError> {
    let game = |(number, game): (usize, io::Result<RawGame>)| {
        let MainLine { mut start, moves } =
            pgn::main_line(&game?).map_err(|source| PgnError::Game { number, source })?;
        for m in moves.into_iter().take(plies.unwrap_or(usize::MAX)) {
            start = start.after(m).expect("the moves of a game were found to be legal");
        }
        Ok(Named { name: format!("game {number}"), position: start })
    };
    (1..).zip(Games::new(text.as_bytes())).map(game).collect()
}

/// The file that words name, whose name may have spaces, and the number of its words: as many as
/// name a file, or one.
pub fn leading_file(words: &[&str]) -> (PathBuf, usize) {
    let named = |&count: &usize| paths::path(&words[..count].join(" ")).is_file();
    let count = (1..=words.len().min(MAX_NAME_WORDS)).rev().find(named).unwrap_or(1);
    (paths::path(&words[..count.min(words.len())].join(" ")), count)
}

/// Reads a file's text.
pub fn read_text(path: &Path) -> io::Result<String> {
    text(files::open(path)?)
}

/// The text of an input.
pub fn text(mut input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    encoding::refuse_utf16(&bytes)?;
    // Lines may end with carriage returns alone.
    Ok(encoding::decode(bytes).replace("\r\n", "\n").replace('\r', "\n"))
}

/// Parses one position per line, as a FEN, in EPD or as the first cell of a table. Empty lines,
/// comments, which are lines that begin with `#`, `;`, `//` or `%`, and the header of a table are
/// skipped.
pub fn parse(text: &str) -> Result<Vec<Named>, LineError> {
    let named = |(line, record): (usize, Record)| {
        let name = name_of(&record, line);
        Named { name, position: record.position }
    };
    Ok(records(text)?.into_iter().map(named).collect())
}

/// The name of a record: the operand of its operation `id`, or else the number of its line.
pub fn name_of(record: &Record, line: usize) -> String {
    let id = record.operation("id").map(Operation::text).filter(|id| !id.trim().is_empty());
    id.map_or_else(|| format!("line {line}"), str::to_owned)
}

/// The same with the number of each line and its operations.
pub fn records(text: &str) -> Result<Vec<(usize, Record)>, LineError> {
    let record = |(number, text)| match line_record(number, text)? {
        Ok(record) => Some(Ok((number, record))),
        Err(source) => Some(Err(LineError { line: number, source })),
    };
    (1..).zip(text.lines()).filter_map(record).collect()
}

/// The record of one line of a list, by its number from 1; `None` for an empty line, a comment and
/// the header of a table.
pub fn line_record(number: usize, text: &str) -> Option<Result<Record, FenError>> {
    let text = trimmed(text);
    let is_title = number == 1 && is_header(text);
    let is_used = !text.is_empty() && !is_comment(text) && !is_title;
    is_used.then(|| Record::read(text))
}

fn is_comment(line: &str) -> bool {
    COMMENTS.iter().any(|mark| line.starts_with(mark))
}

fn is_header(line: &str) -> bool {
    let cell = line.split([',', ';', '\t']).next().unwrap_or_default();
    cell.trim_matches('"').eq_ignore_ascii_case(HEADER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::START_FEN;

    #[test]
    fn the_built_in_suite_has_at_least_thirty_named_positions() {
        let suite = built_in();
        assert!(suite.len() >= 30);
        assert!(suite.iter().all(|p| !p.name.starts_with("line")));
        assert!(suite.iter().all(|p| !p.position.legal_moves().is_empty()));
    }

    #[test]
    fn a_line_may_be_epd_or_a_fen() {
        let one = |text: &str| -> (String, String) {
            let [Named { name, position }] = &parse(text).unwrap()[..] else { panic!("{text}") };
            (name.clone(), position.fen())
        };
        let (name, fen) = one("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"a b\";");
        assert_eq!((&name[..], &fen[..]), ("a b", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
        let (name, fen) = one(&format!("\n# a comment\n  {START_FEN}\n\n"));
        assert_eq!((&name[..], &fen[..]), ("line 3", START_FEN));
        let (name, fen) = one("4k3/8/8/8/8/8/4P3/4K3 w - - 7 40 id \"x\";");
        assert_eq!((&name[..], &fen[..]), ("x", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 40"));
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn lines_may_come_from_dos_or_from_a_table() {
        let bare = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (text, count) in [
            (format!("{bare} 0 1\r\n\u{1a}"), 1),
            (format!("{bare} 0 1\u{1a}"), 1),
            (format!("{bare}\r\n{bare}\r\n\u{1a}\u{1a}\r\n"), 2),
            (format!("\"{bare} 0 1\"\n\"{bare} 0 1\"\n"), 2),
            (format!("FEN,Evaluation\n{bare} 0 1,+12\n{bare} 0 1,-3,x\n"), 2),
            (format!("\"fen\",\"cp\"\n\"{bare} 0 1\",\"12\"\n"), 1),
        ] {
            let fens: Vec<_> = parse(&text).unwrap().iter().map(|n| n.position.fen()).collect();
            assert_eq!(fens, vec![format!("{bare} 0 1"); count], "{text:?}");
        }
        assert!(parse(&format!("{bare}\nFEN,x\n")).is_err());
    }

    #[test]
    fn a_bad_line_is_named_with_its_number_and_the_reason() {
        let error = parse("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n\n4k3/8 w - -\n").unwrap_err();
        assert_eq!(error.line, 3);
        assert!(error.to_string().starts_with("line 3: "), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = std::env::temp_dir().join(format!("heddle-suite-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.epd");
        let read = |text: &[u8]| {
            fs::write(&path, text).unwrap();
            read(&path).map_err(|error| error.to_string())
        };
        let name = path.display();
        assert_eq!(read(b"4k3/8/8/8/8/8/4P3/4K3 w - -\n").unwrap().len(), 1);
        assert!(read(b"\nnonsense\n").unwrap_err().starts_with(&format!("{name} line 2: ")));
        assert_eq!(read(b"# nothing\n").unwrap_err(), format!("{name}: no positions"));
        let latin = b"\xef\xbb\xbf4k3/8/8/8/8/8/4P3/4K3 w - -; id \"M\xfcller\";\r\n// next\r\n";
        let [Named { name: id, .. }] = &read(latin).unwrap()[..] else { panic!("one position") };
        assert_eq!(id, "Müller");
        let old = b"4k3/8/8/8/8/8/4P3/4K3 w - -\r4k3/8/8/8/8/8/4P3/4K3 b - -\r";
        assert_eq!(read(old).unwrap().len(), 2);
        assert!(read(b"\xff\xfe4\0k\0").unwrap_err().ends_with("save it as UTF-8"));
        let error = super::read(&folder).unwrap_err().to_string();
        assert!(error.ends_with("not a regular file"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(super::read(&path), Err(SuiteError::File(..))));
    }
}
