//! The findings of a search for people, one line of text each.

use std::io::{self, Write};
use std::time::Duration;

use super::show;
use crate::position::Position;
use crate::search::Line;

/// Plies shown of a line if the output has no known width.
const SHOWN_PLIES: usize = 12;

/// The titles of the columns.
const HEADER: &str = "depth   score     time          nodes  line (+ is good for White)";

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
    /// The rows of the screen that are left for the final lines, if there is one.
    fn rows_left(&self) -> Option<usize> {
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

/// Shows nothing.
pub struct Silent;

impl Presenter for Silent {
    fn position(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn found(&mut self, _: &mut dyn Write, _: &Line, _: u64, _: Duration) -> io::Result<()> {
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
        writeln!(output, "{HEADER}")?;
        output.flush()
    }

    fn found(
        &mut self,
        output: &mut dyn Write,
        line: &Line,
        nodes: u64,
        time: Duration,
    ) -> io::Result<()> {
        let depth = if line.multipv == 1 { line.depth.to_string() } else { String::new() };
        let score = show::score(line.score, self.position);
        let (seconds, nodes) = (time.as_secs_f64(), show::grouped(nodes));
        let moves = &line.moves[..line.moves.len().min(SHOWN_PLIES)];
        let more = if moves.len() < line.moves.len() { " …" } else { "" };
        let moves = show::line(self.position, moves);
        writeln!(output, "{depth:>5} {score:>7} {seconds:>7.2}s {nodes:>14}  {moves}{more}")?;
        output.flush()
    }
}
