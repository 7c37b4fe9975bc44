//! The comparison as text, Markdown and JSON.

use serde::Serialize;

use heddle::score::{Depth, Score};
use heddle::text::show::grouped;
use heddle_figures::listing::{Column, Listing};

use crate::meanings::meaning;
use crate::measure::Row;

#[derive(Serialize)]
struct Report<'a> {
    depth: Depth,
    rows: &'a [Row],
}

/// The rows as JSON.
///
/// # Errors
/// The error if a number cannot be written as JSON.
pub fn json(depth: Depth, rows: &[Row]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Report { depth, rows })
}

/// What the last number of a row relates to.
fn relation(rows: &[Row]) -> &'static str {
    if rows.iter().any(|row| row.leaves_to_minimum.is_some()) {
        "leaves to the Knuth-Moore minimum"
    } else {
        "nodes to alpha-beta"
    }
}

/// The rows as text.
pub fn text(rows: &[Row]) -> String {
    format!(
        "{}searches: of the root per iteration; null: share of the nodes with a minimal window; \
         hits, cutoffs: shares of the probes\nrelative: {}\n",
        listing(rows, true).text(),
        relation(rows)
    )
}

/// The rows as Markdown, without what another run would not repeat.
pub fn markdown(rows: &[Row]) -> String {
    listing(rows, false).markdown()
}

/// The rows as a table: for one position its value and PV, for several the number of values equal
/// to the baseline's and the average length of the PV.
pub fn listing(rows: &[Row], timed: bool) -> Listing {
    let is_one = rows.first().is_some_and(|row| row.values.len() == 1);
    let value = if is_one { "value" } else { "agree" };
    let figures = [value, "nodes", "leaves", "evaluations", "re-searches", "searches", "null"];
    let figures = figures.into_iter().chain(["probes", "hits", "cutoffs"]);
    let figures = figures.chain(timed.then_some("seconds")).chain(["relative"]);
    let line = if is_one { Column::text("PV") } else { figure("PV") };
    let columns = std::iter::once(Column::text("row")).chain(figures.map(figure)).chain([line]);
    Listing {
        columns: columns.collect(),
        rows: rows.iter().map(|row| cells(row, timed)).collect(),
        ..Listing::default()
    }
}

/// The rows for a page: the fewest nodes first, each with what its name means.
pub fn explained(rows: &[Row]) -> Listing {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| a.nodes_to_baseline.total_cmp(&b.nodes_to_baseline));
    let mut listing = listing(&rows, true);
    listing.columns.push(Column::text("meaning"));
    for (cells, row) in listing.rows.iter_mut().zip(&rows) {
        cells.push(meaning(row.algorithm).unwrap_or_default().into_owned());
    }
    listing
}

/// A column of figures whose name says enough.
pub fn figure(name: impl Into<String>) -> Column {
    Column::new(name, "", "")
}

fn cells(row: &Row, timed: bool) -> Vec<String> {
    let (value, pv) = if row.values.len() == 1 {
        (score(row.value()), row.pvs[0].join(" "))
    } else {
        (row.agreeing.to_string(), format!("{:.1}", row.pv_length()))
    };
    let relative = row.leaves_to_minimum.unwrap_or(row.nodes_to_baseline);
    let mut cells = vec![row.algorithm.to_owned(), value];
    cells.extend([row.nodes, row.leaves, row.evaluations, row.researches].map(grouped));
    cells.push(ratio(row.searches, row.iterations));
    cells.push(percent(row.null_windows, row.nodes));
    cells.push(grouped(row.probes));
    cells.extend([row.hits, row.cutoffs].map(|count| percent(count, row.probes)));
    cells.extend(timed.then(|| format!("{:.2}", row.milliseconds / 1000.0)));
    cells.extend([format!("{relative:.3}"), pv]);
    cells
}

/// Stands for a number that does not exist.
pub const NONE: &str = "–";

fn ratio(part: u64, whole: u64) -> String {
    if part == 0 { NONE.into() } else { format!("{:.2}", part as f64 / whole as f64) }
}

/// A share as a percentage.
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 { NONE.into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// A score in pawns, a mate in moves, or an end of the scale.
pub fn score(score: Score) -> String {
    if score.abs() == Score::INFINITE {
        return if score < Score::DRAW { "-inf".into() } else { "+inf".into() };
    }
    score
        .mate_moves()
        .map_or_else(|| format!("{:+.2}", f64::from(score.get()) / 100.0), |n| format!("#{n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_pawns_or_moves_to_mate() {
        assert_eq!(score(Score::new(-125)), "-1.25");
        assert_eq!(score(Score::mate_in(3)), "#2");
        assert_eq!(score(-Score::INFINITE), "-inf");
    }
}
