//! Figures in columns, and the forms they are written in.

use comfy_table::{CellAlignment, Table, presets};
use maud::{Markup, html};

/// A column's heading.
#[derive(Clone, Debug)]
pub struct Column {
    /// What it shows.
    pub name: String,
    /// The unit; empty for names and counts.
    pub unit: &'static str,
    /// An explanation of the name.
    pub meaning: String,
    /// It holds text, aligned on the left.
    is_text: bool,
}

impl Column {
    /// A column of figures, aligned on the right.
    pub fn new(name: impl Into<String>, unit: &'static str, meaning: impl Into<String>) -> Self {
        Self { name: name.into(), unit, meaning: meaning.into(), is_text: false }
    }

    /// A column of text.
    pub fn text(name: impl Into<String>) -> Self {
        Self { is_text: true, ..Self::new(name, "", "") }
    }

    /// The name, explained when it is pointed at, above the unit.
    fn heading(&self) -> Markup {
        let Self { name, unit, meaning, .. } = self;
        html! {
            th class=[self.class()] {
                @if meaning.is_empty() { (name) } @else { abbr title=(meaning) { (name) } }
                @if !unit.is_empty() { small { (unit) } }
            }
        }
    }

    fn class(&self) -> Option<&'static str> {
        self.is_text.then_some("text")
    }
}

/// A table, all rows as long as its head.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The heading; empty if the table stands alone.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// What holds for the table as a whole; may be empty.
    pub legend: String,
}

impl Listing {
    /// For a terminal: the heading, the table in columns, the legend.
    pub fn text(&self) -> String {
        let title = if self.title.is_empty() { "" } else { &format!("\n{}\n", self.title) };
        let legend = if self.legend.is_empty() { "" } else { &format!("  {}\n", self.legend) };
        format!("{title}{}{legend}", self.aligned())
    }

    /// Names, units if there are any, and rows as lines.
    fn aligned(&self) -> String {
        let units = self.columns.iter().map(|column| column.unit);
        let units = units.clone().any(|unit| !unit.is_empty()).then_some(units);
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(self.names()).add_rows(units);
        table.add_rows(&self.rows);
        for (shown, column) in table.column_iter_mut().zip(&self.columns) {
            let side = if column.is_text { CellAlignment::Left } else { CellAlignment::Right };
            shown.set_padding((0, 2)).set_cell_alignment(side);
        }
        table.trim_fmt() + "\n"
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |column: &Column| if column.is_text { "---|" } else { "--:|" };
        let rules: String = self.columns.iter().map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{rules}\n{rows}", line(&self.names()))
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// For a page: the heading, the table, the legend.
    pub fn html(&self) -> Markup {
        let Self { title, columns, rows, legend } = self;
        html! {
            @if !title.is_empty() { h2 { (title) } }
            div.scroll {
                table {
                    thead { tr { @for column in columns { (column.heading()) } } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (column, cell) in columns.iter().zip(row) {
                                    td class=[column.class()] { (cell) }
                                }
                            }
                        }
                    }
                }
            }
            @if !legend.is_empty() { p.legend { (legend) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    #[test]
    fn columns_are_in_line() {
        let listing = Listing {
            title: "Title".into(),
            columns: vec![Column::new("threads", "", ""), Column::new("time", "s", "to depth")],
            rows: vec![row(["1", "longer"])],
            legend: "All of it.".into(),
        };
        let expected = "\nTitle\n\
                        threads    time\n\
                        \x20             s\n\
                        \x20     1  longer\n\
                        \x20 All of it.\n";
        assert_eq!(listing.text(), expected);
        let html = listing.html().into_string();
        let heading = "<th><abbr title=\"to depth\">time</abbr><small>s</small></th>";
        assert!(html.starts_with("<h2>Title</h2>") && html.contains(heading), "{html}");
        assert!(html.ends_with("<p class=\"legend\">All of it.</p>"), "{html}");
    }

    #[test]
    fn text_is_aligned_to_the_left_and_escaped() {
        let listing = Listing {
            columns: vec![Column::text("row"), Column::new("n", "", ""), Column::text("PV")],
            rows: vec![row(["a", "1 000", "e4"]), row(["a<b", "7", ""])],
            ..Listing::default()
        };
        assert_eq!(listing.text(), "row      n  PV\na    1 000  e4\na<b      7\n");
        let markdown = "| row | n | PV |\n|---|--:|---|\n| a | 1 000 | e4 |\n| a<b | 7 |  |\n";
        assert_eq!(listing.markdown(), markdown);
        let html = listing.html().into_string();
        assert!(html.starts_with("<div class=\"scroll\">"), "{html}");
        assert!(html.contains("<td class=\"text\">a&lt;b</td><td>7</td>"), "{html}");
    }
}
