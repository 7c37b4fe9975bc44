//! The comparison as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::measure::Row;
use heddle::score::{Depth, Score};

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

/// The rows as text: for one position its value and PV, for several the number of values equal to the
/// baseline's and the average length of the PV.
pub fn text(rows: &[Row]) -> String {
    let header = ["algorithm", "value", "nodes", "leaves", "evaluations", "re-searches", "seconds"];
    let mut cells = vec![header.map(str::to_owned).to_vec()];
    cells[0].extend(["relative", "PV"].map(str::to_owned));
    cells.extend(rows.iter().map(row));
    let columns = cells[0].len();
    let widths: Vec<usize> = (0..columns)
        .map(|c| cells.iter().map(|row| row[c].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &cells {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row[1..columns - 1].iter().zip(&widths[1..]) {
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{line}  {}", row[columns - 1]);
    }
    let minimum = rows.iter().any(|row| row.leaves_to_minimum.is_some());
    text + if minimum {
        "relative: leaves to the Knuth-Moore minimum\n"
    } else {
        "relative: nodes to alpha-beta\n"
    }
}

fn row(row: &Row) -> Vec<String> {
    let positions = row.values.len();
    let (value, pv) = if positions == 1 {
        (score(row.value()), row.pvs[0].join(" "))
    } else {
        let moves: usize = row.pvs.iter().map(Vec::len).sum();
        let average = moves as f64 / positions as f64;
        (format!("{}/{positions} agree", row.agreeing), format!("{average:.1} moves"))
    };
    let relative = row.leaves_to_minimum.unwrap_or(row.nodes_to_baseline);
    vec![
        row.algorithm.to_owned(),
        value,
        grouped(row.nodes),
        grouped(row.leaves),
        grouped(row.evaluations),
        grouped(row.researches),
        format!("{:.2}", row.milliseconds / 1000.0),
        format!("{relative:.3}"),
        pv,
    ]
}

/// A score in pawns, or a mate in moves.
fn score(score: Score) -> String {
    score
        .mate_moves()
        .map_or_else(|| format!("{:+.2}", f64::from(score.get()) / 100.0), |n| format!("#{n}"))
}

/// A number with its digits grouped by three.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(123), "123");
        assert_eq!(grouped(1_234_567), "1 234 567");
    }

    #[test]
    fn scores_are_pawns_or_moves_to_mate() {
        assert_eq!(score(Score::new(-125)), "-1.25");
        assert_eq!(score(Score::mate_in(3)), "#2");
    }
}
