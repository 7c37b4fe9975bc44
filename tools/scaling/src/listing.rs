//! Figures in columns, and their form as text.

/// A column's heading.
#[derive(Clone, Debug)]
pub struct Column {
    /// What it shows.
    pub name: String,
    /// The unit; empty for names and counts.
    pub unit: &'static str,
    /// An explanation of the name.
    pub meaning: String,
}

impl Column {
    /// A column.
    #[must_use]
    pub fn new(name: impl Into<String>, unit: &'static str, meaning: impl Into<String>) -> Self {
        Self { name: name.into(), unit, meaning: meaning.into() }
    }
}

/// A table.
pub struct Listing {
    /// The heading.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// What holds for the table as a whole.
    pub legend: String,
}

impl Listing {
    /// The table with its heading and its legend.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("\n{}\n{}", self.title, self.aligned());
        if !self.legend.is_empty() {
            text += &format!("  {}\n", self.legend);
        }
        text
    }

    /// Names, units and rows as lines, columns aligned on the right.
    fn aligned(&self) -> String {
        let names = self.columns.iter().map(|column| column.name.clone()).collect();
        let units = self.columns.iter().map(|column| column.unit.to_owned()).collect();
        let head: [Vec<String>; 2] = [names, units];
        let lines = || head.iter().chain(&self.rows);
        let width = |column: usize| lines().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..self.columns.len()).filter_map(width).collect();
        let line = |row: &Vec<String>| {
            let cells: Vec<String> =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            cells.join("  ").trim_end().to_owned() + "\n"
        };
        lines().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_line() {
        let listing = Listing {
            title: "Title".into(),
            columns: vec![Column::new("threads", "", ""), Column::new("time", "s", "to depth")],
            rows: vec![vec!["1".into(), "longer".into()]],
            legend: "All of it.".into(),
        };
        let expected = "\nTitle\n\
                        threads    time\n\
                        \x20             s\n\
                        \x20     1  longer\n\
                        \x20 All of it.\n";
        assert_eq!(listing.text(), expected);
    }
}
