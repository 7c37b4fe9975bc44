//! What the results of the tools have in common: the files they are written to ([`output`]), the font and the
//! colours of pages and figures, and text that a browser takes for text.

pub mod output;

use plotters::style::RGBColor;

/// The font of figures.
pub const FONT: &str = "sans-serif";
/// Text and axes.
pub const INK: RGBColor = RGBColor(40, 40, 40);
/// Lines behind the curves.
pub const GRID: RGBColor = RGBColor(225, 225, 225);

/// Colours that can be told apart with any kind of colour blindness, blue first. Source: M. Okabe and
/// K. Ito, "Color Universal Design", 2008.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The style of tables in `.scroll`, which may be wider than the page: the first column stays in sight, and
/// a shadow shows that there is more to the right. Needs the colours `--card` and `--soft`.
pub const WIDE_TABLES: &str = "\
.scroll { overflow-x: auto; background:
  linear-gradient(var(--card)) right / 1rem 100% no-repeat local,
  linear-gradient(to left, var(--soft), transparent) right / .6rem 100% no-repeat,
  var(--card); }
.scroll tr > :first-child { position: sticky; left: 0; background: var(--card); }
";

/// Escapes everything that a browser would take for markup.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escaped("<a b=\"c\" d='e'> & é"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; é"
        );
    }
}
