//! The positions that are searched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heddle::commands::bench::{BenchError, Positions};
use heddle::commands::suite::suite;
use heddle::position::{FenError, Position};

/// Positions of the Bratko-Kopec test, which the laboratory's suite begins with.
const BRATKO_KOPEC: usize = 24;
/// Fields of a position in EPD, and in a FEN.
const EPD_FIELDS: usize = 4;
const FEN_FIELDS: usize = 6;

/// A suite that comes with the program.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// The 24 positions of the Bratko-Kopec test
    #[default]
    BratkoKopec,
    /// The positions of `bench`
    Bench,
}

/// A position with its name.
#[derive(Clone, Debug)]
pub struct Named {
    /// What it is called in tables.
    pub name: String,
    /// The position, in which there is a move to make.
    pub position: Position,
}

/// Why there are no positions.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no position.
    #[error("{} line {line}: {source}", path.display())]
    Position {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// In a position there is nothing to search.
    #[error("{} line {line}: there is no legal move", path.display())]
    Finished {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The file has no position at all.
    #[error("{}: no position", .0.display())]
    Empty(PathBuf),
    /// A suite of the program cannot be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The positions of the bench cannot be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
}

impl Suite {
    /// What the suite is called in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BratkoKopec => "Bratko-Kopec",
            Self::Bench => "bench",
        }
    }

    /// The positions.
    ///
    /// # Errors
    /// [`SuiteError`], when one of them is none.
    pub fn load(self) -> Result<Vec<Named>, SuiteError> {
        match self {
            Self::BratkoKopec => {
                let suite = suite()?.into_iter().take(BRATKO_KOPEC);
                Ok(suite.map(|p| Named { name: p.name.to_owned(), position: p.position }).collect())
            }
            Self::Bench => {
                let numbered = Positions::Default.load()?.into_iter().zip(1..);
                let name = |(position, number)| Named { name: format!("bench {number}"), position };
                Ok(numbered.map(name).collect())
            }
        }
    }
}

/// The positions of a file, one a line in EPD or as a FEN, named by the operation `id` if there is
/// one and else by the line. Empty lines and those that begin with `#` do not count.
///
/// # Errors
/// [`SuiteError`], when the file cannot be read, has no position, or has a line that is none.
pub fn read(path: &Path) -> Result<Vec<Named>, SuiteError> {
    let file = |source| SuiteError::File { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(file)?;
    let mut suite = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let blame = |source| SuiteError::Position { path: path.to_owned(), line, source };
        let (position, id) = parse(text).map_err(blame)?;
        if position.legal_moves().is_empty() {
            return Err(SuiteError::Finished { path: path.to_owned(), line });
        }
        let name = id.map_or_else(|| format!("line {line}"), str::to_owned);
        suite.push(Named { name, position });
    }
    if suite.is_empty() { Err(SuiteError::Empty(path.to_owned())) } else { Ok(suite) }
}

/// The position of a line and its operation `id`.
fn parse(line: &str) -> Result<(Position, Option<&str>), FenError> {
    let fields: Vec<&str> = line.split_whitespace().take(FEN_FIELDS).collect();
    let clocks = fields.iter().skip(EPD_FIELDS).take_while(|field| field.parse::<u32>().is_ok());
    let fen = fields[..fields.len().min(EPD_FIELDS + clocks.count())].join(" ");
    let id = line.split_once(" id \"").and_then(|(_, rest)| rest.split('"').next());
    Ok((Position::from_fen(&fen)?, id.filter(|id| !id.trim().is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::position::START_FEN;

    #[test]
    fn the_suites_are_there() {
        let suite = Suite::BratkoKopec.load().unwrap();
        assert_eq!(suite.len(), 24);
        assert!(suite.iter().all(|position| position.name.starts_with("BK.")));
        assert!(Suite::Bench.load().unwrap().len() > 50);
    }

    #[test]
    fn a_line_may_be_epd_or_a_fen() {
        let (position, id) = parse("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"a b\";").unwrap();
        assert_eq!((position.fen().as_str(), id), ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", Some("a b")));
        let (position, id) = parse(START_FEN).unwrap();
        assert_eq!((position.fen().as_str(), id), (START_FEN, None));
        let (position, _) = parse("4k3/8/8/8/8/8/4P3/4K3 w - - 7 40 id \"x\";").unwrap();
        assert_eq!((position.halfmove_clock(), position.fullmoves()), (7, 40));
        assert!(parse("4k3/8 w").is_err() && parse("").is_err());
    }
}
