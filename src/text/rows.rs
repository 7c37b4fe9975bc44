//! The findings of a search for people, one line of text each.

use std::io::{self, Write};
use std::time::Duration;

use super::show;
use crate::position::Position;
use crate::search::Line;

/// Plies shown of a line if the output has no known width.
const SHOWN_PLIES: usize = 12;

/// The titles of the columns of a [`Row`].
pub fn header() -> String {
    format!(
        "{:>5} {:>7} {:>8} {:>14}  line (+ is good for White)",
        "depth", "score", "time", "nodes"
    )
}

/// The cells of a line that was found.
#[derive(Clone, Debug)]
pub struct Row {
    /// The depth, for the best line of a depth.
    pub depth: String,
    /// The score, from White's point of view.
    pub score: String,
    /// Time and nodes, each as wide as its column.
    pub cost: String,
    /// The moves.
    pub line: Line,
}

impl Row {
    /// The cells of `line`, found after `nodes` and `time`.
    pub fn new(position: &Position, line: &Line, nodes: u64, time: Duration) -> Self {
        let depth = if line.multipv == 1 { line.depth.to_string() } else { String::new() };
        let cost = format!("{:>7.2}s {:>14}", time.as_secs_f64(), show::grouped(nodes));
        let score = show::score(line.score, position);
        Self {
            depth: format!("{depth:>5}"),
            score: format!("{score:>7}"),
            cost,
            line: line.clone(),
        }
    }

    /// The columns before the moves.
    pub const COLUMNS: usize = 5 + 1 + 7 + 1 + 8 + 1 + 14 + 2;
}

/// Shows what a search finds while it runs.
pub trait Presenter {
    /// Shows the position before it is searched.
    ///
    /// # Errors
    /// The error from `output`, which ends the search; likewise below.
    fn position(&mut self, output: &mut dyn Write) -> io::Result<()>;
    /// The columns of the screen, if there is one.
    fn columns(&self) -> Option<usize> {
        None
    }
    /// The search begins.
    fn begin(&mut self, output: &mut dyn Write) -> io::Result<()>;
    /// A line was found.
    fn found(
        &mut self,
        output: &mut dyn Write,
        line: &Line,
        nodes: u64,
        time: Duration,
    ) -> io::Result<()>;
    /// Time has passed.
    fn passed(&mut self, _: &mut dyn Write, _nodes: u64, _time: Duration) -> io::Result<()> {
        Ok(())
    }
    /// The search has ended.
    fn end(&mut self, _: &mut dyn Write, _nodes: u64, _time: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// Row after row, for pipes and files.
pub struct Rows<'a> {
    /// The position that is searched.
    pub position: &'a Position,
}

impl Presenter for Rows<'_> {
    fn position(&mut self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{}\n", show::board(self.position))
    }

    fn begin(&mut self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{}", header())?;
        output.flush()
    }

    fn found(
        &mut self,
        output: &mut dyn Write,
        line: &Line,
        nodes: u64,
        time: Duration,
    ) -> io::Result<()> {
        let row = Row::new(self.position, line, nodes, time);
        let moves = &line.moves[..line.moves.len().min(SHOWN_PLIES)];
        let more = if moves.len() < line.moves.len() { " …" } else { "" };
        let moves = show::line(self.position, moves);
        writeln!(output, "{} {} {}  {moves}{more}", row.depth, row.score, row.cost)?;
        output.flush()
    }
}
