//! The engine's findings as text: `info` and `bestmove` for GUIs, a board for people.

use std::fmt::Write as _;
use std::time::Duration;

use crate::engine::{Current, SearchResult, Totals};
use crate::position::{Move, Position, uci};
use crate::score::Score;
use crate::search::{Line, Outcome};
use crate::smp::vote::Vote;
use crate::text::show;
use crate::tt::{Bound, Counts};
use crate::wdl::{Chances, MODEL};

/// The answer to `go` when there is no position to search: a move that no position has, so that
/// a GUI reports it instead of playing it.
pub const NO_MOVE: &str = "bestmove 0000";

/// The cost of a search so far.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The work of the workers.
    pub totals: Totals,
    /// Time since the search began.
    pub time: Duration,
}

/// How lines are written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Castling is the king taking its rook.
    pub chess960: bool,
    /// The material at the root, which says what a score is worth.
    pub material: u32,
    /// The chances of win, draw and loss are to be shown.
    pub chances: bool,
}

/// The `info` of a line.
pub fn info(line: &Line, cost: &Cost, style: Style) -> String {
    let bound = match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}{bound}{} {}",
        line.depth,
        line.seldepth,
        line.multipv,
        score(line.score, style.material),
        if style.chances { chances(line.score, style.material) } else { String::new() },
        spent(cost),
    );
    if !line.moves.is_empty() {
        text.push_str(" pv");
        for &m in &line.moves {
            text.push(' ');
            text.push_str(&uci(m, style.chess960));
        }
    }
    text
}

/// The `info` of the cost of a search since its last line.
pub fn totals(cost: &Cost) -> String {
    format!("info {}", spent(cost))
}

fn spent(cost: &Cost) -> String {
    let Totals { nodes, hashfull, tb_hits, .. } = cost.totals;
    let (nps, time) = (show::nps(nodes, cost.time), cost.time.as_millis());
    format!("nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time}")
}

/// The `info` of the root move that is being searched.
pub fn current(current: &Current, chess960: bool) -> String {
    let Current { depth, m, move_count } = current;
    format!("info depth {depth} currmove {} currmovenumber {move_count}", uci(*m, chess960))
}

/// The `info` of a position without a legal move: mated or stalemated.
pub fn game_over(position: &Position, style: Style) -> String {
    let result = if position.is_check() { Score::mated_in(0) } else { Score::DRAW };
    let chances = match style.chances {
        true if result.is_decisive() => chances(result, style.material),
        true => " wdl 0 1000 0".into(),
        false => String::new(),
    };
    format!("info depth 0 score {}{chances}", score(result, style.material))
}

/// The answer to `go`: the first of `moves` and, if there is one, the second to ponder on.
pub fn bestmove(moves: &[Move], chess960: bool) -> String {
    match *moves {
        [] => "bestmove (none)".into(),
        [best] => format!("bestmove {}", uci(best, chess960)),
        [best, reply, ..] => {
            format!("bestmove {} ponder {}", uci(best, chess960), uci(reply, chess960))
        }
    }
}

/// Two `info string`s on what was done at the table, for `debug on`: what the probes found, and
/// what became of the entries stored. See [`Counts`].
pub fn census(counts: &Counts) -> [String; 2] {
    let Counts { probes, hits, foreign, rejected, illegal, .. } = counts;
    let Counts { filled, updated, kept, replaced_older, replaced_current, .. } = counts;
    let stores = counts.stores();
    [
        format!(
            "info string table probes {probes} hits {hits} foreign {foreign} rejected {rejected} \
             illegal {illegal}"
        ),
        format!(
            "info string table stores {stores} filled {filled} updated {updated} kept {kept} \
             older {replaced_older} current {replaced_current}"
        ),
    ]
}

/// One `info string` per worker on what it found and what its move weighed in the vote, for
/// `debug on`.
pub fn workers(result: &SearchResult, style: Style) -> Vec<String> {
    let Vote { winner, weights } = &result.vote;
    let row = |(index, outcome): (usize, &Outcome)| {
        let mut text = format!("info string worker {index} depth {}", outcome.depth);
        if let Some(line) = outcome.lines.first() {
            let best = uci(line.moves[0], style.chess960);
            let score = score(line.score, style.material);
            let _ = write!(text, " score {score} move {best}");
        }
        if let Some(weight) = weights[index] {
            let _ = write!(text, " weight {weight}");
        }
        if index == *winner { text + " wins the vote" } else { text }
    };
    result.outcomes.iter().enumerate().map(row).collect()
}

fn score(score: Score, material: u32) -> String {
    match score.mate_moves() {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", MODEL.normalised(score, material)),
    }
}

fn chances(score: Score, material: u32) -> String {
    let Chances { win, draw, loss } = MODEL.chances(score, material);
    format!(" wdl {win} {draw} {loss}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::clock::Support;

    const COST: Cost = Cost {
        totals: Totals { nodes: 5000, hashfull: 7, tb_hits: 9, census: None },
        time: Duration::from_millis(500),
    };
    const STYLE: Style = Style { chess960: false, material: 78, chances: false };

    fn shown(centipawns: i32) -> i32 {
        MODEL.normalised(Score::new(centipawns), STYLE.material)
    }

    fn line(position: &Position, moves: &[&str], score: Score, bound: Bound) -> Line {
        let mut position = position.clone();
        let play = |text: &&str| {
            let m = position.parse_move(text).unwrap();
            position = position.play(m);
            m
        };
        let moves = moves.iter().map(play).collect();
        Line {
            depth: 9,
            seldepth: 12,
            multipv: 1,
            score,
            bound,
            moves,
            support: Support::default(),
        }
    }

    #[test]
    fn a_line_is_an_info() {
        let found = line(&Position::default(), &["e2e4", "e7e5"], Score::new(-31), Bound::Exact);
        assert_eq!(
            info(&found, &COST, STYLE),
            format!(
                "info depth 9 seldepth 12 multipv 1 score cp {} nodes 5000 nps 10000 hashfull 7 \
                 tbhits 9 time 500 pv e2e4 e7e5",
                shown(-31)
            )
        );
        assert_eq!(bestmove(&found.moves, false), "bestmove e2e4 ponder e7e5");
    }

    #[test]
    fn bounds_and_mates_are_marked() {
        let position = Position::default();
        let failed = line(&position, &["e2e4"], Score::mate_in(3), Bound::Lower);
        assert!(info(&failed, &COST, STYLE).contains(" score mate 2 lowerbound nodes "));
        let failed = line(&position, &[], Score::mated_in(4), Bound::Upper);
        let text = info(&failed, &COST, STYLE);
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
        assert_eq!(game_over(&mated, STYLE), "info depth 0 score mate 0");
        let stalemated = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(game_over(&stalemated, STYLE), "info depth 0 score cp 0");
    }

    #[test]
    fn every_worker_has_a_row_for_debugging() {
        let best = line(&Position::default(), &["d2d4"], Score::new(12), Bound::Exact);
        let outcomes = vec![Outcome::default(), Outcome { lines: vec![best], depth: 9 }];
        let rows = workers(&SearchResult::new(outcomes), STYLE);
        assert_eq!(rows[0], "info string worker 0 depth 0");
        assert_eq!(
            rows[1],
            format!(
                "info string worker 1 depth 9 score cp {} move d2d4 weight 9 wins the vote",
                shown(12)
            )
        );
    }

    #[test]
    fn the_table_has_two_rows_for_debugging() {
        let counts =
            Counts { probes: 9, hits: 4, foreign: 1, filled: 3, kept: 2, ..Counts::default() };
        assert_eq!(
            census(&counts),
            [
                "info string table probes 9 hits 4 foreign 1 rejected 0 illegal 0",
                "info string table stores 5 filled 3 updated 0 kept 2 older 0 current 0",
            ]
        );
    }

    #[test]
    fn a_proved_result_is_not_weighed() {
        let mate = line(&Position::default(), &["d2d4"], Score::mate_in(3), Bound::Exact);
        let result = SearchResult::new(vec![Outcome { lines: vec![mate], depth: 9 }]);
        let rows = workers(&result, STYLE);
        assert_eq!(rows[0], "info string worker 0 depth 9 score mate 2 move d2d4 wins the vote");
    }

    #[test]
    fn chances_follow_the_score_and_its_bound() {
        let style = Style { chances: true, ..STYLE };
        let told =
            |score, bound| info(&line(&Position::default(), &[], score, bound), &COST, style);
        let text = told(Score::new(35), Bound::Lower);
        let Chances { win, draw, loss } = MODEL.chances(Score::new(35), 78);
        let cp = shown(35);
        let chances = format!(" score cp {cp} lowerbound wdl {win} {draw} {loss} nodes ");
        assert!(text.contains(&chances), "{text}");
        let text = told(Score::mated_in(4), Bound::Exact);
        assert!(text.contains(" score mate -2 wdl 0 0 1000 nodes "), "{text}");
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(game_over(&mated, style), "info depth 0 score mate 0 wdl 0 0 1000");
        let stalemated = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(game_over(&stalemated, style), "info depth 0 score cp 0 wdl 0 1000 0");
    }

    #[test]
    fn a_current_move_has_its_number() {
        let m = Position::default().parse_move("g1f3").unwrap();
        let text = current(&Current { depth: 21, m, move_count: 4 }, false);
        assert_eq!(text, "info depth 21 currmove g1f3 currmovenumber 4");
    }
}
