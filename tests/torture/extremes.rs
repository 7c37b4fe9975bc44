//! Positions that occur in no game: many queens, dozens of captures, promotions everywhere. The
//! search must still stop in time, in its first iteration as in any other, and answer legally.
//!
//! Times are compared within one run, on the machine as it is: the fastest of several answers in a
//! position must not be slower than the slowest of as many in the initial position, with some
//! allowance.

use std::time::{Duration, Instant};

use heddle::position::{Position, START_FEN};

use super::script::Random;
use crate::common::Engine;

/// Time per move.
const MOVE_TIME: Duration = Duration::from_millis(20);
/// How much slower than in the initial position an answer may be.
const ALLOWANCE: Duration = Duration::from_millis(50);
/// Answers per position.
const REPEATS: usize = 4;
/// Values of MultiPV.
const LINES: [usize; 2] = [1, 256];

/// Positions whose first iteration once took up to half a minute, and others like them.
const FENS: [&str; 4] = [
    "qqqqqqqk/8/QqQqQqQq/8/qQqQqQqQ/8/8/KQQQQQQ1 w - - 0 1",
    "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "n1n1n1nk/1P1P1P2/8/8/8/8/2p1p1p1/K1N1N1N1 w - - 0 1",
];

/// A board with as many heavy pieces as a side may have and pawns about to promote; legal, and with
/// at least one legal move.
fn random_position(random: &mut Random) -> Position {
    /// Pieces per side, besides the king.
    const MOST: usize = 15;
    loop {
        let mut board = [[' '; 8]; 8];
        let mut put = |random: &mut Random, piece: char, rank: usize| {
            let square = &mut board[rank][random.below(8)];
            *square = if *square == ' ' { piece } else { *square };
        };
        // The first piece on a square keeps it, and the kings come first.
        let ranks = [random.below(8), random.below(8)];
        put(random, 'K', ranks[0]);
        put(random, 'k', ranks[1]);
        for _ in 0..MOST {
            let piece = random.pick(&['Q', 'Q', 'R', 'B', 'N', 'P']);
            let rank = if piece == 'P' { 1 } else { random.below(8) };
            put(random, piece, rank);
            let piece = random.pick(&['q', 'q', 'r', 'b', 'n', 'p']);
            let rank = if piece == 'p' { 6 } else { random.below(8) };
            put(random, piece, rank);
        }
        let rank = |rank: &[char; 8]| rank.iter().collect::<String>().replace(' ', "1");
        let ranks: Vec<String> = board.iter().map(rank).collect();
        let fen = format!("{} w - - 0 1", ranks.join("/"));
        if let Ok(position) = Position::from_fen(&fen)
            && !position.legal_moves().is_empty()
        {
            return position;
        }
    }
}

/// How long the engine takes for a move, measured by the caller.
fn answer(engine: &mut Engine, fen: &str) -> Duration {
    engine.send(&format!("ucinewgame\nposition fen {fen}\nisready\n"));
    engine.until("readyok");
    let start = Instant::now();
    engine.send(&format!("go movetime {}\n", MOVE_TIME.as_millis()));
    engine.best_move(fen);
    start.elapsed()
}

/// Every `movetime` is kept in these positions and in this many random ones.
pub fn run(threads: usize, count: u64) {
    let random = (0..count).map(|seed| random_position(&mut Random::new(seed)).fen());
    let fens: Vec<String> = FENS.iter().map(|&fen| fen.to_owned()).chain(random).collect();
    for lines in LINES {
        let mut engine = Engine::with_threads(threads);
        engine.send(&format!("setoption name MultiPV value {lines}\n"));
        for fen in &fens {
            let (mut usual, mut found) = (Duration::ZERO, Duration::MAX);
            for _ in 0..REPEATS {
                usual = usual.max(answer(&mut engine, START_FEN));
                found = found.min(answer(&mut engine, fen));
            }
            assert!(
                found <= usual + ALLOWANCE,
                "{found:?}, and {usual:?} in the initial position: {threads} threads, {lines} lines, {fen}"
            );
        }
        engine.quit();
    }
}
