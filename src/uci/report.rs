//! What the engine found, as text: `info` and `bestmove` for GUIs, a board for people.

use std::fmt::Write as _;
use std::time::Duration;

use crate::eval::nnue::network::{Network, bucket};
use crate::eval::{self, nnue};
use crate::position::{File, Move, Position, Rank, Square, uci};
use crate::runner;
use crate::score::Score;
use crate::search::{Line, Outcome};
use crate::tt::Bound;

/// What a search has cost so far.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Nodes, over all workers.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Per mille of the table in use.
    pub hashfull: u32,
    /// Probes that the endgame tables have answered.
    pub table_hits: u64,
}

impl Cost {
    /// Nodes per second.
    #[must_use]
    pub fn speed(&self) -> u64 {
        runner::speed(self.nodes, self.time)
    }
}

/// The `info` of a line. With `chess960`, castling is the king taking its rook.
#[must_use]
pub fn info(line: &Line, cost: &Cost, chess960: bool) -> String {
    let bound = match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}{bound} nodes {} nps {} hashfull {} \
         tbhits {} time {}",
        line.depth,
        line.seldepth,
        line.multipv,
        score(line.score),
        cost.nodes,
        cost.speed(),
        cost.hashfull,
        cost.table_hits,
        cost.time.as_millis(),
    );
    if !line.moves.is_empty() {
        text.push_str(" pv");
        for &m in &line.moves {
            text.push(' ');
            text.push_str(&uci(m, chess960));
        }
    }
    text
}

/// The `info` of a position without a legal move: mated or stalemated.
#[must_use]
pub fn game_over(position: &Position) -> String {
    let score = if position.is_check() { "mate 0" } else { "cp 0" };
    format!("info depth 0 score {score}")
}

/// The answer to `go`: the first of `moves` and, if there is one, the second to ponder on.
#[must_use]
pub fn bestmove(moves: &[Move], chess960: bool) -> String {
    match *moves {
        [] => "bestmove (none)".into(),
        [best] => format!("bestmove {}", uci(best, chess960)),
        [best, reply, ..] => {
            format!("bestmove {} ponder {}", uci(best, chess960), uci(reply, chess960))
        }
    }
}

/// One `info string` a worker on what it found, for `debug on`.
#[must_use]
pub fn workers(outcomes: &[Outcome], winner: usize, chess960: bool) -> Vec<String> {
    let row = |(index, outcome): (usize, &Outcome)| {
        let mut text = format!("info string worker {index} depth {}", outcome.depth);
        if let Some((line, &best)) =
            outcome.lines.first().and_then(|line| Some((line, line.moves.first()?)))
        {
            let best = uci(best, chess960);
            let _ = write!(text, " score {} move {best}", score(line.score));
        }
        if index == winner { text + " wins the vote" } else { text }
    };
    outcomes.iter().enumerate().map(row).collect()
}

/// A board for people, White below, and what is not on it.
#[must_use]
pub fn board(position: &Position) -> String {
    const RULE: &str = "  +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(RULE);
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let symbol = if let Some(piece) = piece { piece.char() } else { ' ' };
            let _ = write!(text, " | {symbol}");
        }
        text.push_str(" |\n");
        text.push_str(RULE);
    }
    text.push_str("    a   b   c   d   e   f   g   h\n\n");
    let _ = writeln!(text, "FEN: {}", position.fen());
    let checkers: Vec<String> =
        position.checkers().into_iter().map(|square| square.to_string()).collect();
    let turn = if position.turn().is_white() { "White" } else { "Black" };
    let _ = write!(text, "{turn} to move");
    if !checkers.is_empty() {
        let _ = write!(text, ", in check from {}", checkers.join(" "));
    }
    text
}

fn score(score: Score) -> String {
    match score.mate_moves() {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", score.get()),
    }
}

/// The static evaluation, for people: the network's, if there is one, and the classical one.
#[must_use]
pub fn evaluation(position: &Position, network: Option<&Network>) -> String {
    if position.is_check() {
        return "Evaluation: none, the king is in check".into();
    }
    let pawns = |score: Score| {
        let white = if position.turn().is_white() { score } else { -score };
        format!("{:+.2} pawns, from White's side", f64::from(white.get()) / 100.0)
    };
    let classical = pawns(eval::evaluate(position));
    let Some(network) = network else { return format!("Evaluation: {classical}") };
    let bucket = bucket(position.occupied().count());
    let value = pawns(nnue::evaluate(network, position));
    format!("Evaluation: {value} (network, bucket {bucket})\nClassical:  {classical}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: Cost =
        Cost { nodes: 5000, time: Duration::from_millis(500), hashfull: 7, table_hits: 9 };

    fn line(position: &Position, moves: &[&str], score: Score, bound: Bound) -> Line {
        let mut position = position.clone();
        let play = |text: &&str| {
            let m = position.parse_move(text).unwrap();
            position = position.play(m);
            m
        };
        let moves = moves.iter().map(play).collect();
        Line { depth: 9, seldepth: 12, multipv: 1, score, bound, moves, share: 1.0 }
    }

    #[test]
    fn a_line_is_an_info() {
        let found = line(&Position::default(), &["e2e4", "e7e5"], Score::new(-31), Bound::Exact);
        assert_eq!(
            info(&found, &COST, false),
            "info depth 9 seldepth 12 multipv 1 score cp -31 nodes 5000 nps 10000 hashfull 7 \
             tbhits 9 time 500 pv e2e4 e7e5"
        );
        assert_eq!(bestmove(&found.moves, false), "bestmove e2e4 ponder e7e5");
    }

    #[test]
    fn bounds_and_mates_are_marked() {
        let position = Position::default();
        let failed = line(&position, &["e2e4"], Score::mate_in(3), Bound::Lower);
        assert!(info(&failed, &COST, false).contains(" score mate 2 lowerbound nodes "));
        let failed = line(&position, &[], Score::mated_in(4), Bound::Upper);
        let text = info(&failed, &COST, false);
        assert!(text.contains(" score mate -2 upperbound "));
        assert!(!text.contains(" pv "), "{text}");
        assert_eq!(bestmove(&failed.moves, false), "bestmove (none)");
        assert_eq!(bestmove(&[], false), "bestmove (none)");
    }

    #[test]
    fn castling_is_written_as_the_gui_wants_it() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
        let castles = line(&position, &["e1g1"], Score::DRAW, Bound::Exact);
        assert_eq!(bestmove(&castles.moves, false), "bestmove e1g1");
        assert_eq!(bestmove(&castles.moves, true), "bestmove e1h1");
    }

    #[test]
    fn the_end_of_the_game_has_a_score() {
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(game_over(&mated), "info depth 0 score mate 0");
        let stalemated = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(game_over(&stalemated), "info depth 0 score cp 0");
    }

    #[test]
    fn every_worker_has_a_row_for_debugging() {
        let best = line(&Position::default(), &["d2d4"], Score::new(12), Bound::Exact);
        let outcomes = [Outcome::default(), Outcome { lines: vec![best], depth: 9 }];
        let rows = workers(&outcomes, 1, false);
        assert_eq!(rows[0], "info string worker 0 depth 0");
        assert_eq!(rows[1], "info string worker 1 depth 9 score cp 12 move d2d4 wins the vote");
    }

    #[test]
    fn the_board_shows_pieces_and_checks() {
        let text = board(&Position::from_fen("4k3/8/8/8/7q/8/8/4K3 w - - 0 1").unwrap());
        assert!(text.contains("4 |   |   |   |   |   |   |   | q |\n"), "{text}");
        assert!(text.ends_with("White to move, in check from h4"), "{text}");
    }
}
