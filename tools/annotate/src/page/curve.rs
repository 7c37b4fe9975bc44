//! The curve of White's winning chances, and the frame of all curves over the plies of a game.

use crate::page::class;
use crate::report::Report;

/// The height of a drawing; its width is that of the figure.
pub const HEIGHT: f64 = 100.0;

/// The curve over the positions that were evaluated, with a dot at every glyph.
pub fn figure(report: &Report) -> String {
    let last = report.positions.len() - 1;
    let height = |index: usize| Some(HEIGHT * (1.0 - report.chances(index)?));
    let known: Vec<(usize, f64)> =
        (0..=last).filter_map(|index| Some((index, height(index)?))).collect();
    let [(first, _), .., (end, _)] = known[..] else { return String::new() };
    let points: String = known.iter().map(|(x, y)| format!("{x},{y:.1} ")).collect();
    let dot = |&(x, y): &(usize, f64)| {
        let class = class(report.glyph(x.checked_sub(1)?)?);
        Some(format!("<path class=\"dot {class}\" d=\"M{x} {y:.1}h0\"/>"))
    };
    let dots: String = known.iter().filter_map(dot).collect();
    let drawing = format!(
        "<polygon class=\"white\" points=\"{first},{HEIGHT} {points}{end},{HEIGHT}\"/>\
         <path class=\"even\" d=\"M0 {0}H{last}\"/><polyline points=\"{points}\"/>{dots}",
        HEIGHT / 2.0
    );
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
    drawing: &str,
    caption: &str,
) -> String {
    let axis = axis.map(|mark| format!("<span>{mark}</span>")).concat();
    format!(
        "<figure class=\"{class}\"><div class=\"axis\" aria-hidden=\"true\">{axis}</div>\
         <svg viewBox=\"0 0 {plies} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{label}\">{drawing}<path class=\"now\" d=\"M0 0V{HEIGHT}\"/></svg>\
         <figcaption>{caption}</figcaption></figure>\n"
    )
}
