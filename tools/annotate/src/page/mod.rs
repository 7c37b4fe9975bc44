//! One page for all games, without anything from outside: boards to step through, the curves of the
//! evaluation and the clocks, the moments that decided the game.
//!
//! The page is written game by game. Its script stands in the head, so that a page whose end is
//! missing still works.

mod clocks;
mod curve;
mod data;

use heddle::text::build;
use heddle::text::show;
use heddle_figures::page;
use maud::{Markup, PreEscaped, html};

use crate::game::Game;
use crate::judge::Glyph;
use crate::notes::{self, MAX_LINE};
use crate::report::{Report, Summary};

const STYLE: &str = include_str!("style.css");
const BOARD: &str = include_str!("board.js");
const STEPPER: &str = include_str!("stepper.js");
const PIECES: &str = include_str!("pieces.svg");

/// Forbids whatever would come from outside.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The end of the page.
pub const FOOT: &str = "</main>\n</body>\n</html>\n";

/// The page up to its first game, which it is named after. [`FOOT`] closes what stays open.
pub fn head(first: &Game) -> String {
    let more = html! {
        meta http-equiv="Content-Security-Policy" content=(POLICY);
        meta name="color-scheme" content="light dark";
        script { (PreEscaped(BOARD)) (PreEscaped(STEPPER)) }
    };
    let head = html! {
        (page::head(&first.players(), STYLE, &more))
        (PreEscaped(PIECES))
        main;
        noscript { p { "The boards of this page need JavaScript." } }
        p.made {
            "Annotated by " (build::NAME) ". Step through a game with the arrow keys, or click a \
             move, a curve, a diagram or a better line. The address is that of the position."
        }
        nav.index aria-label="Games" {}
    };
    head.into_string()
}

/// A game with its report.
pub fn section(game: &Game, report: &Report, number: usize) -> String {
    let section = html! {
        section.game id=(format!("game-{number}")) {
            (title(game, report))
            div.stage {
                div.view {
                    div.bar aria-hidden="true" { i {} }
                    (board("Board"))
                }
                div.side {
                    p.score {}
                    p.note aria-live="polite" {}
                    p.best {}
                    p.better {}
                    (controls())
                    (moves(game, report))
                }
            }
            (curve::figure(report))
            (clocks::figure(game))
            (summary(report))
            (moments(report))
            script.data type="application/json" { (PreEscaped(data::json(game, report))) }
        }
    };
    section.into_string()
}

/// A board, which the script draws.
fn board(label: &str) -> Markup {
    html! { svg.board viewBox="0 0 8 8" role="img" aria-label=(label) {} }
}

fn controls() -> Markup {
    let steps = [
        ("first", "First position", "«"),
        ("back", "Previous move", "‹"),
        ("on", "Next move", "›"),
        ("last", "Last position", "»"),
        ("flip", "Turn the board", "⇅"),
    ];
    html! {
        div.controls {
            @for (step, label, sign) in steps {
                button type="button" data-step=(step) aria-label=(label) { (sign) }
            }
            button.copy type="button" aria-label="Copy the position as FEN" { "FEN" }
        }
    }
}

/// The players, the event and the opening.
fn title(game: &Game, report: &Report) -> Markup {
    let player = |side: &str| {
        html! {
            (game.tag(side).unwrap_or(side))
            @if let Some(elo) = game.tag(&format!("{side}Elo")) { " " small { (elo) } }
        }
    };
    // Of a date whose month or day is not known, the rest.
    let date = game.tag("Date").map(|date| date.split(".?").next().unwrap_or_default());
    let date = date.filter(|date| !date.starts_with('?'));
    let place = [game.tag("Event"), game.tag("Site"), date];
    let place: Vec<_> = place.into_iter().flatten().filter(|fact| !fact.is_empty()).collect();
    let table = report.opening.as_ref().map(|opening| opening.name);
    let name = game.tag("Opening").or(table).unwrap_or_default().to_owned();
    let left = report.departure().map(|(ply, _)| {
        let position = &report.positions[ply];
        format!("out of book with {}", show::numbered(position, game.moves[ply]))
    });
    let facts = [place.join(", "), name, left.unwrap_or_default()];
    let facts: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let result = game.result.replace("1/2-1/2", "½–½").replace('-', "–");
    html! {
        h2 { (player("White")) " " span.result { (result) } " " (player("Black")) }
        p.facts { (facts.join(" · ")) }
    }
}

/// The list of moves, two to a row.
fn moves(game: &Game, report: &Report) -> Markup {
    let first = game.start.game_ply() as usize;
    html! {
        div.moves tabindex="-1" {
            @for (index, node) in game.line.nodes.iter().enumerate() {
                @let ply = first + index;
                @let is_white = ply.is_multiple_of(2);
                @if is_white || index == 0 { b { (ply / 2 + 1) } }
                @if !is_white && index == 0 { span { "…" } }
                button type="button" data-ply=(index + 1) {
                    (node.san)
                    @if let Some(glyph) = report.glyph(index) {
                        span class=(class(glyph)) { (glyph.symbol()) }
                    }
                }
            }
        }
    }
}

fn class(glyph: Glyph) -> &'static str {
    match glyph {
        Glyph::Inaccuracy => "inaccuracy",
        Glyph::Mistake => "mistake",
        Glyph::Blunder => "blunder",
    }
}

/// Both sides' accuracy, losses and glyphs.
fn summary(report: &Report) -> Markup {
    html! {
        div.scroll {
            table {
                tr {
                    td {}
                    th title="100 % if every move was the engine's" { "Accuracy" }
                    th title="Mean loss of winning chances by move" { "Chances lost" }
                    th title="Mean loss by move, in hundredths of a pawn" { "Centipawns lost" }
                    @for glyph in Glyph::ALL {
                        th class=(class(glyph)) title=(glyph.plural()) { (glyph.symbol()) }
                    }
                    th title="Moves after the opening" { "Moves" }
                }
                @for (name, side) in ["White", "Black"].into_iter().zip(&report.sides) {
                    @let Summary { moves, accuracy, chances, centipawns, glyphs } = side;
                    tr {
                        th scope="row" { (name) }
                        td { (format!("{accuracy:.1} %")) }
                        td { (format!("{chances:.1} %")) }
                        td { (format!("{centipawns:.0}")) }
                        @for count in glyphs { td { (count) } }
                        td { (moves) }
                    }
                }
            }
        }
    }
}

/// The moves that cost most, as diagrams: what was played and what was better.
fn moments(report: &Report) -> Markup {
    let plies = report.moments();
    html! {
        @if !plies.is_empty() {
            h3 { "The moments that decided the game" }
            div.moments { @for ply in plies { (moment(report, ply)) } }
        }
    }
}

fn moment(report: &Report, ply: usize) -> Markup {
    let best = report.best(ply);
    let better = show::line(&report.positions[ply], &best[..best.len().min(MAX_LINE)]);
    html! {
        figure data-ply=(ply) {
            (board("Position before the move"))
            figcaption {
                b.played {}
                " "
                span class=[report.glyph(ply).map(class)] {
                    (notes::verdict(report, ply).unwrap_or_default())
                }
                br;
                span.better { (better) }
            }
        }
    }
}
