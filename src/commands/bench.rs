//! A fixed set of searches whose node count is the signature of the search.
//!
//! With one thread the count is the same on every run and machine. Any change to what is searched
//! changes it; a change that only makes the search faster does not. In lockstep the same holds for
//! any number of threads. The arguments and their order are those of Stockfish's `bench`, which
//! testing frameworks and scripts know.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use crate::cli::GAME_HASH;
use crate::commands::perft;
use crate::engine::{Engine, EngineError, Settings};
use crate::eval;
use crate::eval::nnue::network::Network;
use crate::machine::Bounds;
use crate::names::Named;
use crate::position::{Game, Position};
use crate::score::{Depth, MAX_PLY};
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::text::show;
use crate::text::suite::{self, SuiteError};
use crate::time::limits::Limits;

/// The fixed positions, as a file.
const POSITIONS: &str = include_str!("bench.epd");

/// Default search depth, in plies.
pub const DEFAULT_DEPTH: Depth = 12;

/// The unit of the limit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LimitType {
    /// Plies of a search.
    #[default]
    Depth,
    /// Nodes of a search.
    Nodes,
    /// Milliseconds of a search.
    MoveTime,
    /// Plies of perft.
    Perft,
    /// No limit: the positions are evaluated, not searched.
    Eval,
}

impl Named for LimitType {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Depth, "depth", "plies of a search"),
        (Self::Nodes, "nodes", "nodes of a search"),
        (Self::MoveTime, "movetime", "milliseconds of a search"),
        (Self::Perft, "perft", "plies of perft"),
        (Self::Eval, "eval", "no limit: the positions are evaluated, not searched"),
    ];
}

/// The arguments of a bench.
#[derive(Clone, Debug)]
pub struct BenchConfig {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Number of workers.
    pub threads: usize,
    /// The limit per position.
    pub limit: u64,
    /// The positions.
    pub positions: Vec<Position>,
    /// The unit of the limit.
    pub limit_type: LimitType,
    /// Whether the workers take turns, which makes the node count repeatable on any number of
    /// threads.
    pub lockstep: bool,
}

impl Default for BenchConfig {
    fn default() -> Self {
        Self {
            hash: GAME_HASH,
            threads: 1,
            limit: DEFAULT_DEPTH as u64,
            positions: positions(),
            limit_type: LimitType::default(),
            lockstep: false,
        }
    }
}

impl BenchConfig {
    /// Parses `[hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`;
    /// missing arguments take their defaults. The word `current` means the position `current`.
    pub fn read<'a>(
        words: impl IntoIterator<Item = &'a str>,
        current: &Position,
        bounds: Bounds,
    ) -> Result<Self, BenchError> {
        let mut config = Self::default();
        let mut words = words.into_iter();
        let mut next =
            |what, max, default| words.next().map_or(Ok(default), |word| number(what, word, max));
        config.hash = next("hash", bounds.hash as u64, config.hash as u64)? as usize;
        config.threads = next("threads", bounds.threads as u64, config.threads as u64)? as usize;
        config.limit = next("limit", u64::MAX, config.limit)?;
        let rest: Vec<&str> = words.collect();
        let rest = match rest[..] {
            [] => &rest[..],
            ["default", ..] => &rest[1..],
            ["current", ..] => {
                config.positions = vec![current.clone()];
                &rest[1..]
            }
            _ => {
                let (path, length) = suite::leading_file(&rest);
                let named = suite::read(&path)?.into_iter();
                config.positions = named.map(|named| named.position).collect();
                &rest[length..]
            }
        };
        if let Some(word) = rest.first() {
            config.limit_type = LimitType::by_name(word).ok_or_else(|| {
                let names: Vec<_> = LimitType::all().map(Named::name).collect();
                argument("the limit's type", format!("one of {}", names.join(", ")), word)
            })?;
        }
        match rest.get(1) {
            Some(word) => Err(argument("the last argument", "the limit's type".into(), word)),
            None => Ok(config),
        }
    }
}

/// Parses a number from 1 to `max`.
pub(super) fn number(what: &'static str, word: &str, max: u64) -> Result<u64, BenchError> {
    let number = word.parse().ok().filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| argument(what, format!("a number from 1 to {max}"), word))
}

pub(super) fn argument(what: &'static str, takes: String, found: &str) -> BenchError {
    BenchError::Argument { what, takes, found: found.to_owned() }
}

/// The fixed positions.
pub fn positions() -> Vec<Position> {
    let named = suite::parse(POSITIONS).expect("the fixed positions are legal");
    named.into_iter().map(|named| named.position).collect()
}

/// Why a bench could not be run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An argument is invalid.
    #[error("{what} must be {takes}, not {found}")]
    Argument {
        /// The argument.
        what: &'static str,
        /// The values that it may have.
        takes: String,
        /// The value found.
        found: String,
    },
    /// The file of positions could not be used.
    #[error(transparent)]
    Positions(#[from] SuiteError),
    /// The engine could not be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The perft threads could not be started.
    #[error(transparent)]
    Perft(io::Error),
}

/// The cost of the searches. Its `Display` is the closing line of a bench. Its digits are not
/// grouped, even on a terminal: testing frameworks parse the line, and people copy the nodes into
/// commit messages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// Nodes, summed over all positions and workers.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, show::nps(self.nodes, self.time))
    }
}

/// Searches every position with a new engine, which keeps its table and histories from one position
/// to the next, as in a game. It evaluates with `network`, or with the classical evaluation if
/// there is none. `say` receives one line per position. Returns `None` if cancelled.
pub fn run(
    config: &BenchConfig,
    network: Option<Arc<Network>>,
    cancel: &Arc<StopFlag>,
    mut say: impl FnMut(String),
) -> Result<Option<Total>, BenchError> {
    let mut engine = Engine::new(config.threads, config.hash)?;
    engine.set_network(network);
    let mut total = Total { nodes: 0, time: Duration::ZERO };
    for (index, position) in config.positions.iter().enumerate() {
        let start = Instant::now();
        let Some(nodes) = work(&mut engine, config, position, cancel)? else { return Ok(None) };
        total.time += start.elapsed();
        total.nodes += nodes;
        let (number, count, fen) = (index + 1, config.positions.len(), position.fen());
        say(match config.limit_type {
            LimitType::Eval => {
                let network = engine.network().map(|network| &**network);
                let score = format!("{:?}", eval::evaluate(network, position));
                format!("{number:2}/{count} {score:>9}  {fen}")
            }
            _ => format!("{number:2}/{count} {:>11} nodes  {fen}", show::grouped(nodes)),
        });
    }
    Ok(Some(total))
}

/// Runs what `config` asks for on one position and counts the nodes; `None` if cancelled.
fn work(
    engine: &mut Engine,
    config: &BenchConfig,
    position: &Position,
    cancel: &Arc<StopFlag>,
) -> Result<Option<u64>, BenchError> {
    let limit = config.limit;
    let limits = match config.limit_type {
        LimitType::Depth => {
            Limits { depth: Some(limit.min(MAX_PLY as u64) as Depth), ..Limits::default() }
        }
        LimitType::Nodes => Limits { nodes: Some(limit), ..Limits::default() },
        LimitType::MoveTime => {
            Limits { move_time: Some(Duration::from_millis(limit)), ..Limits::default() }
        }
        LimitType::Perft => {
            let depth = limit.min(perft::MAX_DEPTH.into()) as u32;
            let split = perft::divide(position, depth, config.threads, cancel)
                .map_err(BenchError::Perft)?;
            return Ok(split.map(|split| split.iter().map(|(_, leaves)| leaves).sum()));
        }
        LimitType::Eval => return Ok((!cancel.is_raised()).then_some(1)),
    };
    let settings = Settings { lockstep: config.lockstep, ..Settings::default() };
    let game = Game::new(position.clone());
    engine.search(&game, &limits, &settings, cancel, |_, _, _| {});
    Ok((!cancel.is_raised()).then(|| engine.nodes()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_positions_are_legal_different_and_not_over() {
        let fens: Vec<_> = positions().iter().map(Position::fen).collect();
        assert_eq!(fens.iter().collect::<HashSet<_>>().len(), fens.len());
        assert!(positions().iter().all(|position| !position.legal_moves().is_empty()));
        assert!(positions().iter().any(Position::is_chess960));
    }

    #[test]
    fn one_thread_counts_the_same_nodes_each_time() {
        let config = BenchConfig { limit: 2, hash: 1, ..BenchConfig::default() };
        let count = || run(&config, None, &Arc::default(), |_| {}).unwrap().unwrap().nodes;
        let nodes = count();
        assert!(nodes > 0);
        assert_eq!(count(), nodes);
    }

    #[test]
    fn a_cancelled_bench_has_no_total() {
        let cancel = Arc::<StopFlag>::default();
        cancel.raise();
        for limit_type in LimitType::all() {
            let config = BenchConfig { limit_type, limit: 3, ..BenchConfig::default() };
            assert_eq!(run(&config, None, &cancel, |_| {}).unwrap(), None, "{limit_type:?}");
        }
    }

    #[test]
    fn every_kind_does_what_it_says() {
        let count = |limit_type, limit| {
            let positions = vec![Position::default()];
            let config =
                BenchConfig { limit_type, limit, hash: 1, positions, ..BenchConfig::default() };
            run(&config, None, &Arc::default(), |_| {}).unwrap().unwrap().nodes
        };
        assert_eq!(count(LimitType::Perft, 3), 8_902);
        assert_eq!(count(LimitType::Nodes, 5_000), 5_000);
        assert_eq!(count(LimitType::Eval, 1), 1);
        assert!(count(LimitType::MoveTime, 1) > 0 && count(LimitType::Depth, 3) > 0);
    }

    #[test]
    fn the_closing_line_is_what_openbench_reads() {
        let total = Total { nodes: 3_000, time: Duration::from_secs(2) };
        assert_eq!(total.to_string(), "3000 nodes 1500 nps");
    }

    const BOUNDS: Bounds = Bounds { hash: 64, threads: 8 };

    fn read(words: &str) -> Result<BenchConfig, String> {
        BenchConfig::read(words.split_whitespace(), &Position::default(), BOUNDS)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_arguments_stand_in_their_order() {
        let config = read("64 2 5000 current nodes").unwrap();
        assert_eq!((config.hash, config.threads, config.limit), (64, 2, 5000));
        assert_eq!(config.positions.len(), 1);
        assert_eq!(config.limit_type, LimitType::Nodes);
        let config = read("").unwrap();
        assert_eq!((config.hash, config.threads, config.limit), (16, 1, 12));
        assert_eq!(config.positions.len(), positions().len());
        assert_eq!(config.limit_type, LimitType::Depth);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let error = |words| read(words).unwrap_err();
        assert_eq!(error("65"), "hash must be a number from 1 to 64, not 65");
        assert_eq!(error("16 0"), "threads must be a number from 1 to 8, not 0");
        assert_eq!(
            error("1 1 1 default plies"),
            "the limit's type must be one of depth, nodes, movetime, perft, eval, not plies"
        );
        assert_eq!(
            error("1 1 1 default depth 1"),
            "the last argument must be the limit's type, not 1"
        );
    }

    #[test]
    fn positions_come_from_a_file_of_fens_or_epd() {
        let path = std::env::temp_dir().join(format!("heddle-bench-{}.epd", std::process::id()));
        let kings = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        std::fs::write(&path, format!("# two kings\n{kings} 0 1\n{kings} bm e4;\n\n")).unwrap();
        let words = format!("1 1 1 {}", path.display());
        let found = read(&words).unwrap().positions;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found.len(), 2);
        let missing = read(&words).unwrap_err();
        assert!(missing.starts_with("cannot read "), "{missing}");
    }
}
