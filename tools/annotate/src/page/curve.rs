//! The curve of White's winning chances, and the frame of all curves over the plies of a game.

use maud::{Markup, html};

use crate::page::class;
use crate::report::Report;

/// The height of a drawing; its width is that of the figure.
pub const HEIGHT: f64 = 100.0;

/// The curve over the positions that were evaluated, with a dot at every glyph.
pub fn figure(report: &Report) -> Markup {
    let last = report.positions.len() - 1;
    let height = |index: usize| Some(HEIGHT * (1.0 - report.chances(index)?));
    let known: Vec<(usize, f64)> =
        (0..=last).filter_map(|index| Some((index, height(index)?))).collect();
    let [(first, _), .., (end, _)] = known[..] else { return html! {} };
    let points: String = known.iter().map(|(x, y)| format!("{x},{y:.1} ")).collect();
    let drawing = html! {
        polygon.white points=(format!("{first},{HEIGHT} {points}{end},{HEIGHT}")) {}
        path.even d=(format!("M0 {}H{last}", HEIGHT / 2.0)) {}
        polyline points=(points) {}
        @for &(x, y) in &known {
            @if let Some(glyph) = x.checked_sub(1).and_then(|ply| report.glyph(ply)) {
                path.dot.(class(glyph)) d=(format!("M{x} {y:.1}h0")) {}
            }
        }
    };
    frame(
        "curve",
        ["100 %", "50", "0"],
        last,
        "White's winning chances over the game",
        &drawing,
        "White’s winning chances, move by move",
    )
}

/// A drawing over `plies` plies, with its class, an axis from top to bottom, what it shows to those
/// who do not see it, and its caption.
pub fn frame(
    class: &str,
    axis: [&str; 3],
    plies: usize,
    label: &str,
    drawing: &Markup,
    caption: &str,
) -> Markup {
    let size = format!("0 0 {plies} {HEIGHT}");
    html! {
        figure class=(class) {
            div.axis aria-hidden="true" { @for mark in axis { span { (mark) } } }
            svg viewBox=(size) preserveAspectRatio="none" role="img" aria-label=(label) {
                (drawing)
                path.now d=(format!("M0 0V{HEIGHT}")) {}
            }
            figcaption { (caption) }
        }
    }
}
