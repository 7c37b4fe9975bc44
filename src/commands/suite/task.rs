//! One position of a suite: what solves it, the search, and what is told of it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::hands::HandsError;
use crate::engine::{Engine, Settings};
use crate::position::record::{Operation, Record};
use crate::position::{Game, Move, MoveError, Position};
use crate::score::Depth;
use crate::search::Line;
use crate::smp::stop::StopFlag;
use crate::text::show;
use crate::text::suite;
use crate::time::limits::Limits;
use crate::tt::Bound;
use crate::wdl::{self, MODEL};

/// Operations that tell of an analysis, and are written anew.
const OWN: [&str; 7] = ["acd", "acn", "acs", "ce", "dm", "pm", "pv"];
/// Operations that any program may use for a text.
const TEXTS: [&str; 10] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
/// How such a text of ours begins.
const MARK: &str = "Heddle: ";
/// How it goes on if the position was solved.
const SOLVED: &str = "solved";
/// The longest line that is written, in plies.
const MAX_LINE: usize = 12;
/// Centipawns of the side that is mated, less the moves that it has left, by the standard of EPD.
const MATED: i32 = 32_767;

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

    /// The task as a hand is given it.
    pub(super) fn unit(&self) -> Vec<u8> {
        json!([self.name, self.record.to_string()]).to_string().into_bytes()
    }

    pub(super) fn of_unit(unit: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(unit).ok()?;
        let record = Record::read(value.get(1)?.as_str()?).ok()?;
        let name = value.get(0)?.as_str()?.to_owned();
        Self::read(0, record).ok().map(|task| Self { name, ..task })
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
                    format!("{SOLVED} at depth {depth}, {:.3} s, {nodes} nodes", time.as_secs_f64())
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

/// What is told of a position that was searched.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub row: String,
    pub epd: String,
    pub is_solved: bool,
    pub nodes: u64,
    pub time: Duration,
}

impl Told {
    pub(super) fn new(task: &Task, found: &Found) -> Self {
        Self {
            row: task.row(found),
            epd: task.epd(found),
            is_solved: found.solution.is_some(),
            nodes: found.nodes,
            time: found.time,
        }
    }

    /// What an earlier run has written, but for what is not written again.
    pub(super) fn before(record: &Record) -> Option<Self> {
        let number = |name| record.operation(name)?.text().parse().ok();
        let said = record.operations.iter().find_map(|o| o.text().strip_prefix(MARK));
        Some(Self {
            row: String::new(),
            epd: String::new(),
            is_solved: said.is_some_and(|said| said.starts_with(SOLVED)),
            nodes: number("acn")?,
            time: Duration::from_secs(number("acs")?),
        })
    }

    /// As a hand sends it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let micros = u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX);
        json!([self.row, self.epd, self.is_solved, self.nodes, micros]).to_string().into_bytes()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, HandsError> {
        let value = serde_json::from_slice(bytes).unwrap_or(Value::Null);
        let read = || {
            Some(Self {
                row: value.get(0)?.as_str()?.to_owned(),
                epd: value.get(1)?.as_str()?.to_owned(),
                is_solved: value.get(2)?.as_bool()?,
                nodes: value.get(3)?.as_u64()?,
                time: Duration::from_micros(value.get(4)?.as_u64()?),
            })
        };
        read().ok_or(HandsError::Nonsense)
    }
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

    #[test]
    fn a_hand_is_given_the_whole_task_and_tells_all() {
        let text = format!("{MATE}bm Ra8#; id \"a; \\b\"; c9 \"kept\"; hmvc 7;");
        for text in [text.as_str(), "6k1/5ppp/8/8/8/8/8/R3K2R w - - 3 9 am Kd1;"] {
            let first = task(text).unwrap();
            let second = Task::of_unit(&first.unit()).unwrap();
            let text = |task: &Task| format!("{}: {}", task.name, task.record);
            assert_eq!(text(&second), text(&first));
            let told = Told::new(&second, &search(&second));
            let read = Told::read(&told.bytes()).unwrap();
            assert_eq!((read.row, read.epd), (told.row, told.epd));
        }
        assert!(Task::of_unit(b"[]").is_none() && Told::read(b"[1]").is_err());
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
