//! The comparison as one page without scripts, which works offline.

use heddle::score::Depth;
use heddle_figures::page;
use maud::html;

use crate::measure::Row;
use crate::worked::fail_high;
use crate::{drawing, plot, report};

/// Tables are wide here, and two trees stand side by side.
const STYLE: &str = "\
:root { --cut: #bbb; --shade: #f1ede5; --visited: #3f6a98; --again: #a85a1f; }
@media (prefers-color-scheme: dark) { :root { --cut: #6b665e; --shade: #262421; --visited: #7fa8d6;
  --again: #e09a66; } }
body { max-width: 72rem; }
table { font-size: .8rem; } th, td { padding: .2rem .4rem; }
figure { margin: 1rem 0; }
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
    let chart = page::inline(&plot::svg(depth, rows)?);
    let body = html! {
        p {
            "Each row is an algorithm of the literature on the same trees: how many nodes it \
             visits, relative to alpha-beta."
        }
        figure {
            (chart)
            figcaption { "Nodes relative to alpha-beta, on a logarithmic scale." }
        }
        h2 { "One tree, two algorithms" }
        p.key {
            span { "visited" } " " span.again { "searched again" } " " span.cut { "cut off" }
            ". The numbers are the last values returned, from the point of view of the side to \
             move; point at a node to see its windows."
        }
        div.pair { (drawing::figures()) }
        h2 { "A fail-high, move by move" }
        pre { (fail_high()) }
        h2 { "The rows" }
        (report::explained(rows).html())
        p {
            "searches: of the root per iteration; null: share of the nodes with a minimal window; \
             hits and cutoffs: shares of the probes."
        }
    };
    Ok(page::report(&title, STYLE, &body))
}

#[cfg(test)]
mod tests {
    use super::*;

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
