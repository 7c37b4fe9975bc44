//! A table of text, and the ways to write it.

use std::fmt::Write as _;

use heddle_figures::escaped;

/// Cells under a header, all rows of the header's length.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// The columns of text; all others hold numbers and are aligned to the right.
    pub text_columns: Vec<usize>,
}

impl Listing {
    /// In columns, for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |c: usize| lines().map(|line| line[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for line in lines() {
            let mut padded = String::new();
            for (c, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                let _ = if self.text_columns.contains(&c) {
                    write!(padded, "{cell:<width$}  ")
                } else {
                    write!(padded, "{cell:>width$}  ")
                };
            }
            text += padded.trim_end();
            text.push('\n');
        }
        text
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |c| if self.text_columns.contains(&c) { "---|" } else { "--:|" };
        let rules: String = (0..self.header.len()).map(rule).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{rules}\n{rows}", line(&self.header))
    }

    /// As an HTML table.
    #[must_use]
    pub fn html(&self) -> String {
        let row = |cells: &[String], tag: &str| {
            let cell = |(c, cell): (usize, &String)| {
                let class = if self.text_columns.contains(&c) { " class=\"text\"" } else { "" };
                format!("<{tag}{class}>{}</{tag}>", escaped(cell))
            };
            let cells: String = cells.iter().enumerate().map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|cells| row(cells, "td")).collect();
        format!(
            "<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>{rows}</tbody></table></div>\n",
            row(&self.header, "th")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let cells = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        Listing {
            header: cells(["row", "n", "PV"]),
            rows: vec![cells(["a", "1 000", "e4"]), cells(["a<b", "7", ""])],
            text_columns: vec![0, 2],
        }
    }

    #[test]
    fn numbers_are_aligned_to_the_right() {
        assert_eq!(listing().text(), "row      n  PV\na    1 000  e4\na<b      7\n");
        let markdown = "| row | n | PV |\n|---|--:|---|\n| a | 1 000 | e4 |\n| a<b | 7 |  |\n";
        assert_eq!(listing().markdown(), markdown);
    }

    #[test]
    fn html_is_escaped() {
        let html = listing().html();
        assert!(html.contains("<td class=\"text\">a&lt;b</td><td>7</td>"), "{html}");
    }
}
