//! The report as a single page without scripts, which works offline.

use heddle_figures::{WIDE_TABLES, escaped};

use crate::document::{Document, terms};
use crate::listing::{Column, Listing};
use crate::plot::Figure;

/// The style sheet, for screens of any width, light or dark, and for print. The drawings' colours
/// follow the page's.
const STYLE: &str = r##"
:root { color-scheme: light dark; --ink: #23211e; --soft: #6b665e; --paper: #faf8f4; --card: #fff;
  --rule: #e2ddd3; --note: #d55e00; --first: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e2da; --soft: #a09a8f; --paper: #1b1a18;
  --card: #262422; --rule: #3a3733; --note: #ee8a4e; --first: #4ba3dc; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 66rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
dl code { font-size: .875em; }
.note { border-left: .3rem solid var(--note); background: var(--card); padding: .4rem .8rem; margin: .6rem 0; }
.scroll { border: 1px solid var(--rule); border-radius: .4rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
th { vertical-align: top; } th small { display: block; font-weight: 400; color: var(--soft); }
abbr { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }
.legend, figcaption { font-size: .85rem; color: var(--soft); } .legend { margin: .4rem 0 0; }
.terms { font-size: .9rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr));
  gap: 1.5rem; margin-top: 2rem; }
figure { margin: 0; } figcaption { margin-top: .3rem; }
svg { display: block; width: 100%; height: auto; border: 1px solid var(--rule); border-radius: .4rem;
  box-sizing: border-box; }
svg [fill="#FFFFFF"] { fill: var(--card); } svg [fill="#282828"] { fill: var(--ink); }
svg [stroke="#282828"] { stroke: var(--ink); } svg [stroke="#E1E1E1"] { stroke: var(--rule); }
svg [fill="#0072B2"] { fill: var(--first); } svg [stroke="#0072B2"] { stroke: var(--first); }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .scroll { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: .1rem .3rem; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } }
"##;

/// An attribute that a drawing needs only in a file of its own.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// The page.
///
/// # Errors
/// The error from the drawing library.
pub fn page(report: &impl Document) -> Result<String, String> {
    let title = escaped(&report.title());
    let conditions: String = report.conditions().iter().map(condition).collect();
    let notes: String = report
        .notes()
        .iter()
        .map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note)))
        .collect();
    let listings = report.listings();
    let terms: String = terms(&listings).into_iter().map(term).collect();
    let terms = match terms.as_str() {
        "" => terms,
        _ => format!("<h2>Terms</h2>\n<dl class=\"terms\">\n{terms}</dl>\n"),
    };
    let listings: String = listings.iter().map(listing).collect();
    let figures: String = report.figures()?.iter().map(figure).collect();
    let figures = if figures.is_empty() {
        figures
    } else {
        format!("<div class=\"figures\">\n{figures}</div>\n")
    };
    let advice: String =
        report.advice().iter().map(|text| format!("<li>{}</li>\n", escaped(text))).collect();
    let advice = if advice.is_empty() {
        advice
    } else {
        format!("<h2>{}</h2>\n<ul>\n{advice}</ul>\n", report.advice_title())
    };
    let nothing = if listings.is_empty() { "<p>Nothing was measured.</p>\n" } else { "" };
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}{WIDE_TABLES}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <dl>\n{conditions}</dl>\n{notes}{nothing}{listings}{figures}{advice}{terms}</body>\n</html>\n"
    ))
}

/// The command is set as code.
fn condition((name, value): &(&str, String)) -> String {
    let value = escaped(value);
    let value = if *name == "Command" { format!("<code>{value}</code>") } else { value };
    format!("<dt>{}</dt><dd>{value}</dd>\n", escaped(name))
}

fn term((name, meaning): (&str, &str)) -> String {
    format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(meaning))
}

fn listing(listing: &Listing) -> String {
    let head: String = listing.columns.iter().map(heading).collect();
    let row = |cells: &Vec<String>| {
        let cells: String =
            cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = listing.rows.iter().map(row).collect();
    let legend = match escaped(&listing.legend) {
        legend if legend.is_empty() => legend,
        legend => format!("<p class=\"legend\">{legend}</p>\n"),
    };
    format!(
        "<h2>{}</h2>\n<div class=\"scroll\"><table>\n<thead><tr>{head}</tr>\n</thead>\n<tbody>{body}</tbody>\n\
         </table></div>\n{legend}",
        escaped(&listing.title)
    )
}

/// A name, explained when it is pointed at, above its unit.
fn heading(column: &Column) -> String {
    let [name, unit, meaning] = [&column.name, column.unit, &column.meaning].map(escaped);
    let name =
        if meaning.is_empty() { name } else { format!("<abbr title=\"{meaning}\">{name}</abbr>") };
    let unit = if unit.is_empty() { unit } else { format!("<small>{unit}</small>") };
    format!("<th>{name}{unit}</th>")
}

fn figure(Figure { caption, svg }: &Figure) -> String {
    let svg = svg.replace(NAMESPACE, "");
    format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escaped(caption))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{ALL_RUNS, report};

    #[test]
    fn a_page_is_whole_and_refers_to_nothing_outside() {
        for runs in [0, 1, 7, ALL_RUNS] {
            let page = page(&report(runs)).unwrap();
            assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
            assert!(page.contains("three &amp; more") && page.contains("name=\"viewport\""));
            assert!(page.contains("commit 0123abc") && page.contains("2026-01-02 03:04 UTC"));
            assert!(page.contains("<code>heddle scaling --epd &#39;three &amp; more&#39;</code>"));
            let explained = "<abbr title=\"speed-up per thread\">efficiency</abbr><small>%</small>";
            assert_eq!(page.contains(explained), runs > 0);
            for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
                assert!(!page.contains(outside), "{outside}");
            }
            assert_eq!(page.contains("PARTIAL"), runs < ALL_RUNS);
            assert_eq!(page.matches("<svg").count(), if runs < 2 { 0 } else { 4 });
            for tag in ["table", "figure", "div", "dl", "svg", "abbr", "small"] {
                let count = |text: String| page.matches(&text).count();
                let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
                assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
            }
        }
    }
}
