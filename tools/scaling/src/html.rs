//! The report as a single page without scripts, which works offline.

use crate::plot::{self, Figure};
use crate::report::Report;
use crate::text::{self, Listing};

/// The style sheet, for screens of any width and for print.
const STYLE: &str = "
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.note { border-left: .3rem solid #d55e00; background: #fdf3ec; padding: .4rem .8rem; margin: .6rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #ddd; white-space: nowrap; }
.legend, figcaption { font-size: .85rem; color: #555; }
figure { margin: 1.5rem 0; } svg { display: block; max-width: 100%; height: auto; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .scroll { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: .1rem .3rem; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } svg { max-width: 14cm; } }
";

/// An attribute that a drawing needs only in a file of its own.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// The page.
///
/// # Errors
/// The error from the drawing library.
pub fn page(report: &Report) -> Result<String, String> {
    let title = format!("Heddle: scaling over {}", report.conditions.suite);
    let title = escaped(&title);
    let conditions: String = text::conditions(report)
        .iter()
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value)))
        .collect();
    let notes: String = report
        .notes
        .iter()
        .map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note)))
        .collect();
    let listings: String = text::listings(report).iter().map(listing).collect();
    let figures: String = plot::figures(report)?.iter().map(figure).collect();
    let nothing = if listings.is_empty() { "<p>Nothing was measured.</p>\n" } else { "" };
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <dl>\n{conditions}</dl>\n{notes}{nothing}{listings}{figures}</body>\n</html>\n"
    ))
}

fn listing(listing: &Listing) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells: String =
            cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = listing.rows.iter().map(|cells| row(cells, "td")).collect();
    format!(
        "<h2>{}</h2>\n<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>{body}</tbody>\n\
         </table></div>\n<p class=\"legend\">{}</p>\n",
        escaped(&listing.title),
        row(&listing.header, "th"),
        escaped(&listing.legend)
    )
}

fn figure(Figure { caption, svg }: &Figure) -> String {
    let svg = svg.replace(NAMESPACE, "");
    format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escaped(caption))
}

/// Escapes everything that a browser would take for markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
            for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
                assert!(!page.contains(outside), "{outside}");
            }
            assert_eq!(page.contains("PARTIAL"), runs < ALL_RUNS);
            assert_eq!(page.matches("<svg").count(), if runs < 2 { 0 } else { 4 });
            for tag in ["table", "figure", "div", "dl", "svg"] {
                let count = |text: String| page.matches(&text).count();
                let opened = count(format!("<{tag}>")) + count(format!("<{tag} "));
                assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
            }
        }
    }
}
