//! The same rows at one depth after another.

use heddle::score::Depth;
use heddle_figures::listing::{Column, Listing};

use crate::measure::Row;
use crate::report::figure;

/// The first depth that is shown, in plies.
pub const FIRST_DEPTH: Depth = 3;

/// The rows at one depth.
pub struct AtDepth {
    /// In plies.
    pub depth: Depth,
    /// The rows that ran.
    pub rows: Vec<Row>,
}

impl AtDepth {
    /// The row of this name, if it ran.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.algorithm == name)
    }
}

/// The column of a depth.
pub fn heading(depth: Depth) -> Column {
    figure(format!("depth {depth}"))
}

/// The nodes relative to alpha-beta's, for every row that ran at the last depth.
pub fn growth(depths: &[AtDepth]) -> Listing {
    let last = depths.last().map_or(&[][..], |at| &at.rows);
    let relative = |at: &AtDepth, name| {
        at.row(name).map_or_else(String::new, |row| format!("{:.3}", row.nodes_to_baseline))
    };
    let line = |row: &Row| {
        let cells = depths.iter().map(|at| relative(at, row.algorithm));
        std::iter::once(row.algorithm.to_owned()).chain(cells).collect()
    };
    let headings = depths.iter().map(|at| heading(at.depth));
    Listing {
        columns: std::iter::once(Column::text("row")).chain(headings).collect(),
        rows: last.iter().map(line).collect(),
        ..Listing::default()
    }
}
