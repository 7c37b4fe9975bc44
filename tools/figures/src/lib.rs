//! What the results of the tools have in common: tables ([`listing`]), pages ([`page`]), the files
//! they are written to ([`output`]), and the font and the colors of figures.

pub mod listing;
pub mod output;
pub mod page;

use plotters::style::RGBColor;

/// The font of figures.
pub const FONT: &str = "sans-serif";
/// Text and axes.
pub const INK: RGBColor = RGBColor(40, 40, 40);
/// Lines behind the curves.
pub const GRID: RGBColor = RGBColor(225, 225, 225);

/// Colors that can be told apart with any kind of color blindness, blue first. Source: M. Okabe
/// and K. Ito, "Color Universal Design", 2008.
pub const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
