//! A conversation with an engine in UCI.

use std::time::{Duration, Instant};

use heddle::cli::{hint, similar};
use heddle::position::{Move, Position};
use heddle::score::Depth;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;

use crate::fault::{Fault, printable};
use crate::info::{Completed, Said, Shown};
use crate::process::Process;
use crate::spec::Spec;

/// A search to a depth may take this many times as long as the search that found the depth on one
/// thread, besides the usual wait: more threads may well be slower.
const SLOWER: u32 = 10;

/// An option that an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offered {
    name: String,
    /// The least and the greatest value of a number.
    bounds: Option<(i64, i64)>,
    /// The values of a choice.
    choices: Vec<String>,
}

impl Offered {
    /// Reads `option name N type T ...`.
    fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let after = |word| {
            let place = words.iter().position(|&w| w == word)?;
            words.get(place + 1)?.parse().ok()
        };
        let bounds =
            if words.first() == Some(&"spin") { after("min").zip(after("max")) } else { None };
        let choices = match words.first() {
            Some(&"check") => vec!["true".to_owned(), "false".to_owned()],
            Some(&"combo") => rest.split(" var ").skip(1).map(|v| v.trim().to_owned()).collect(),
            _ => Vec::new(),
        };
        Some(Self { name: name.trim().to_owned(), bounds, choices })
    }

    /// The value within its bounds that is nearest to a number.
    fn nearest(&self, number: usize) -> i64 {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.bounds.map_or(number, |(min, max)| number.min(max).max(min))
    }

    /// Whether the option accepts a value; UCI ignores spaces around it.
    fn accepts(&self, value: &str) -> Result<(), Fault> {
        if !self.choices.is_empty()
            && !self.choices.iter().any(|c| c.eq_ignore_ascii_case(value.trim()))
        {
            let choices = self.choices.join(", ");
            return Err(Fault::Choice { name: self.name.clone(), value: value.into(), choices });
        }
        let Some((min, max)) = self.bounds else { return Ok(()) };
        match value.trim().parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(()),
            _ => Err(Fault::Bounds { name: self.name.clone(), value: value.into(), min, max }),
        }
    }
}

/// A move that an engine has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The move.
    pub best: Move,
    /// Time from the command to the answer.
    pub time: Duration,
    /// The score of the last depth that it reports, if it does.
    pub score: Option<Shown>,
}

/// What an engine took to complete a depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The depth, in plies; more than was asked for if the engine did not report that one.
    pub depth: Depth,
    /// Time from the command to the report of the depth.
    pub time: Duration,
    /// Nodes of all threads, not 0.
    pub nodes: u64,
    /// The move of the whole search.
    pub best: Move,
    /// Per mille of the table filled; 0 if the engine does not say.
    pub hashfull: u32,
}

/// An engine that is ready to search.
pub struct Session {
    process: Process,
    offered: Vec<Offered>,
    /// What it calls itself.
    name: Option<String>,
    /// Size of its table in MiB; `None` if it cannot be set.
    hash: Option<String>,
    /// The most threads it can search with.
    max_threads: usize,
    has_threads: bool,
    patience: Duration,
}

impl Session {
    /// Starts an engine and sets its options; its table has `hash` MiB unless the options say
    /// otherwise. An answer may take as long as `patience`, and `cancel` ends every wait.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn start(
        spec: &Spec,
        hash: usize,
        patience: Duration,
        cancel: Arc<StopFlag>,
    ) -> Result<Self, Fault> {
        let mut process = Process::start(spec, cancel)?;
        let (mut name, mut offered) = (None, Vec::new());
        process.send("uci\n")?;
        process.answer("uci", patience, |line, _| {
            if let Some(own) = line.strip_prefix("id name ") {
                name = Some(printable(own)).filter(|own| !own.is_empty());
            }
            offered.extend(Offered::read(line));
            (line == "uciok").then_some(())
        })?;
        let find = |name: &str| offered.iter().find(|o| o.name.eq_ignore_ascii_case(name));
        let hash = find("Hash").map(|option| match spec.option("Hash") {
            Some(given) => option.accepts(given).map(|()| given.to_owned()),
            // Nobody has asked for this very size.
            None => Ok(option.nearest(hash).to_string()),
        });
        let hash = hash.transpose()?;
        let threads = find("Threads");
        let most = threads.and_then(|option| option.bounds).map(|(_, max)| max);
        let max_threads = match most {
            Some(max) => usize::try_from(max).unwrap_or(1).max(1),
            None => 1,
        };
        let has_threads = threads.is_some();
        let mut session = Self { process, offered, name, hash, max_threads, has_threads, patience };
        session.set(&spec.options)?;
        Ok(session)
    }

    /// Sets options, none if one of them cannot be set so.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn set(&mut self, options: &[(String, String)]) -> Result<(), Fault> {
        let mut commands = String::new();
        for (name, value) in options {
            let names = self.offered.iter().map(|offered| offered.name.as_str());
            let unknown = || Fault::Unknown {
                name: name.clone(),
                hint: hint(similar(name, names), "see the engine's answer to `uci`"),
            };
            let option = self.offered.iter().find(|o| o.name.eq_ignore_ascii_case(name));
            let option = option.ok_or_else(unknown)?;
            option.accepts(value)?;
            commands += &format!("setoption name {} value {value}\n", option.name);
            if option.name.eq_ignore_ascii_case("Hash") {
                self.hash = Some(value.clone());
            }
        }
        self.order(&commands)
    }

    /// Whether it has an option of this name.
    pub fn offers(&self, name: &str) -> bool {
        self.offered.iter().any(|offered| offered.name.eq_ignore_ascii_case(name))
    }

    /// Makes it forget the last game; its table is of the size given at the start.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn new_game(&mut self) -> Result<(), Fault> {
        let hash = self.hash_command();
        self.order(&format!("{hash}ucinewgame\n"))
    }

    /// The move that it chooses in `position`, which it is told as `setup`, by `go`, within
    /// `limit`.
    ///
    /// # Errors
    /// [`Fault`], also when the move is not legal.
    pub fn think(
        &mut self,
        position: &Position,
        setup: &str,
        go: &str,
        limit: Duration,
    ) -> Result<Thought, Fault> {
        self.process.send(&format!("{setup}\n"))?;
        let mut score = None;
        let start = Instant::now();
        let (answer, end) = self.go(go, limit, |found, _| score = found.score.or(score))?;
        let best = legal(position, &answer)?;
        Ok(Thought { best, time: end.saturating_duration_since(start), score })
    }

    /// What the engine calls itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The most threads it can search with; 1 without an option `Threads`.
    pub fn max_threads(&self) -> usize {
        self.max_threads
    }

    /// Size of its table in MiB; `None` if it has no option for it.
    pub fn hash(&self) -> Option<&str> {
        self.hash.as_deref()
    }

    /// The depth that one thread completes in `time` milliseconds.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn reach(&mut self, position: &Position, time: u64) -> Result<Depth, Fault> {
        self.prepare(position, 1)?;
        let mut deepest = None;
        let limit = self.patience + Duration::from_millis(time);
        self.go(&format!("go movetime {time}"), limit, |found, _| {
            deepest = deepest.max(Some(found.depth));
        })?;
        deepest.filter(|&depth| depth > 0).ok_or(Fault::Unreported("depth"))
    }

    /// Searches to `depth` from an empty table. `time` is that of [`Self::reach`], if it found the
    /// depth. The time is that of the engine's last word on this depth, and so are the nodes.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn take(
        &mut self,
        position: &Position,
        threads: usize,
        depth: Depth,
        time: Option<u64>,
    ) -> Result<Reached, Fault> {
        self.prepare(position, threads)?;
        let (mut reached, mut last) = (0, None);
        let limit = self.patience + SLOWER * Duration::from_millis(time.unwrap_or(0));
        let start = Instant::now();
        let (answer, _) = self.go(&format!("go depth {depth}"), limit, |found, at| {
            reached = reached.max(found.depth);
            if found.depth == depth || (found.depth > depth && last.is_none()) {
                last = Some((found, at));
            }
        })?;
        let (found, at) = last.ok_or(Fault::Early { reached, goal: depth })?;
        let nodes = found.nodes.filter(|&nodes| nodes > 0).ok_or(Fault::Unreported("nodes"))?;
        let best = legal(position, &answer)?;
        Ok(Reached {
            depth: found.depth,
            time: at.saturating_duration_since(start),
            nodes,
            best,
            hashfull: found.hashfull.unwrap_or(0),
        })
    }

    /// An empty table, the number of threads and the position.
    fn prepare(&mut self, position: &Position, threads: usize) -> Result<(), Fault> {
        let mut commands = String::new();
        if self.has_threads {
            commands += &format!("setoption name Threads value {threads}\n");
        }
        commands += &self.hash_command();
        self.order(&format!("{commands}ucinewgame\nposition fen {}\n", position.fen()))
    }

    /// The command that sets the size of the table, if it can be set.
    fn hash_command(&self) -> String {
        let command = |hash| format!("setoption name Hash value {hash}\n");
        self.hash.as_ref().map(command).unwrap_or_default()
    }

    /// Sends commands and waits until they have been carried out.
    fn order(&mut self, commands: &str) -> Result<(), Fault> {
        self.process.send(&format!("{commands}isready\n"))?;
        self.process.answer("isready", self.patience, |line, _| (line == "readyok").then_some(()))
    }

    /// Searches, and returns the move and when it came; `completed` sees every completed depth.
    fn go(
        &mut self,
        command: &str,
        limit: Duration,
        mut completed: impl FnMut(Completed, Instant),
    ) -> Result<(String, Instant), Fault> {
        self.process.send(&format!("{command}\n"))?;
        self.process.answer(command, limit, |line, at| match Said::read(line) {
            Said::Best(best) => Some((best, at)),
            Said::Depth(found) => {
                completed(found, at);
                None
            }
            Said::Other => None,
        })
    }
}

/// The legal move that an answer names.
fn legal(position: &Position, answer: &str) -> Result<Move, Fault> {
    let illegal = |_| Fault::Move { answer: answer.to_owned(), fen: position.fen() };
    position.parse_move(answer).map_err(illegal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_with_their_bounds() {
        let read = |line| Offered::read(line).unwrap();
        let threads = read("option name Threads type spin default 1 min 1 max 512");
        assert_eq!((&threads.name[..], threads.bounds), ("Threads", Some((1, 512))));
        assert!(threads.accepts(" 512").is_ok());
        let said = threads.accepts("513").unwrap_err().to_string();
        assert_eq!(said, "Threads is a number from 1 to 512, not 513");
        assert!(threads.accepts("many").is_err());
        let hash = read("option name Hash type spin default 64 min 32 max 1024");
        assert_eq!([1, 16, 32, 100, 9999].map(|size| hash.nearest(size)), [32, 32, 32, 100, 1024]);
        let level = read("option name Skill Level type string default min 1 max 2");
        assert_eq!((&level.name[..], level.bounds), ("Skill Level", None));
        assert!(level.accepts("anything").is_ok());
        assert_eq!(Offered::read("option name Broken"), None);
        let style = read("option name Style type combo default Solid var Solid var Very Risky");
        assert!(style.accepts("very risky").is_ok());
        let said = style.accepts("Risky").unwrap_err().to_string();
        assert_eq!(said, "Style is one of Solid, Very Risky, not Risky");
        let ponder = read("option name Ponder type check default false");
        assert!(ponder.accepts("true").is_ok() && ponder.accepts("yes").is_err());
    }
}
