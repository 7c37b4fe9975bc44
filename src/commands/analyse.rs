//! Analysis for people: the board, then one line per depth with moves in standard notation.

use std::io::{self, Write};
use std::time::Duration;

use super::show;
use crate::commands::runner;
use crate::engine::{Engine, Settings};
use crate::position::{Color, Game, Move, Position};
use crate::score::Score;
use crate::search::Line;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::tt::Bound;

/// The longest line shown while the search runs, in plies.
const SHOWN_PLIES: usize = 12;

/// Searches the position of `game` and writes what it finds to `output` as it goes.
///
/// # Errors
/// The error from `output`, which ends the search.
pub fn run(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    settings: &Settings,
    output: &mut impl Write,
) -> io::Result<()> {
    let position = game.position();
    writeln!(output, "{}\n", show::board(position))?;
    if position.legal_moves().is_empty() {
        let end = if position.is_check() { "Checkmate" } else { "Stalemate" };
        return writeln!(output, "{end}: there is no legal move.");
    }
    writeln!(
        output,
        "{:>5} {:>8} {:>9} {:>11} {:>10}  line",
        "depth", "score", "time", "nodes", "nps"
    )?;
    output.flush()?;
    let cancel = Arc::<StopFlag>::default();
    let mut written = Ok(());
    let mut told = None;
    let on_line = |line: &Line, nodes, time| {
        if written.is_ok() && line.bound == Bound::Exact && !is_old_mate(line, &mut told) {
            written = row(output, position, line, nodes, time);
            if written.is_err() {
                cancel.raise();
            }
        }
    };
    let outcome = runner::search(engine, game, limits, settings, &cancel, on_line);
    written?;
    let Some(best) = outcome.lines.first().and_then(|line| line.moves.first()) else {
        return Ok(());
    };
    writeln!(output, "\nBest move: {}", position.san(*best))?;
    for line in &outcome.lines {
        let score = score(line.score, position);
        writeln!(output, "Line:      {score}  {}", moves(position, &line.moves))?;
    }
    writeln!(output, "(+ is good for White)")?;
    output.flush()
}

/// Whether the line is the mate that was last shown: greater depths only find it again, many per
/// second.
fn is_old_mate(line: &Line, told: &mut Option<Vec<Move>>) -> bool {
    let is_old = line.score.is_mate() && told.as_ref() == Some(&line.moves);
    *told = Some(line.moves.clone());
    is_old
}

/// A row shown while the search runs. Only the best line of a depth shows the depth.
fn row(
    output: &mut impl Write,
    position: &Position,
    line: &Line,
    nodes: u64,
    time: Duration,
) -> io::Result<()> {
    let depth = if line.multipv == 1 { line.depth.to_string() } else { String::new() };
    let shown = &line.moves[..line.moves.len().min(SHOWN_PLIES)];
    let more = if shown.len() < line.moves.len() { " …" } else { "" };
    writeln!(
        output,
        "{:>5} {:>8} {:>8.2}s {:>11} {:>10}  {}{more}",
        depth,
        score(line.score, position),
        time.as_secs_f64(),
        nodes,
        show::nps(nodes, time),
        moves(position, shown),
    )?;
    output.flush()
}

/// Pawns, or `#` and the moves to mate, from White's point of view.
fn score(score: Score, position: &Position) -> String {
    match score.mate_moves() {
        Some(moves) => format!("#{}", position.turn().fold_wb(moves, -moves)),
        None => show::pawns(score, position),
    }
}

/// Numbered moves in standard algebraic notation.
fn moves(position: &Position, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &m in moves {
        let number = position.fullmoves();
        let san = position.san(m);
        words.push(match (position.turn(), words.is_empty()) {
            (Color::White, _) => format!("{number}. {san}"),
            (Color::Black, true) => format!("{number}... {san}"),
            (Color::Black, false) => san,
        });
        position = position.play(m);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wdl::MODEL;

    fn analyse(fen: &str) -> String {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let mut engine = Engine::new(1, 1).unwrap();
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let mut output = Vec::new();
        run(&mut engine, &game, &limits, &Settings::default(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn moves_are_numbered_from_either_side() {
        let position = Position::default();
        let line: Vec<Move> = {
            let mut position = position.clone();
            ["e2e4", "e7e5", "g1f3"]
                .iter()
                .map(|text| {
                    let m = position.parse_move(text).unwrap();
                    position = position.play(m);
                    m
                })
                .collect()
        };
        assert_eq!(moves(&position, &line), "1. e4 e5 2. Nf3");
        assert_eq!(moves(&position.play(line[0]), &line[1..]), "1... e5 2. Nf3");
    }

    #[test]
    fn scores_are_from_whites_side() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let is_even = |&score: &i32| MODEL.normalised(Score::new(score), 78) == 100;
        let even = (0..1000).find(is_even).unwrap();
        assert_eq!(score(Score::new(even), &white), "+1.00");
        assert_eq!(score(Score::new(even), &black), "-1.00");
        assert_eq!(score(Score::mate_in(3), &white), "#2");
        assert_eq!(score(Score::mate_in(3), &black), "#-2");
    }

    #[test]
    fn a_board_a_row_a_depth_and_a_verdict() {
        let text = analyse(crate::position::START_FEN);
        assert!(text.contains("White to move"), "{text}");
        assert!(text.contains("\n    1 "), "{text}");
        assert!(text.contains("\n    3 "), "{text}");
        assert!(text.contains("\nBest move: "), "{text}");
        assert!(text.contains("\nLine:      "), "{text}");
    }

    #[test]
    fn a_mate_is_told_once() {
        let text = analyse("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(text.matches("#1").count(), 2, "a row and the final line: {text}");
    }

    #[test]
    fn a_finished_game_is_not_searched() {
        let mated = analyse("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert!(mated.ends_with("Checkmate: there is no legal move.\n"), "{mated}");
        let stalemated = analyse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert!(stalemated.ends_with("Stalemate: there is no legal move.\n"), "{stalemated}");
    }
}
