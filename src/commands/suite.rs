//! Test suites: positions with the moves that solve them (`bm`) or do not (`am`), as in the
//! operations of EPD.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cli::Completion;
use crate::engine::{Engine, Settings};
use crate::position::record::{Operation, Record};
use crate::position::{Game, Move, MoveError, Position};
use crate::score::Depth;
use crate::search::Line;
use crate::smp::stop::StopFlag;
use crate::text::show;
use crate::text::suite::{self, LineError};
use crate::time::limits::Limits;
use crate::tt::Bound;
use crate::wdl::{self, MODEL};

/// Operations that tell of an analysis, and are written anew.
const OWN: [&str; 7] = ["acd", "acn", "acs", "ce", "dm", "pm", "pv"];
/// Operations that any program may use for a text.
const TEXTS: [&str; 10] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
/// How such a text of ours begins.
const MARK: &str = "Heddle: ";
/// The longest line that is written, in plies.
const MAX_LINE: usize = 12;
/// Centipawns of the side that is mated, less the moves that it has left, by the standard of EPD.
const MATED: i32 = 32_767;
/// Time for a position unless something else is given.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Why a suite cannot be run, or was not run as a whole.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// A line is not a position.
    #[error("{} {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line and the reason.
        source: LineError,
    },
    /// The results would replace the suite.
    #[error("{} is the suite and stays as it is", .0.display())]
    Overlap(PathBuf),
    /// The results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The rows cannot be written.
    #[error(transparent)]
    Print(#[from] io::Error),
    /// Some lines are no tasks.
    #[error("{0} of {1} positions are no tasks and are left out")]
    LeftOut(usize, usize),
}

/// How a suite is run.
pub struct Session<'a> {
    /// What searches.
    pub engine: &'a mut Engine,
    /// Limits of each search; a second if there are none.
    pub limits: Limits,
    /// Settings of each search.
    pub settings: Settings,
    /// Raised, it ends the run; what was found is kept.
    pub cancel: &'a StopFlag,
}

impl Session<'_> {
    /// Runs the suite at `path`, with a row for each position on `output` and a line of EPD in the
    /// file `epd`.
    ///
    /// # Errors
    /// [`SuiteError`]; also when some lines are left out, after the others.
    pub fn run(
        mut self,
        path: &Path,
        epd: Option<&Path>,
        output: &mut impl Write,
    ) -> Result<Completion, SuiteError> {
        let read = |source| SuiteError::Read { path: path.to_owned(), source };
        let text = suite::read_text(path).map_err(read)?;
        let line = |source| SuiteError::Line { path: path.to_owned(), source };
        let records = suite::records(&text).map_err(line)?;
        if let Some(epd) = epd
            && epd.canonicalize().is_ok_and(|epd| path.canonicalize().is_ok_and(|path| path == epd))
        {
            return Err(SuiteError::Overlap(epd.to_owned()));
        }
        // Before the first search: an unwritable path should not cost hours.
        let write = |source| SuiteError::Write {
            path: epd.map(Path::to_owned).unwrap_or_default(),
            source,
        };
        let mut file = epd.map(File::create).transpose().map_err(write)?;
        if self.limits == Limits::default() {
            self.limits.move_time = Some(DEFAULT_TIME);
        }
        let count = records.len();
        let (mut solved, mut searched, mut left_out) = (0, 0, 0);
        let (mut nodes, mut time) = (0, Duration::ZERO);
        for (number, (line, record)) in (1..).zip(records) {
            let task = match Task::read(line, record) {
                Ok(task) => task,
                Err(error) => {
                    left_out += 1;
                    writeln!(output, "{number:3}/{count} left out  {error}")?;
                    continue;
                }
            };
            let found = task.search(self.engine, &self.limits, &self.settings, self.cancel);
            let Some(found) = found else { break };
            writeln!(output, "{number:3}/{count} {}", task.row(&found))?;
            if let Some(file) = &mut file {
                writeln!(file, "{}", task.epd(&found)).map_err(write)?;
            }
            (searched, solved) = (searched + 1, solved + usize::from(found.solution.is_some()));
            (nodes, time) = (nodes + found.nodes, time + found.time);
        }
        let percent = 100.0 * solved as f64 / f64::from(searched.max(1_u32));
        let (nodes, seconds) = (show::grouped(nodes), time.as_secs_f64());
        writeln!(
            output,
            "solved {solved} of {searched} ({percent:.1} %), {nodes} nodes, {seconds:.1} s"
        )?;
        match left_out {
            _ if self.cancel.is_raised() => Ok(Completion::Interrupted),
            0 => Ok(Completion::Complete),
            _ => Err(SuiteError::LeftOut(left_out, count)),
        }
    }
}

/// A position of a suite.
#[derive(Clone, Debug)]
pub struct Task {
    /// The operand of `id`, or else the number of the line.
    pub name: String,
    record: Record,
    best: Vec<Move>,
    avoided: Vec<Move>,
}

/// Why a line of a suite is left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A move is none, or not legal.
    #[error("{name}: {operation}: {source}")]
    Move {
        /// The name of the task.
        name: String,
        /// The operation.
        operation: &'static str,
        /// The reason.
        source: MoveError,
    },
    /// Nothing says what would solve it.
    #[error("{0}: neither bm nor am")]
    Open(String),
    /// The game is over.
    #[error("{0}: no legal move")]
    Over(String),
}

/// When a solution was found for the last time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The depth, in plies.
    pub depth: Depth,
    /// The time since the search began.
    pub time: Duration,
    /// The nodes until then.
    pub nodes: u64,
}

/// What a search found in a position of a suite.
#[derive(Clone, Debug)]
pub struct Found {
    /// The final line.
    pub line: Line,
    /// The time that it took.
    pub time: Duration,
    /// The nodes that it took.
    pub nodes: u64,
    /// When the solution was found that was kept to the end, if it was.
    pub solution: Option<Solution>,
}

impl Task {
    /// Reads the task of a record.
    ///
    /// # Errors
    /// [`TaskError`], if there is nothing to solve.
    pub fn read(line: usize, record: Record) -> Result<Self, TaskError> {
        let name = suite::name_of(&record, line);
        if record.position.legal_moves().is_empty() {
            return Err(TaskError::Over(name));
        }
        let moves = |operation: &'static str| {
            let source = |source| TaskError::Move { name: name.clone(), operation, source };
            moves(&record, operation).map_err(source)
        };
        let (best, avoided) = (moves("bm")?, moves("am")?);
        if best.is_empty() && avoided.is_empty() {
            return Err(TaskError::Open(name));
        }
        Ok(Self { name, record, best, avoided })
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.record.position
    }

    fn is_solved_by(&self, m: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&m)) && !self.avoided.contains(&m)
    }

    /// Searches the position with an engine that remembers nothing; `None` if cancelled.
    pub fn search(
        &self,
        engine: &mut Engine,
        limits: &Limits,
        settings: &Settings,
        cancel: &StopFlag,
    ) -> Option<Found> {
        engine.clear();
        let start = Instant::now();
        let mut solution = None;
        let on_news = |line: Option<&Line>, nodes, time| {
            let Some(line) = line.filter(|l| l.multipv == 1 && l.bound == Bound::Exact) else {
                return;
            };
            let is_solved = line.moves.first().is_some_and(|&m| self.is_solved_by(m));
            let found = || Solution { depth: line.depth, time, nodes };
            solution = if is_solved { solution.or_else(|| Some(found())) } else { None };
        };
        let game = Game::new(self.position().clone());
        let outcome = engine.search(&game, limits, settings, cancel, on_news);
        let (time, nodes) = (start.elapsed(), engine.nodes());
        let line = outcome.lines.into_iter().next().filter(|_| !cancel.is_raised())?;
        let last = Solution { depth: line.depth, time, nodes };
        let is_solved = line.moves.first().is_some_and(|&m| self.is_solved_by(m));
        let solution = is_solved.then(|| solution.unwrap_or(last));
        Some(Found { line, time, nodes, solution })
    }

    /// A row of the report.
    pub fn row(&self, found: &Found) -> String {
        let played = found.line.moves.first().map(|&m| self.position().san(m)).unwrap_or_default();
        let verdict = match found.solution {
            Some(Solution { depth, time, .. }) => {
                format!("solved  depth {depth:>3} {:>8.2} s", time.as_secs_f64())
            }
            None => format!("missed  depth {:>3} {:>8} s", found.line.depth, "-"),
        };
        format!("{verdict}  {played:8} {}", self.name)
    }

    /// The record with what was found, as a line of EPD.
    pub fn epd(&self, found: &Found) -> String {
        let position = self.position();
        let fen = position.fen();
        let mut fields = fen.split(' ');
        let mut text = fields.by_ref().take(4).collect::<Vec<_>>().join(" ");
        let mut add = |name: &str, operand: &str| text += &format!(" {name} {operand};");
        let is_ours = |operation: &Operation| {
            operation.text().starts_with(MARK) || OWN.contains(&&*operation.name)
        };
        let kept = self.record.operations.iter().filter(|operation| !is_ours(operation));
        let clocks = ["hmvc", "fmvn"];
        let has = |name: &str| self.record.operation(name).is_some();
        for ((name, clock), default) in clocks.into_iter().zip(fields).zip(["0", "1"]) {
            if clock != default && !has(name) {
                add(name, clock);
            }
        }
        kept.clone().for_each(|operation| add(&operation.name, &operation.operand));
        let Found { line, time, nodes, solution } = found;
        add("acd", &line.depth.to_string());
        add("acn", &nodes.to_string());
        add("acs", &time.as_secs().to_string());
        match line.score.mate_moves() {
            Some(moves @ 1..) => add("dm", &moves.to_string()),
            Some(moves) => add("ce", &format!("-{}", MATED - moves.abs())),
            None => {
                let centipawns = MODEL.normalised(line.score, wdl::material(position));
                add("ce", &centipawns.to_string());
            }
        }
        let moves = &line.moves[..line.moves.len().min(MAX_LINE)];
        let sans = show::sans(position, moves);
        add("pm", sans.first().map_or("", String::as_str));
        add("pv", &sans.join(" "));
        let free = TEXTS.iter().rev().find(|name| kept.clone().all(|kept| kept.name != **name));
        if let Some(name) = free {
            let said = match solution {
                Some(Solution { depth, time, nodes }) => {
                    format!("solved at depth {depth}, {:.3} s, {nodes} nodes", time.as_secs_f64())
                }
                None => "not solved".to_owned(),
            };
            add(name, &format!("\"{MARK}{said}\""));
        }
        text
    }
}

/// The moves that an operation names.
fn moves(record: &Record, operation: &str) -> Result<Vec<Move>, MoveError> {
    let said = record.operation(operation).map_or("", Operation::text);
    let words = said.split(|c: char| c.is_whitespace() || c == ',');
    let words = words.map(|word| word.trim_end_matches(['!', '?'])).filter(|word| !word.is_empty());
    words.map(|word| record.position.find_move(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> Result<Task, TaskError> {
        let (line, record) = suite::records(text).unwrap().pop().unwrap();
        Task::read(line, record)
    }

    fn search(task: &Task) -> Found {
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let mut engine = Engine::new(1, 1).unwrap();
        task.search(&mut engine, &limits, &Settings::default(), &StopFlag::default()).unwrap()
    }

    const MATE: &str = "6k1/5ppp/8/8/8/8/8/R3K2R w - - ";

    #[test]
    fn a_task_is_solved_by_its_best_moves_and_by_none_that_it_avoids() {
        for (operations, is_solved) in [
            ("bm Ra8#;", true),
            ("bm h1h2 Ra8+!;", true),
            ("bm Kd1, Ra8;", true),
            ("bm Kd1;", false),
            ("am Kd1;", true),
            ("am Ra8+ Kd1; id \"x\";", false),
            ("bm Ra8; am Kd1;", true),
        ] {
            let task = task(&format!("{MATE}{operations}")).unwrap();
            let found = search(&task);
            assert_eq!(found.solution.is_some(), is_solved, "{operations}");
            let row = task.row(&found);
            assert_eq!(row.starts_with("solved"), is_solved, "{row}");
            assert!(row.contains(" Ra8# "), "{row}");
        }
    }

    #[test]
    fn what_was_found_is_written_as_epd_and_read_again() {
        let text = format!("{MATE}bm Ra8#; id \"a; b\"; acd 99; c9 \"kept\"; hmvc 7;");
        let first = task(&text).unwrap();
        let epd = first.epd(&search(&first));
        for part in [
            "R w - - bm Ra8#; id \"a; b\"; c9 \"kept\"; hmvc 7; acd ",
            " dm 1; pm Ra8#; pv Ra8#; c8 \"Heddle: solved at depth ",
        ] {
            assert!(epd.contains(part), "{epd}");
        }
        assert!(!epd.contains("99"), "{epd}");
        let second = task(&epd).unwrap();
        assert_eq!(second.position().fen(), first.position().fen());
        let again = second.epd(&search(&second));
        let names = |epd: &str| {
            let record = Record::read(epd).unwrap();
            record.operations.into_iter().map(|operation| operation.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&again), names(&epd));
        let clocked = task("6k1/5ppp/8/8/8/8/8/R3K2R w - - 3 9 bm Ra8;").unwrap();
        assert!(clocked.epd(&search(&clocked)).contains(" - - hmvc 3; fmvn 9; bm Ra8; "));
    }

    #[test]
    fn what_cannot_be_solved_is_said() {
        for (operations, said) in [
            ("bm Ra9; id \"x\";", "x: bm: not a move: Ra9"),
            ("am Rb2;", "line 1: am: illegal move: Rb2"),
            ("id \"x\";", "x: neither bm nor am"),
        ] {
            assert_eq!(task(&format!("{MATE}{operations}")).unwrap_err().to_string(), said);
        }
        let mated = task("7k/6Q1/6K1/8/8/8/8/8 b - - bm Kg8;").unwrap_err();
        assert_eq!(mated.to_string(), "line 1: no legal move");
    }
}
