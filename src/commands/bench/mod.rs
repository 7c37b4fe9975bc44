//! A fixed set of searches whose node count is the signature of the search.
//!
//! With one thread the count is the same on every run and machine. Any change to what is searched
//! changes it; a change that only makes the search faster does not. In lockstep the same holds for
//! any number of threads. The arguments and their order are those of Stockfish's `bench`, which
//! testing frameworks and scripts know.

mod config;

use std::fmt;
use std::time::{Duration, Instant};

use crate::commands::{perft, runner};
use crate::engine::{Engine, EngineError, Settings};
use crate::eval;
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position};
use crate::score::{Depth, MAX_PLY};
use crate::smp::crew::CrewError;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::text::show;
use crate::text::suite::SuiteError;
use crate::time::limits::Limits;

pub use config::{BenchConfig, DEFAULT_DEPTH, LimitType};
pub(in crate::commands) use config::{argument, number};

/// Openings, middlegames, endgames, short mates, a draw within reach, Chess960.
const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/3nbppp/p2pbn2/1p2p3/4P1P1/1NN1BP2/PPPQ3P/2KR1B1R w - - 0 12",
    "r1b2rk1/2q1bppp/p2p1n2/npp1p3/3PP3/2P2N1P/PPBN1PP1/R1BQR1K1 b - - 2 12",
    "r1bq1rk1/pp1n1ppp/2n1p3/2bpP3/3N1P2/2N1B3/PPPQ2PP/2KR1B1R b - - 4 10",
    "r2qkb1r/pp1n1pp1/2p1pn1p/7P/3P4/3Q1NN1/PPPB1PP1/R3K2R w KQkq - 2 12",
    "rn3rk1/p1p1qpp1/1p2b2p/3p4/3P4/4PN2/PP3PPP/2RQKB1R w K - 2 12",
    "r1bq1rk1/ppp1n1bp/3p1np1/3Pp3/2P1Pp2/2NN1P2/PP1BB1PP/R2Q1RK1 w - - 0 13",
    "r1b2rk1/ppq2ppp/2n1pn2/2p5/2BP4/P1P1PN2/5PPP/R1BQ1RK1 w - - 1 11",
    "r2q1rk1/pp2ppbp/6p1/n1p5/3PP1b1/2PBBP2/P3N1PP/R2Q1RK1 b - - 2 12",
    "r2q1rk1/ppp1bppp/1nn1b3/4p3/8/2NPBNP1/PP2PPBP/2RQ1RK1 b - - 4 10",
    "rnbqk2r/ppp2p1p/3b4/3PN2n/2BP1ppP/8/PPP3P1/RNBQ1RK1 b kq - 2 9",
    "r1bqk2r/p4pp1/2pb1n1p/n3N3/4p3/8/PPPPBPPP/RNBQK2R w KQkq - 2 11",
    "2rq1rk1/pp1bppb1/3p1np1/4n2p/3NP2P/1BN1BP2/PPPQ2P1/2KR3R w - - 0 13",
    "r1bqkb1r/p2n1p2/2p1pn2/1p2P1B1/2pP4/2N5/PP3PPP/R2QKB1R w KQkq - 1 11",
    "rnb2rk1/ppp1b1pp/3ppnq1/8/2PPN3/5NP1/PP3PBP/R1BQR1K1 b - - 0 10",
    "1rbq1rk1/pp2ppbp/3p1np1/2pP4/1n2PP2/2NB1N2/PPP3PP/R1B1QRK1 w - - 3 10",
    "r2q1rk1/3nppbp/3p1np1/2pP4/4P3/2N2NP1/PP3PKP/R1BQ3R w - - 5 12",
    "3rkb1r/p2nqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2KR3R w k - 3 13",
    "rnb1kbnr/p2p1ppp/8/1p3NqP/4PpP1/3P1Q2/PPP5/RNB2KR1 w kq - 3 15",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1b2rk1/pp1nqppp/2p1p3/3n4/2BP4/2N1PN2/PP3PPP/2RQ1RK1 b - - 1 11",
    "2rq1rk1/1p2bppp/p2pbn2/4p3/4P3/1NN1BP2/PPPQ2PP/2KR3R w - - 4 14",
    "r4rk1/1bq1bppp/p2ppn2/1p4B1/3QPP2/2N2B2/PPP3PP/R4R1K w - - 2 15",
    "3r1rk1/p3qppp/2bb4/2p5/3p4/1P2P3/PBQN1PPP/2R2RK1 w - - 0 18",
    "2r3k1/pp3ppp/1qr1pn2/3p4/3P4/1P1QPN2/P4PPP/2R2RK1 b - - 0 19",
    "r1bq1rk1/pp2bppp/2n1p3/3n4/3P4/2NB1N2/PP3PPP/R1BQR1K1 w - - 4 11",
    "5rk1/1pp3p1/3p1q1p/1P1Pp3/2P1P1n1/2Q3P1/3B1P1P/R5K1 b - - 1 27",
    "4rrk1/1b3ppp/p2p4/qp1Pn3/4P3/P1N2P2/1P2Q1PP/2R2RK1 b - - 0 22",
    "r2q1rk1/1b1nbpp1/p2ppn1p/1p6/3NPP1B/P1NB4/1PP1Q1PP/R4R1K w - - 0 13",
    "6k1/5p1p/1Q2p1p1/3pP3/3P1q2/7P/5PPK/8 w - - 0 36",
    "3r2k1/5ppp/p7/1p2N3/1P6/P3P1b1/5RPP/6K1 b - - 2 30",
    "r5k1/2p2ppp/p1n1b3/1p6/4P3/P1B2P2/1P4PP/3R2K1 w - - 0 25",
    "8/2p2pk1/1p1p2p1/p2Pn2p/P1P1P2P/1P4P1/4B1K1/8 w - - 3 38",
    "8/5pk1/4p1p1/3pP2p/1r1P1P1P/1PR3P1/5K2/8 w - - 1 44",
    "1R6/5pk1/6p1/p6p/5P1P/r5P1/6K1/8 b - - 4 50",
    "8/8/1p1k4/1P1p2p1/3P2P1/3K4/8/8 w - - 0 55",
    "5k2/4bp2/4p1p1/3pP1P1/1p1P1P2/1P1K4/4B3/8 w - - 7 60",
    "8/1p3k2/p1n1p3/2P5/1P2KN2/P7/8/8 b - - 0 41",
    "8/8/8/4k3/8/2N1K3/2B5/8 w - - 0 1",
    "8/8/8/4k3/8/3RK3/8/3r4 b - - 12 70",
    "8/3P4/1k6/8/8/4q3/1KQ5/8 w - - 0 66",
    "8/5P1k/8/2p3p1/2P2rP1/4R3/6K1/8 w - - 5 62",
    "6k1/pp3p1p/3p2p1/2qP4/2P1r3/1Q4P1/P4P1P/3R2K1 w - - 0 26",
    "r1b1kb1r/pp3ppp/2n1pn2/q1pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R w KQkq - 1 7",
    "r1b2r1k/ppq1b1pp/2n1p3/3pPp2/3P1B2/P1PB1N2/5PPP/R2Q1RK1 w - - 0 15",
    "r4rk1/pp1b1ppp/1q2pn2/3pN3/1b1P4/2NB4/PP1Q1PPP/2R2RK1 b - - 5 14",
    "6rk/5Qpp/7N/8/8/8/5PPP/6K1 w - - 0 1",
    "6k1/3R1ppp/8/8/8/1r6/5PPP/3R2K1 w - - 0 30",
    "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 18",
    "5r1k/1b4pp/p3p3/1p1q4/3P1N2/P2Q1P2/1P4PP/4R1K1 w - - 2 27",
    "8/1P4k1/8/8/5K2/8/p7/8 w - - 0 1",
    "8/8/8/2k5/8/2K1P3/8/8 w - - 0 1",
    "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1",
    "3q1rk1/5ppp/8/8/8/8/5PPP/1QR3K1 b - - 99 80",
    "1Q6/8/8/8/3k4/8/6q1/1K4Q1 b - - 3 77",
    "nrnkbqrb/pppp1ppp/8/8/3pP3/8/PPP2PPP/NRNKBQRB w KQkq - 0 3",
    "rbbqknnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RBBQKN1R b KQkq - 1 2",
];

/// The fixed positions.
pub fn positions() -> Vec<Position> {
    let read = |fen: &&str| Position::from_fen(fen).expect("the fixed positions are legal");
    POSITIONS.iter().map(read).collect()
}

/// Why a bench could not be run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An argument is invalid.
    #[error("{what} must be {takes}, not {found}")]
    Argument {
        /// The argument.
        what: &'static str,
        /// What it may be.
        takes: String,
        /// What was found.
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
    Perft(#[from] CrewError),
}

/// The cost of the searches. Its `Display` is the closing line of a bench. Its digits are not grouped, even on a
/// terminal: testing frameworks parse the line, and people copy the nodes into commit messages.
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
                let score = eval::evaluate(network, position);
                format!("{number:2}/{count} {score:>9?}  {fen}")
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
            let split = perft::divide(position, depth, config.threads, cancel)?;
            return Ok(split.map(|split| split.iter().map(|(_, leaves)| leaves).sum()));
        }
        LimitType::Eval => return Ok((!cancel.is_raised()).then_some(1)),
    };
    let settings = Settings { lockstep: config.lockstep, ..Settings::default() };
    Ok(search(engine, position, &limits, &settings, cancel))
}

/// Searches a position and counts the nodes; `None` if cancelled.
pub(in crate::commands) fn search(
    engine: &mut Engine,
    position: &Position,
    limits: &Limits,
    settings: &Settings,
    cancel: &Arc<StopFlag>,
) -> Option<u64> {
    let game = Game::new(position.clone());
    runner::search(engine, &game, limits, settings, cancel, |_, _, _| {});
    (!cancel.is_raised()).then(|| engine.nodes())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::ValueEnum;

    use super::*;

    #[test]
    fn the_positions_are_legal_different_and_not_over() {
        let distinct: HashSet<_> = POSITIONS.iter().collect();
        assert_eq!(distinct.len(), POSITIONS.len());
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
        for &limit_type in LimitType::value_variants() {
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
}
