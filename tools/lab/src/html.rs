//! The comparison as one page without scripts, which works offline.

use heddle::score::Depth;
use heddle_figures::{WIDE_TABLES, escaped};

use crate::measure::Row;
use crate::worked::fail_high;
use crate::{drawing, plot, report};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #222; --soft: #555; --paper: #fff; --card: #fff;
  --rule: #ddd; --cut: #bbb; --shade: #f6f6f6; --visited: #3f6a98; --again: #a85a1f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e2da; --soft: #a09a8f; --paper: #1b1a18; --card: #1b1a18; --rule: #4a4640; --cut: #6b665e;
    --shade: #262421; --visited: #7fa8d6; --again: #e09a66; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .4rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
.text { text-align: left; }
figure { margin: 1rem 0; } figcaption { font-size: .85rem; color: var(--soft); }
svg { display: block; max-width: 100%; height: auto; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; }
.pair text { font: 10px system-ui, sans-serif; text-anchor: middle; fill: var(--ink); paint-order: stroke;
  stroke: var(--paper); stroke-width: 3px; }
line { stroke: var(--visited); stroke-width: 1.5; } line.again { stroke: var(--again); stroke-width: 2.5; }
line.cut { stroke: var(--cut); stroke-dasharray: 3 3; }
circle { fill: var(--visited); } circle.again { fill: var(--again); }
circle.cut { fill: var(--paper); stroke: var(--cut); stroke-dasharray: 3 2; }
.key span { padding: .1rem .5rem; border-radius: .3rem; color: var(--paper); background: var(--visited); }
.key .again { background: var(--again); } .key .cut { background: var(--paper); color: var(--soft); border: 1px dashed var(--cut); }
pre { background: var(--shade); padding: .6rem .8rem; white-space: pre-wrap; font-size: .85rem; }
@media (max-width: 50rem) { .pair { grid-template-columns: 1fr; } }
";

/// An attribute that a drawing needs only in a file of its own.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// Colours of the chart, and those of the page in their place.
const COLOURS: [(&str, &str); 2] =
    [("\"#FFFFFF\"", "\"var(--paper)\""), ("\"#282828\"", "\"var(--ink)\"")];

/// The page.
///
/// # Errors
/// The error from the drawing library.
pub fn page(depth: Depth, rows: &[Row]) -> Result<String, String> {
    let positions = rows.first().map_or(0, |row| row.values.len());
    let title = if positions == 1 {
        format!("Heddle: the literature's algorithms to depth {depth}")
    } else {
        format!("Heddle: the literature's algorithms to depth {depth} on {positions} positions")
    };
    let table = report::listing(rows, true).html();
    let mut chart = plot::svg(depth, rows)?.replace(NAMESPACE, "");
    for (drawn, shown) in COLOURS {
        chart = chart.replace(drawn, shown);
    }
    let example = escaped(&fail_high());
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}{WIDE_TABLES}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <h2>One tree, two algorithms</h2>\n\
         <p class=\"key\"><span>visited</span> <span class=\"again\">searched again</span> \
         <span class=\"cut\">cut off</span>. The numbers are the last values returned, from the point \
         of view of the side to move; point at a node to see its windows.</p>\n\
         <div class=\"pair\">\n{}</div>\n\
         <h2>A fail-high, move by move</h2>\n<pre>{example}</pre>\n\
         <h2>The rows</h2>\n{table}\
         <p>searches: of the root per iteration; null: share of the nodes with a minimal window; \
         hits and cutoffs: shares of the probes.</p>\n\
         <figure>{chart}</figure>\n</body>\n</html>\n",
        drawing::figures()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_follows_the_pages_colours() {
        let page = page(3, &[]).expect("a page");
        assert!(page.contains("fill=\"var(--paper)\"") && !page.contains("\"#FFFFFF\""), "{page}");
        assert!(page.contains("prefers-color-scheme: dark"), "{page}");
    }

    #[test]
    fn the_page_stands_alone() {
        let page = page(3, &[]).expect("a page");
        for part in ["<table>", "class=\"again\"", "class=\"cut\"", "move 3: window (20, 30)"] {
            assert!(page.contains(part), "{part}");
        }
        for foreign in ["http", "<script", "@import", "src="] {
            assert!(!page.contains(foreign), "{foreign}");
        }
    }
}
