//! A board and a table that are drawn again in place while a search runs, for terminals.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::QueueableCommand;
use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::style::Print;
use crossterm::terminal::{Clear, ClearType};

use super::rows::Presenter;
use super::screen::{self, BOARD_COLUMNS, Paint, Size};
use super::show;
use crate::position::Position;
use crate::score::Score;
use crate::search::Line;
use crate::wdl;

/// The most rows of a search for one line, its last iterations.
const MAX_ITERATIONS: usize = 16;
/// The most lines of the screen that one of several lines of moves takes.
const MAX_ROWS_OF_LINE: usize = 3;
/// Between the board and the table.
const GAP: usize = 2;
/// Lines of the screen below board and table: an empty one, the chances, the status.
const FOOT: usize = 3;
/// Lines of the screen above: the side to move, the FEN, an empty one.
const HEAD: usize = 3;
/// Lines of the screen below for the best move: an empty one and the move.
const VERDICT: usize = 2;
/// Lines of the screen that are kept for the moves of the verdict.
const KEPT_FOR_MOVES: usize = 4;
/// The columns before the moves of a row.
const BEFORE_MOVES: usize = 3 + 8 + 7 + 7 + 2;
/// A table beside the board has at least so many columns for moves.
const LEAST_MOVES: usize = 16;
/// The least time between two drawings, so that early iterations do not flicker.
const PAUSE: Duration = Duration::from_millis(100);
/// The end of the last line while the search runs.
const HINT: &str = "; Ctrl-C ends the search";

/// A line that was found, and its cost.
struct Found {
    line: Line,
    nodes: u64,
    time: Duration,
}

/// The board and the table.
pub struct LiveTable<'a> {
    position: &'a Position,
    /// One for each line if there are several, else one for each of the last iterations.
    found: Vec<Found>,
    multipv: usize,
    /// The time that the search takes if nothing ends it before.
    limit: Option<Duration>,
    paint: Paint,
    /// The score of the best line.
    score: Option<Score>,
    /// Lines on the screen that are drawn again.
    height: usize,
    /// When it was drawn last.
    drawn: Duration,
    size: fn() -> Size,
}

impl<'a> LiveTable<'a> {
    /// An empty table for a search of `position` for `multipv` lines on a terminal whose size
    /// `size` asks for.
    pub fn new(
        position: &'a Position,
        multipv: usize,
        limit: Option<Duration>,
        paint: Paint,
        size: fn() -> Size,
    ) -> Self {
        let (found, score, height, drawn) = (Vec::new(), None, 0, Duration::ZERO);
        Self { position, found, multipv, limit, paint, score, height, drawn, size }
    }

    /// Draws everything over itself; `hint` ends its last line.
    fn draw(
        &mut self,
        output: &mut dyn Write,
        nodes: u64,
        time: Duration,
        hint: &str,
    ) -> io::Result<()> {
        self.drawn = time;
        // One column is left free: a full line would wrap in some terminals.
        let Size { columns, rows } = (self.size)();
        let columns = columns.saturating_sub(1);
        // What does not fit would scroll up and stay there.
        let room = rows.saturating_sub(1 + FOOT).max(1);
        let mut lines = self.board_and_table(columns, room);
        lines.push(String::new());
        if let Some(score) = self.score {
            lines.push(screen::chances(wdl::whites(score, self.position), columns, self.paint));
        }
        lines.push(self.paint.dim(&cut(&self.status(nodes, time, hint), columns)));
        self.replace(output, &lines)
    }

    /// Writes `lines` over those of the last drawing.
    fn replace(&mut self, output: &mut dyn Write, lines: &[String]) -> io::Result<()> {
        let mut text = Vec::new();
        if self.height > 0 {
            text.queue(MoveUp(self.height as u16))?;
        }
        for line in lines {
            let clear = Clear(ClearType::CurrentLine);
            text.queue(MoveToColumn(0))?.queue(clear)?.queue(Print(line))?.queue(Print("\n"))?;
        }
        // A narrower terminal or fewer rows may need fewer lines than before.
        text.queue(Clear(ClearType::FromCursorDown))?;
        self.height = lines.len();
        output.write_all(&text)?;
        output.flush()
    }

    /// The board with the table to its right or, if that does not fit, the table alone.
    fn board_and_table(&self, columns: usize, room: usize) -> Vec<String> {
        let board = screen::board(self.position, self.paint);
        let beside = columns.saturating_sub(BOARD_COLUMNS + GAP);
        if beside < BEFORE_MOVES + LEAST_MOVES || board.len() > room {
            return self.table(columns, room);
        }
        let kept = room.saturating_sub(HEAD + VERDICT + KEPT_FOR_MOVES).max(board.len());
        let table = self.table(beside, kept);
        let height = board.len().max(table.len());
        let line = |at: usize| {
            let left = board.get(at).cloned().unwrap_or_else(|| " ".repeat(BOARD_COLUMNS));
            match table.get(at) {
                Some(right) => format!("{left}{:GAP$}{right}", ""),
                None => left,
            }
        };
        (0..height).map(line).collect()
    }

    /// The table in at most `height` lines.
    fn table(&self, columns: usize, height: usize) -> Vec<String> {
        let header = format!("{:>3}{:>8}{:>7}{:>7}  + is White's", "dep", "score", "time", "nodes");
        let mut lines = vec![self.paint.dim(&cut(&header, columns))];
        let room = height.saturating_sub(1);
        if self.multipv == 1 {
            let first = self.found.len().saturating_sub(room.min(MAX_ITERATIONS));
            lines.extend(self.found[first..].iter().flat_map(|found| self.row(found, columns, 1)));
        } else {
            let each = (room / self.multipv.min(room).max(1)).clamp(1, MAX_ROWS_OF_LINE);
            lines.extend(self.found.iter().flat_map(|found| self.row(found, columns, each)));
        }
        lines.truncate(height);
        lines
    }

    /// A line that was found, with its moves in at most `height` lines.
    fn row(&self, found: &Found, columns: usize, height: usize) -> Vec<String> {
        let Found { line, nodes, time } = found;
        let depth = if line.multipv == 1 { line.depth.to_string() } else { String::new() };
        let score = show::score(line.score, self.position);
        if columns <= BEFORE_MOVES {
            return vec![cut(&format!("{depth:>3}{score:>8}"), columns)];
        }
        let width = columns - BEFORE_MOVES;
        let moves = show::line_in_some_rows(self.position, &line.moves, width, height);
        let cost = format!("{:>7}{:>7}", show::clock(*time), show::short(*nodes));
        let (score, cost) = (self.paint.bold(&format!("{score:>8}")), self.paint.dim(&cost));
        let mut moves = moves.into_iter();
        let first = moves.next().unwrap_or_default();
        let first = format!("{depth:>3}{score}{cost}  {first}");
        let rest = moves.map(|moves| format!("{:BEFORE_MOVES$}{moves}", ""));
        std::iter::once(first).chain(rest).collect()
    }

    /// The last line.
    fn status(&self, nodes: u64, time: Duration, hint: &str) -> String {
        let limit = self.limit.filter(|_| !hint.is_empty());
        let limit = limit.map_or(String::new(), |limit| format!(" of {}", limit.as_secs_f64()));
        format!(
            "{:.1}{limit} s, {} nodes, {} nodes per second{hint}",
            time.as_secs_f64(),
            show::grouped(nodes),
            show::grouped(show::nps(nodes, time))
        )
    }
}

impl Presenter for LiveTable<'_> {
    fn position(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let [turn, fen] = screen::heading(self.position, self.paint);
        writeln!(output, "{turn}\n{fen}\n")?;
        // Beside the table it is drawn again; without room for both it stays above.
        self.replace(output, &screen::board(self.position, self.paint))?;
        let Size { columns, rows } = (self.size)();
        let drawn = self.board_and_table(columns.saturating_sub(1), rows.saturating_sub(1 + FOOT));
        if drawn.len() < self.height {
            self.height = 0;
        }
        Ok(())
    }

    fn columns(&self) -> Option<usize> {
        Some((self.size)().columns)
    }

    fn rows_left(&self) -> Option<usize> {
        let used = HEAD + self.height + VERDICT + 1;
        Some((self.size)().rows.saturating_sub(used))
    }

    fn begin(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.draw(output, 0, Duration::ZERO, HINT)
    }

    fn found(
        &mut self,
        output: &mut dyn Write,
        line: &Line,
        nodes: u64,
        time: Duration,
    ) -> io::Result<()> {
        let found = Found { line: line.clone(), nodes, time };
        if line.multipv == 1 {
            self.score = Some(line.score);
        }
        match self.found.get_mut(line.multipv - 1) {
            Some(row) if self.multipv > 1 => *row = found,
            _ => self.found.push(found),
        }
        if self.multipv == 1 && self.found.len() > MAX_ITERATIONS {
            self.found.remove(0);
        }
        self.passed(output, nodes, time)
    }

    fn passed(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()> {
        if time < self.drawn + PAUSE { Ok(()) } else { self.draw(output, nodes, time, HINT) }
    }

    fn end(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()> {
        self.draw(output, nodes, time, "")?;
        // The terminal has shown a Ctrl-C as ^C.
        let mut text = Vec::new();
        text.queue(MoveToColumn(0))?.queue(Clear(ClearType::CurrentLine))?;
        output.write_all(&text)
    }
}

/// As much of a text as fits into `columns`.
fn cut(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

#[cfg(test)]
mod tests;
