//! Analysis for people: the board, then what the search finds, with moves in standard notation; and
//! for programs, as JSON.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::{Engine, Settings};
use crate::position::{Color, Game, Position, uci};
use crate::search::Line;
use crate::smp::stop::StopFlag;
use crate::text::rows::Presenter;
use crate::text::show;
use crate::time::limits::Limits;
use crate::tt::Bound;
use crate::wdl::{self, Chances, MODEL};

/// The columns before the moves of a final line.
const INDENT: usize = "Line: +100.00  ".len();

/// A search: its game, its limits and its settings.
pub struct Query<'a> {
    /// The game, whose last position is searched.
    pub game: &'a Game,
    /// Limits of the search; raising the flag `cancel` ends it as well, with what was found so far.
    pub limits: &'a Limits,
    /// Settings of the search.
    pub settings: &'a Settings,
}

/// What a search has found.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The lines, the best first; none if there is no legal move.
    pub lines: Vec<Line>,
    /// The line before, where the end came when the search of another move was not complete.
    pub before: Option<Line>,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl Analysis {
    /// The last lines of a search that had shown `full` lines. A search that ends in a window that
    /// failed knows a move and a bound: the full line is kept if it begins with that move.
    fn new(lines: Vec<Line>, full: &[Line], nodes: u64, time: Duration) -> Self {
        let mut before = None;
        let kept = |line: Line| {
            let last = full.iter().find(|full| full.multipv == line.multipv);
            match last.filter(|_| line.bound != Bound::Exact) {
                Some(last) if last.moves.first() == line.moves.first() => last.clone(),
                Some(last) if line.multipv == 1 => {
                    before = Some(last.clone());
                    line
                }
                _ => line,
            }
        };
        let lines = lines.into_iter().map(kept).collect();
        Self { lines, before, nodes, time }
    }

    /// The findings as JSON, scores and chances from White's point of view.
    pub fn json(&self, position: &Position) -> Value {
        let best = self
            .lines
            .first()
            .and_then(|line| line.moves.first())
            .map(|&m| json!({ "uci": uci(m, position.is_chess960()), "san": position.san(m) }));
        let lines: Vec<_> = self.lines.iter().map(|line| json_line(position, line)).collect();
        json!({
            "fen": position.fen(),
            "best": best,
            "lines": lines,
            "nodes": self.nodes,
            "milliseconds": self.time.as_millis() as u64,
        })
    }
}

fn json_line(position: &Position, line: &Line) -> Value {
    let is_white = position.turn().is_white();
    let material = wdl::material(position);
    let score = match line.score.mate_moves() {
        Some(moves) => json!({ "mate": if is_white { moves } else { -moves } }),
        None => {
            let centipawns = MODEL.normalised(line.score, material);
            json!({ "centipawns": if is_white { centipawns } else { -centipawns } })
        }
    };
    let Chances { win, draw, loss } = wdl::whites(line.score, position);
    let chess960 = position.is_chess960();
    let moves: Vec<_> = line.moves.iter().map(|&m| uci(m, chess960)).collect();
    json!({
        "rank": line.multipv,
        "depth": line.depth,
        "seldepth": line.seldepth,
        "bound": match line.bound {
            Bound::Exact => "exact",
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        },
        "score": score,
        "permille": { "white": win, "draw": draw, "black": loss },
        "moves": moves,
        "san": show::sans(position, &line.moves),
    })
}

/// Searches, and shows the search on `output` by `progress` while it runs.
///
/// # Errors
/// The error from `output`, which ends the search.
pub fn search(
    engine: &mut Engine,
    query: &Query<'_>,
    cancel: &StopFlag,
    progress: &mut dyn Presenter,
    output: &mut dyn Write,
) -> io::Result<Analysis> {
    let Query { game, limits, settings } = query;
    progress.position(output)?;
    if game.position().legal_moves().is_empty() {
        return Ok(Analysis::default());
    }
    let start = Instant::now();
    progress.begin(output)?;
    let mut written = Ok(());
    let mut full: Vec<Line> = Vec::new();
    let on_news = |line: Option<&Line>, nodes, time| {
        if written.is_err() {
            return;
        }
        written = match line {
            None => progress.passed(output, nodes, time),
            Some(line) if line.bound == Bound::Exact => {
                let is_old = is_old_mate(line, &full);
                full.retain(|old| old.multipv != line.multipv);
                full.push(line.clone());
                if is_old { Ok(()) } else { progress.found(output, line, nodes, time) }
            }
            Some(_) => Ok(()),
        };
        if written.is_err() {
            cancel.raise();
        }
    };
    let outcome = engine.search(game, limits, settings, cancel, on_news);
    written?;
    let (nodes, time) = (engine.nodes(), start.elapsed());
    progress.end(output, nodes, time)?;
    Ok(Analysis::new(outcome.lines, &full, nodes, time))
}

/// Answers `query` on `output` for a person, and shows the search by `progress` while it runs.
///
/// # Errors
/// The error from `output`, which ends the search.
pub fn run(
    engine: &mut Engine,
    query: &Query<'_>,
    cancel: &StopFlag,
    progress: &mut dyn Presenter,
    output: &mut dyn Write,
) -> io::Result<()> {
    let position = query.game.position();
    let analysis = search(engine, query, cancel, progress, output)?;
    let Some(best) = analysis.lines.first().and_then(|line| line.moves.first()) else {
        if !position.legal_moves().is_empty() {
            return Ok(());
        }
        let end = if position.is_check() { "Checkmate" } else { "Stalemate" };
        return writeln!(output, "{end}: there is no legal move.");
    };
    writeln!(output, "\nBest move: {}", position.san(*best))?;
    let columns = progress.columns().map_or(usize::MAX, |columns| columns.saturating_sub(INDENT));
    // With several lines each gets its part of the screen, so that the board stays in sight.
    let count = analysis.lines.len();
    let rows = progress.rows_left().filter(|_| count > 1).map_or(usize::MAX, |rows| rows / count);
    let mut tell = |name: &str, line: &Line| {
        let score = match line.depth {
            0 => "not searched".to_owned(),
            _ => relation(line.bound, position).to_owned() + &show::score(line.score, position),
        };
        let rows = show::line_in_some_rows(position, &line.moves, columns, rows.max(1));
        let moves = rows.join(&format!("\n{:INDENT$}", ""));
        writeln!(output, "{name} {score:>7}  {moves}")
    };
    for line in &analysis.lines {
        tell("Line:", line)?;
    }
    if let Some(before) = &analysis.before {
        tell("Prev:", before)?;
    }
    output.flush()
}

/// How the score that White is shown relates to the true one.
fn relation(bound: Bound, position: &Position) -> &'static str {
    match (bound, position.turn()) {
        (Bound::Exact, _) => "",
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => "≥",
        (Bound::Lower, Color::Black) | (Bound::Upper, Color::White) => "≤",
    }
}

/// Whether the line is the mate that was last shown in its place: greater depths only find it
/// again, many per second. `told` has the lines last shown.
fn is_old_mate(line: &Line, told: &[Line]) -> bool {
    let is_same = |old: &Line| old.multipv == line.multipv && old.moves == line.moves;
    line.score.is_mate() && told.iter().any(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::text::rows::Rows;
    use crate::time::clock::Support;

    fn analyse(fen: &str) -> String {
        lines(fen, 1)
    }

    fn lines(fen: &str, multipv: usize) -> String {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let mut engine = Engine::new(1, 1).unwrap();
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let mut output = Vec::new();
        let settings = Settings { multipv, ..Settings::default() };
        let query = Query { game: &game, limits: &limits, settings: &settings };
        let mut rows = Rows { position: game.position() };
        run(&mut engine, &query, &StopFlag::default(), &mut rows, &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_board_a_row_a_depth_and_a_verdict() {
        let text = analyse(crate::position::START_FEN);
        assert!(text.contains("White to move"), "{text}");
        assert!(text.contains("\n    1 "), "{text}");
        assert!(text.contains("\n    3 "), "{text}");
        assert!(text.contains("\nBest move: "), "{text}");
        assert!(text.contains("\nLine:   "), "{text}");
    }

    #[test]
    fn a_mate_is_told_once() {
        let text = analyse("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(text.matches("#1").count(), 2, "a row and the final line: {text}");
        let text = lines("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1", 2);
        assert_eq!(text.matches("#1").count(), 2, "a row and the final line: {text}");
    }

    fn found(first: &str, plies: usize, bound: Bound) -> Line {
        let mut position = Position::default();
        let mut moves = vec![position.parse_move(first).unwrap()];
        while moves.len() < plies {
            position = position.play(moves[moves.len() - 1]);
            moves.push(position.legal_moves()[0]);
        }
        let (score, support) = (Score::new(20), Support::default());
        Line { depth: 9, seldepth: 9, multipv: 1, score, bound, moves, support }
    }

    #[test]
    fn the_last_full_line_is_kept_when_the_end_comes_in_a_window_that_failed() {
        let full = [found("e2e4", 5, Bound::Exact)];
        let ended = |line| Analysis::new(vec![line], &full, 1, Duration::ZERO);
        let same = ended(found("e2e4", 1, Bound::Lower));
        assert_eq!((same.lines[0].moves.len(), same.before.is_some()), (5, false));
        assert_eq!(same.lines[0].bound, Bound::Exact);
        let other = ended(found("d2d4", 1, Bound::Lower));
        assert_eq!(other.lines[0].moves.len(), 1);
        assert_eq!(other.before.unwrap().moves, full[0].moves);
        let exact = ended(found("d2d4", 3, Bound::Exact));
        assert_eq!((exact.lines[0].moves.len(), exact.before.is_some()), (3, false));
    }

    #[test]
    fn json_has_whites_scores_and_both_notations() {
        let mut position = Position::default();
        position = position.play(position.parse_move("e2e4").unwrap());
        let mut line = found("e2e4", 3, Bound::Exact);
        line.moves.remove(0);
        let analysis = Analysis { lines: vec![line], nodes: 7, ..Analysis::default() };
        let value = analysis.json(&position);
        assert_eq!(value["nodes"], 7);
        assert_eq!(value["best"]["uci"], value["lines"][0]["moves"][0]);
        assert_eq!(value["best"]["san"], value["lines"][0]["san"][0]);
        assert!(value["lines"][0]["score"]["centipawns"].as_i64().unwrap() < 0);
        let permille = &value["lines"][0]["permille"];
        assert!(permille["black"].as_u64() > permille["white"].as_u64());
        assert!(Analysis::default().json(&position)["best"].is_null());
    }

    #[test]
    fn a_finished_game_is_not_searched() {
        let mated = analyse("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert!(mated.ends_with("Checkmate: there is no legal move.\n"), "{mated}");
        let stalemated = analyse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert!(stalemated.ends_with("Stalemate: there is no legal move.\n"), "{stalemated}");
    }
}
