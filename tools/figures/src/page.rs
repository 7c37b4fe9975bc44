//! A page that works offline: its frame and the style that all pages have in common.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of tables in `.scroll`, which may be wider than the page: the first column stays in
/// sight, and a shadow shows that there is more to the right. Needs the colors `--card` and
/// `--soft`.
const WIDE_TABLES: &str = "\
.scroll { overflow-x: auto; background:
  linear-gradient(var(--card)) right / 1rem 100% no-repeat local,
  linear-gradient(to left, var(--soft), transparent) right / .6rem 100% no-repeat,
  var(--card); }
.scroll tr > :first-child { position: sticky; left: 0; background: var(--card); }
";

/// The style of reports, for screens of any width, light or dark, and for print. The drawings'
/// colors follow the page's.
const REPORT: &str = r##"
:root { color-scheme: light dark; --ink: #23211e; --soft: #6b665e; --paper: #faf8f4; --card: #fff;
  --rule: #e2ddd3; --note: #d55e00; --first: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e2da; --soft: #a09a8f; --paper: #1b1a18;
  --card: #262422; --rule: #3a3733; --note: #ee8a4e; --first: #4ba3dc; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 66rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.scroll { border: 1px solid var(--rule); border-radius: .4rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; } .text { text-align: left; }
th { vertical-align: top; } th small { display: block; font-weight: 400; color: var(--soft); }
abbr { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }
.legend, figcaption { font-size: .85rem; color: var(--soft); } .legend { margin: .4rem 0 0; }
figure { margin: 0; } figcaption { margin-top: .3rem; }
svg { display: block; max-width: 100%; height: auto; }
svg [fill="#FFFFFF"] { fill: var(--card); } svg [fill="#282828"] { fill: var(--ink); }
svg [stroke="#282828"] { stroke: var(--ink); } svg [stroke="#E1E1E1"] { stroke: var(--rule); }
svg [fill="#0072B2"] { fill: var(--first); } svg [stroke="#0072B2"] { stroke: var(--first); }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .scroll { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: .1rem .3rem; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } }
"##;

/// A page up to its body: with a title, a style of its own, and whatever else its head needs. The
/// elements `html` and `body` stay open: a body may follow piece by piece.
pub fn head(title: &str, style: &str, more: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en";
        head {
            meta charset="utf-8";
            (more)
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            style { (PreEscaped(style)) (PreEscaped(WIDE_TABLES)) }
        }
        body;
    }
}

/// A report as one page without scripts, its title above `body`. What is special to it follows the
/// style of all.
pub fn report(title: &str, style: &str, body: &Markup) -> String {
    let page = html! {
        (head(title, &format!("{REPORT}{style}"), &html! {}))
        h1 { (title) }
        (body)
        (PreEscaped("</body>\n</html>\n"))
    };
    page.into_string()
}

/// A drawing as part of a page: without the attribute that it needs in a file of its own.
pub fn inline(svg: &str) -> Markup {
    PreEscaped(svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_its_title_twice_and_follows_the_readers_colors() {
        let page = report("1 < 2", "p { margin: 0; }", &html! { p { "It is." } });
        assert_eq!(page.matches("1 &lt; 2").count(), 2);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
        assert!(page.contains("prefers-color-scheme: dark"), "{page}");
        assert!(page.contains("p { margin: 0; }") && page.contains("name=\"viewport\""), "{page}");
        assert_eq!(inline("<svg xmlns=\"http://www.w3.org/2000/svg\"/>").0, "<svg/>");
    }
}
