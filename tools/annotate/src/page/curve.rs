//! The curve of White's winning chances.

use crate::page::class;
use crate::report::Report;

/// The height of the drawing; its width is that of the figure.
const HEIGHT: f64 = 100.0;

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
    format!(
        "<figure class=\"curve\"><div class=\"axis\" aria-hidden=\"true\">\
         <span>100 %</span><span>50</span><span>0</span></div>\
         <svg viewBox=\"0 0 {last} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"White's winning chances over the game\">\
         <polygon class=\"white\" points=\"{first},{HEIGHT} {points}{end},{HEIGHT}\"/>\
         <path class=\"even\" d=\"M0 {0}H{last}\"/><polyline points=\"{points}\"/>{dots}\
         <path class=\"now\" d=\"M0 0V{HEIGHT}\"/></svg>\
         <figcaption>White’s winning chances, move by move</figcaption></figure>\n",
        HEIGHT / 2.0
    )
}
