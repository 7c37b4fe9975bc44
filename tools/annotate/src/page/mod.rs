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
use heddle_figures::page::{self, escaped};

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

/// The page up to its first game, which it is named after.
pub fn head(first: &Game) -> String {
    let style = format!("\n{STYLE}");
    let more = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <script>\n{BOARD}{STEPPER}</script>\n"
    );
    let program = escaped(build::NAME);
    page::head(&first.players(), &style, &more)
        + &format!(
            "{PIECES}<main>\n\
             <noscript><p>The boards of this page need JavaScript.</p></noscript>\n\
             <p class=\"made\">Annotated by {program}. Step through a game with the arrow keys, or click a move, \
             a curve, a diagram or a better line. The address is that of the position.</p>\n\
             <nav class=\"index\" aria-label=\"Games\"></nav>\n"
        )
}

/// A game with its report.
pub fn section(game: &Game, report: &Report, number: usize) -> String {
    format!(
        "<section class=\"game\" id=\"game-{number}\">\n{}\
         <div class=\"stage\">\n<div class=\"view\"><div class=\"bar\" aria-hidden=\"true\"><i></i></div>\
         <svg class=\"board\" viewBox=\"0 0 8 8\" role=\"img\" aria-label=\"Board\"></svg></div>\n\
         <div class=\"side\">\n<p class=\"score\"></p>\n<p class=\"note\" aria-live=\"polite\"></p>\n\
         <p class=\"best\"></p>\n<p class=\"better\"></p>\n{}{}</div>\n</div>\n{}{}{}{}\
         <script type=\"application/json\" class=\"data\">{}</script>\n</section>\n",
        title(game, report),
        CONTROLS,
        moves(game, report),
        curve::figure(report),
        clocks::figure(game),
        summary(report),
        moments(report),
        data::json(game, report),
    )
}

const CONTROLS: &str = "<div class=\"controls\">\
    <button type=\"button\" data-step=\"first\" aria-label=\"First position\">«</button>\
    <button type=\"button\" data-step=\"back\" aria-label=\"Previous move\">‹</button>\
    <button type=\"button\" data-step=\"on\" aria-label=\"Next move\">›</button>\
    <button type=\"button\" data-step=\"last\" aria-label=\"Last position\">»</button>\
    <button type=\"button\" data-step=\"flip\" aria-label=\"Turn the board\">⇅</button>\
    <button type=\"button\" class=\"copy\" aria-label=\"Copy the position as FEN\">FEN</button>\
    </div>\n";

/// The players, the event and the opening.
fn title(game: &Game, report: &Report) -> String {
    let player = |side: &str| {
        let rating =
            game.tag(&format!("{side}Elo")).map(|elo| format!(" <small>{}</small>", escaped(elo)));
        escaped(game.tag(side).unwrap_or(side)) + &rating.unwrap_or_default()
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
    let facts: Vec<_> =
        facts.iter().filter(|fact| !fact.is_empty()).map(|fact| escaped(fact)).collect();
    format!(
        "<h2>{} <span class=\"result\">{}</span> {}</h2>\n<p class=\"facts\">{}</p>\n",
        player("White"),
        escaped(&game.result.replace("1/2-1/2", "½–½").replace('-', "–")),
        player("Black"),
        facts.join(" · ")
    )
}

/// The list of moves, two to a row.
fn moves(game: &Game, report: &Report) -> String {
    let mut cells = String::new();
    let first = game.start.game_ply() as usize;
    for (index, node) in game.line.nodes.iter().enumerate() {
        let ply = first + index;
        let is_white = ply.is_multiple_of(2);
        if is_white || index == 0 {
            cells += &format!("<b>{}</b>", ply / 2 + 1);
        }
        if !is_white && index == 0 {
            cells += "<span>…</span>";
        }
        let glyph = report.glyph(index).map_or(String::new(), |glyph| {
            format!("<span class=\"{}\">{}</span>", class(glyph), glyph.symbol())
        });
        let (san, at) = (escaped(&node.san), index + 1);
        cells += &format!("<button type=\"button\" data-ply=\"{at}\">{san}{glyph}</button>");
    }
    format!("<div class=\"moves\" tabindex=\"-1\">{cells}</div>\n")
}

fn class(glyph: Glyph) -> &'static str {
    match glyph {
        Glyph::Inaccuracy => "inaccuracy",
        Glyph::Mistake => "mistake",
        Glyph::Blunder => "blunder",
    }
}

/// Both sides' accuracy, losses and glyphs.
fn summary(report: &Report) -> String {
    let row = |(name, side): (&str, &Summary)| {
        let Summary { moves, accuracy, chances, centipawns, glyphs } = side;
        let glyphs: String = glyphs.iter().map(|count| format!("<td>{count}</td>")).collect();
        format!(
            "<tr><th scope=\"row\">{name}</th><td>{accuracy:.1} %</td><td>{chances:.1} %</td>\
             <td>{centipawns:.0}</td>{glyphs}<td>{moves}</td></tr>\n"
        )
    };
    let heads: String = Glyph::ALL
        .map(|glyph| {
            format!(
                "<th class=\"{}\" title=\"{}\">{}</th>",
                class(glyph),
                glyph.plural(),
                glyph.symbol()
            )
        })
        .concat();
    let rows: String = ["White", "Black"].into_iter().zip(&report.sides).map(row).collect();
    format!(
        "<div class=\"scroll\"><table>\n<tr><td></td>\
         <th title=\"100 % if every move was the engine's\">Accuracy</th>\
         <th title=\"Mean loss of winning chances by move\">Chances lost</th>\
         <th title=\"Mean loss by move, in hundredths of a pawn\">Centipawns lost</th>\
         {heads}<th title=\"Moves after the opening\">Moves</th></tr>\n{rows}</table></div>\n"
    )
}

/// The moves that cost most, as diagrams: what was played and what was better.
fn moments(report: &Report) -> String {
    let moment = |ply: usize| {
        let position = &report.positions[ply];
        let best = report.best(ply);
        let shown = &best[..best.len().min(MAX_LINE)];
        let class = report.glyph(ply).map_or("", class);
        format!(
            "<figure data-ply=\"{ply}\"><svg class=\"board\" viewBox=\"0 0 8 8\" role=\"img\" \
             aria-label=\"Position before the move\"></svg>\n<figcaption><b class=\"played\"></b> \
             <span class=\"{class}\">{}</span><br><span class=\"better\">{}</span></figcaption></figure>\n",
            escaped(&notes::verdict(report, ply).unwrap_or_default()),
            escaped(&show::line(position, shown)),
        )
    };
    let plies = report.moments();
    if plies.is_empty() {
        return String::new();
    }
    let figures: String = plies.into_iter().map(moment).collect();
    format!(
        "<h3>The moments that decided the game</h3>\n<div class=\"moments\">\n{figures}</div>\n"
    )
}
