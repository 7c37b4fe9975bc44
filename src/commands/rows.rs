//! What a search has found, one line of text each, for people.

use std::io::{self, Write};
use std::time::Duration;

use super::show;
use crate::position::Position;
use crate::search::Line;

/// The longest line shown while the search runs, in plies.
const SHOWN_PLIES: usize = 12;

/// The titles of the columns of [`row`].
#[must_use]
pub fn header() -> String {
    format!("{:>5} {:>8} {:>9} {:>11} {:>10}  line", "depth", "score", "time", "nodes", "nps")
}

/// A line that was found. Only the best line of a depth shows the depth.
#[must_use]
pub fn row(position: &Position, line: &Line, nodes: u64, time: Duration) -> String {
    let depth = if line.multipv == 1 { line.depth.to_string() } else { String::new() };
    let shown = &line.moves[..line.moves.len().min(SHOWN_PLIES)];
    let more = if shown.len() < line.moves.len() { " …" } else { "" };
    format!(
        "{:>5} {:>8} {:>8.2}s {:>11} {:>10}  {}{more}",
        depth,
        show::score(line.score, position),
        time.as_secs_f64(),
        nodes,
        show::nps(nodes, time),
        show::line(position, shown),
    )
}

/// Shows what a search finds while it runs.
pub trait Progress {
    /// The search begins.
    ///
    /// # Errors
    /// The error from `output`, which ends the search; likewise below.
    fn begin(&mut self, output: &mut dyn Write) -> io::Result<()>;
    /// A line was found.
    ///
    /// # Errors
    /// The error from `output`.
    fn found(
        &mut self,
        output: &mut dyn Write,
        line: &Line,
        nodes: u64,
        time: Duration,
    ) -> io::Result<()>;
    /// Time has passed.
    ///
    /// # Errors
    /// The error from `output`.
    fn passed(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()>;
    /// The search has ended.
    ///
    /// # Errors
    /// The error from `output`.
    fn end(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()>;
}

/// Row after row, for pipes and files.
pub struct Rows<'a> {
    /// The position that is searched.
    pub position: &'a Position,
}

impl Progress for Rows<'_> {
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
        writeln!(output, "{}", row(self.position, line, nodes, time))?;
        output.flush()
    }

    fn passed(&mut self, _: &mut dyn Write, _: u64, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write, _: u64, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
