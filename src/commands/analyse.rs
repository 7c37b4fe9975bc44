//! Analysis for people: the board, then what the search finds, with moves in standard notation.

use std::io::{self, Write};
use std::time::Instant;

use crate::engine::{Engine, Settings};
use crate::position::{Game, Move};
use crate::search::Line;
use crate::smp::stop::StopFlag;
use crate::text::rows::Presenter;
use crate::text::show;
use crate::time::limits::Limits;
use crate::tt::Bound;

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

/// Answers `query` on `output`, and shows the search by `progress` while it runs.
///
/// # Errors
/// The error from `output`, which ends the search.
pub fn run(
    engine: &mut Engine,
    query: &Query<'_>,
    cancel: &StopFlag,
    progress: &mut dyn Presenter,
    output: &mut impl Write,
) -> io::Result<()> {
    let Query { game, limits, settings } = query;
    let position = game.position();
    progress.position(output)?;
    if position.legal_moves().is_empty() {
        let end = if position.is_check() { "Checkmate" } else { "Stalemate" };
        return writeln!(output, "{end}: there is no legal move.");
    }
    let start = Instant::now();
    progress.begin(output)?;
    let mut written = Ok(());
    let mut told = Vec::new();
    let on_news = |line: Option<&Line>, nodes, time| {
        if written.is_err() {
            return;
        }
        written = match line {
            None => progress.passed(output, nodes, time),
            Some(line) if line.bound == Bound::Exact && !is_old_mate(line, &mut told) => {
                progress.found(output, line, nodes, time)
            }
            Some(_) => Ok(()),
        };
        if written.is_err() {
            cancel.raise();
        }
    };
    let outcome = engine.search(game, limits, settings, cancel, on_news);
    written?;
    progress.end(output, engine.nodes(), start.elapsed())?;
    let Some(best) = outcome.lines.first().and_then(|line| line.moves.first()) else {
        return Ok(());
    };
    writeln!(output, "\nBest move: {}", position.san(*best))?;
    for line in &outcome.lines {
        let score = match line.depth {
            0 => "not searched".to_owned(),
            _ => show::score(line.score, position),
        };
        let columns =
            progress.columns().map_or(usize::MAX, |columns| columns.saturating_sub(INDENT));
        let rows = show::line_in_rows(position, &line.moves, columns);
        writeln!(output, "Line: {score:>7}  {}", rows.join(&format!("\n{:INDENT$}", "")))?;
    }
    output.flush()
}

/// Whether the line is the mate that was last shown in its place: greater depths only find it again, many
/// per second. `told` has the moves last shown in each place.
fn is_old_mate(line: &Line, told: &mut Vec<Vec<Move>>) -> bool {
    told.resize(told.len().max(line.multipv), Vec::new());
    let last = std::mem::replace(&mut told[line.multipv - 1], line.moves.clone());
    line.score.is_mate() && last == line.moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::text::rows::Rows;

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

    #[test]
    fn a_finished_game_is_not_searched() {
        let mated = analyse("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert!(mated.ends_with("Checkmate: there is no legal move.\n"), "{mated}");
        let stalemated = analyse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert!(stalemated.ends_with("Stalemate: there is no legal move.\n"), "{stalemated}");
    }
}
