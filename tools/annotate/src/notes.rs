//! Writes a report into its game: evaluations, glyphs, better lines, the opening, both sides'
//! accuracy.
//!
//! What the game said before is kept. A move that has an evaluation, a glyph or a verdict gets no
//! second one, and no better line is added twice.

use heddle::position::{Move, Position};
use heddle::text::build;
use heddle::text::show;

use crate::game::{Game, Node, Variation};
use crate::judge::Glyph;
use crate::report::{Report, Summary};

/// The longest better line, in plies.
pub const MAX_LINE: usize = 10;
/// The glyphs that judge a move, from `!` to `?!`.
const JUDGEMENTS: std::ops::RangeInclusive<u32> = 1..=6;

/// Adds `report` to `game`.
pub fn annotate(game: &mut Game, report: &Report) {
    for ply in 0..report.losses.len() {
        let node = &mut game.line.nodes[ply];
        let comment = comment(node, report, ply);
        if !comment.is_empty() {
            node.comments.insert(0, comment);
        }
        let Some(glyph) = report.glyph(ply) else { continue };
        if !node.nags.iter().any(|nag| JUDGEMENTS.contains(nag)) {
            node.nags.push(glyph.nag());
        }
        let better = line(&report.positions[ply], report.best(ply));
        let starts_alike = |other: &Variation| {
            other.nodes.first().map(|n| &n.san) == better.nodes.first().map(|n| &n.san)
        };
        if !node.variations.iter().any(starts_alike) {
            node.variations.push(better);
        }
    }
    for (side, summary) in ["White", "Black"].into_iter().zip(&report.sides) {
        let Summary { moves, accuracy, centipawns, .. } = summary;
        if *moves > 0 {
            game.set_tag(&format!("{side}Accuracy"), format!("{accuracy:.1}"));
            game.set_tag(&format!("{side}AverageLoss"), format!("{centipawns:.0}"));
        }
    }
    if let Some(opening) = &report.opening
        && game.tag("Opening").is_none()
    {
        if game.tag("ECO").is_none() {
            game.set_tag("ECO", opening.code.into());
        }
        game.set_tag("Opening", opening.name.into());
    }
    if game.tag("Annotator").is_none() {
        game.set_tag("Annotator", build::NAME.into());
    }
}

/// What is said about a move.
fn comment(node: &Node, report: &Report, ply: usize) -> String {
    let position = &report.positions[ply + 1];
    let is_said = |words: &str| node.comments.iter().any(|comment| comment.contains(words));
    let mut words = Vec::new();
    if let Some(evaluation) = &report.evaluations[ply + 1]
        && !is_said("[%eval ")
        && !position.is_checkmate()
    {
        let score = show::score(evaluation.score, position);
        let score = score.trim_start_matches('+');
        words.push(match evaluation.depth {
            0 => format!("[%eval {score}]"),
            depth => format!("[%eval {score},{depth}]"),
        });
    }
    if let Some((_, opening)) = report.departure().filter(|&(at, _)| at == ply) {
        let left = format!("Leaves the known lines of: {}.", opening.name);
        if !is_said(&left) {
            words.push(left);
        }
    }
    let is_judged = || Glyph::ALL.iter().any(|glyph| is_said(&format!("{}: ", glyph.name())));
    if !is_judged() && !is_said(LOST) {
        // The author's own glyph stays, and is not contradicted in words.
        let own = node.nags.iter().find(|nag| JUDGEMENTS.contains(nag));
        let agrees = own.is_none_or(|&nag| report.glyph(ply).is_some_and(|g| g.nag() == nag));
        words.extend(if agrees { verdict(report, ply) } else { cost(report, ply) });
    }
    words.join(" ")
}

/// What tells a verdict from other comments.
const LOST: &str = " of the winning chances lost.";

/// The glyph of a move in words, with the better move.
pub fn verdict(report: &Report, ply: usize) -> Option<String> {
    Some(format!("{}: {}", report.glyph(ply)?.name(), cost(report, ply)?))
}

/// What a move with a glyph lost, and the better move.
fn cost(report: &Report, ply: usize) -> Option<String> {
    report.glyph(ply)?;
    let best = report.positions[ply].san(*report.best(ply).first()?);
    let chances = report.losses[ply]?.chances.round();
    Some(format!("{chances} %{LOST} {best} was better."))
}

/// The beginning of a line as a variation.
fn line(position: &Position, moves: &[Move]) -> Variation {
    let mut position = position.clone();
    let mut node = |m: &Move| {
        let san = position.san(*m);
        position = position.play(*m);
        Node { san, ..Node::default() }
    };
    Variation {
        nodes: moves.iter().take(MAX_LINE).map(&mut node).collect(),
        ..Variation::default()
    }
}
