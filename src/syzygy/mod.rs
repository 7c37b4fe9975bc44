//! Syzygy tablebases: the result of a position, and the ranks of the root moves.
//!
//! The tables, by R. de Man (2013), hold the result of every position of few pieces without
//! castling rights (WDL) and the plies to the next capture or pawn move (DTZ). Both take the
//! fifty-move rule into account. This is the only module that uses the library that reads them.
//!
//! Files are read, not mapped: a mapped file that shrinks or fails while it is in use would kill
//! the process, and the system's cache keeps what is read often. A file is opened when the first
//! position asks for it. A corrupt file makes its probes fail, and nothing else.

mod ranking;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fmt, fs, io};

use shakmaty_syzygy::{Dtz, MaybeRounded, Metric, ProbeError, SyzygyError, Tablebase};

use crate::paths;
use crate::position::{Chess, Position};
use crate::score::Depth;
use crate::sync::Mutex;

pub use ranking::{RankedMove, Ranking};
/// The result of a position for the side to move. A cursed win and a blessed loss are draws by the
/// fifty-move rule.
pub use shakmaty_syzygy::Wdl as TbResult;

/// Pieces of the largest tables that there are.
pub const MAX_PIECES: usize = 7;

/// No tablebase was found; the text says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no tablebases: {0}")]
pub struct TablebaseError(String);

/// How a search uses the tables.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Probing {
    /// The least remaining depth, in plies, at which the largest tables are probed. Smaller ones
    /// are probed at any depth.
    pub depth: Depth,
    /// The most pieces that a position may have to be probed; 0 turns probing off.
    pub limit: usize,
    /// A win that the fifty-move rule prevents is a draw.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Self {
        Self { depth: 1, limit: MAX_PIECES, fifty_moves: true }
    }
}

/// A collection of tables, which any thread may probe. It is displayed as a summary.
#[derive(Default)]
pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
    /// Problems met when directories and files were opened.
    problems: Vec<String>,
    faults: Mutex<Faults>,
}

/// Faults of files, met while they were probed.
#[derive(Default)]
struct Faults {
    known: BTreeSet<String>,
    untold: Vec<String>,
}

impl Tablebases {
    /// Finds the tables in the directories of `path`, which are separated by `:` (on Windows by
    /// `;`). An empty path means no tables. Files that cannot be read are left out, and the summary
    /// says so.
    pub fn open(path: &str) -> Result<Self, TablebaseError> {
        let mut found = Self::default();
        if path.is_empty() {
            return Ok(found);
        }
        let path = paths::os_string(path);
        for directory in env::split_paths(&path).filter(|path| !path.as_os_str().is_empty()) {
            found.add(&directory);
        }
        if found.files == 0 {
            let nothing = || "the path names no directory".to_owned();
            return Err(TablebaseError(found.complaint().unwrap_or_else(nothing)));
        }
        Ok(found)
    }

    fn add(&mut self, directory: &Path) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return self.problems.push(format!("{}: {error}", directory.display())),
        };
        let (files, problems) = (self.files, self.problems.len());
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            match self.tables.add_file(&path) {
                Ok(()) => self.files += 1,
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {} // not a table
                Err(error) => self.problems.push(format!("{}: {error}", path.display())),
            }
        }
        if (self.files, self.problems.len()) == (files, problems) {
            self.problems.push(format!("{}: no table in it", directory.display()));
        }
    }

    /// The problems, briefly.
    fn complaint(&self) -> Option<String> {
        let first = self.problems.first()?;
        Some(match self.problems.len() - 1 {
            0 => first.clone(),
            more => format!("{first} (and {more} more)"),
        })
    }

    /// Pieces of the largest table; 0 if there is none.
    pub fn max_pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// The result of `position` for the side to move, as if the halfmove clock were zero. `None`
    /// with castling rights, or if a table is missing or corrupt.
    pub fn probe_wdl(&self, position: &Position) -> Option<TbResult> {
        self.answer(self.tables.probe_wdl_after_zeroing(&position.to_library()))
    }

    /// Plies to the next capture or pawn move on the way to the best result, as the tables count
    /// them: rounded by at most one, negative for a loss, beyond ±100 where the fifty-move rule
    /// turns a win into a draw, 0 for a draw.
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        let dtz = self.answer(self.tables.probe_dtz(&position.to_library()))?;
        let (MaybeRounded::Rounded(Dtz(plies)) | MaybeRounded::Precise(Dtz(plies))) = dtz;
        Some(plies)
    }

    /// The faults of files since the last call, each file once.
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.faults.lock().untold)
    }

    fn answer<T>(&self, probed: Result<T, SyzygyError>) -> Option<T> {
        probed.map_err(|error| self.note(&error)).ok()
    }

    /// Records the fault of a file. A position without a table is no fault.
    fn note(&self, error: &SyzygyError) {
        let SyzygyError::ProbeFailed { metric, material, error } = error else { return };
        let extension = if *metric == Metric::Wdl { "rtbw" } else { "rtbz" };
        let file = format!("{material}.{extension}");
        let mut faults = self.faults.lock();
        if faults.known.insert(file.clone()) {
            let what = match error.as_ref() {
                ProbeError::Read { error } => error.to_string(),
                ProbeError::Magic { .. } => "not a tablebase".to_owned(),
                ProbeError::CorruptedTable { .. } => "corrupt".to_owned(),
            };
            faults.untold.push(format!("tablebase {file}: {what}"));
        }
    }
}

impl fmt::Display for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.files == 0 {
            return f.write_str("no tablebases");
        }
        write!(f, "{} tablebase files, up to {} pieces", self.files, self.max_pieces())?;
        self.complaint().map_or(Ok(()), |complaint| write!(f, "; left out: {complaint}"))
    }
}

/// The tables as the inner nodes of one search probe them.
#[derive(Copy, Clone)]
pub struct Prober<'a> {
    tablebases: &'a Tablebases,
    probing: Probing,
    /// The most pieces that a position may have to be probed.
    max_pieces: usize,
}

impl<'a> Prober<'a> {
    /// `None` if there is nothing to probe, or if the ranking of the root's moves suffices.
    pub fn new(
        tablebases: &'a Tablebases,
        probing: Probing,
        ranking: Option<&Ranking>,
    ) -> Option<Self> {
        let max_pieces = tablebases.max_pieces().min(probing.limit);
        let is_wanted = max_pieces > 0 && !ranking.is_some_and(Ranking::suffices);
        is_wanted.then_some(Self { tablebases, probing, max_pieces })
    }

    /// How the tables are probed.
    pub fn probing(&self) -> Probing {
        self.probing
    }

    /// The result of `position`, at a node of `depth`, if the tables have it. Only after a capture
    /// or a pawn move: later, the fifty-move rule could change the result.
    pub fn probe(&self, position: &Position, depth: Depth) -> Option<TbResult> {
        let pieces = position.occupied().count();
        let is_probed = (pieces < self.max_pieces
            || pieces == self.max_pieces && depth >= self.probing.depth)
            && position.halfmove_clock() == 0
            && !position.has_castling_rights();
        if is_probed { self.tablebases.probe_wdl(position) } else { None }
    }
}
