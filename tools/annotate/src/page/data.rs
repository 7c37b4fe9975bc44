//! What the script of the page knows of a game.

use heddle::position::{Move, Position, uci};
use heddle::score::Depth;
use heddle::text::show;
use serde::Serialize;

use crate::game::Game;
use crate::judge::Glyph;
use crate::notes::{self, MAX_LINE};
use crate::report::Report;

/// A position, and the move that led to it.
#[derive(Serialize)]
struct Step {
    /// The position in Forsyth-Edwards Notation.
    fen: String,
    /// The move before, in UCI notation, and as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<(String, String)>,
    /// What is said about that move.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The evaluation, if there is one: the score, White's winning chances in percent, the depth in
    /// plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<(String, f64, Depth)>,
    /// The best line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    best: Vec<Reply>,
}

/// A move of a line: its squares, how it is written with its number, and the pieces after it.
#[derive(Serialize)]
struct Reply(String, String, String);

/// The steps of a game as JSON, fit to stand in a page.
pub fn json(game: &Game, report: &Report) -> String {
    let steps = 0..report.positions.len();
    let steps: Vec<Step> = steps.map(|index| step(game, report, index)).collect();
    let text = serde_json::to_string(&steps).expect("strings and numbers are JSON");
    // No text of a game may end the script.
    text.replace('<', "\\u003c")
}

fn step(game: &Game, report: &Report, index: usize) -> Step {
    let chess960 = game.start.is_chess960();
    let position = &report.positions[index];
    let played = |ply: usize| {
        let written = show::numbered(&report.positions[ply], game.moves[ply]);
        let glyph = report.glyph(ply).map_or("", Glyph::symbol);
        (game.moves[ply].map_or_else(String::new, |m| squares(m, chess960)), written + glyph)
    };
    let before = index.checked_sub(1);
    let best = report.best(index);
    let shown = &best[..best.len().min(MAX_LINE)];
    Step {
        fen: position.fen(),
        played: before.map(played),
        note: before.and_then(|ply| notes::verdict(report, ply)),
        score: report.evaluations[index].as_ref().map(|found| {
            let percent = 100.0 * found.expected_by_white(position);
            (show::score(found.score, position), percent.round(), found.depth)
        }),
        best: replies(position, shown, chess960),
    }
}

fn replies(position: &Position, moves: &[Move], chess960: bool) -> Vec<Reply> {
    let mut position = position.clone();
    let reply = |(at, &m): (usize, &Move)| {
        // Black's moves have a number only at the beginning.
        let is_numbered = at == 0 || position.turn().is_white();
        let written = if is_numbered { show::line(&position, &[m]) } else { position.san(m) };
        position = position.play(m);
        let fen = position.fen();
        let pieces = fen.split(' ').next().unwrap_or_default();
        Reply(squares(m, chess960), written, pieces.to_owned())
    };
    moves.iter().enumerate().map(reply).collect()
}

/// The squares that a move goes from and to.
fn squares(m: Move, chess960: bool) -> String {
    uci(m, chess960).chars().take(4).collect()
}
