//! A table that is drawn again in place while a search runs, for terminals.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use super::rows::{Progress, header, row};
use super::show;
use crate::position::Position;
use crate::score::Score;
use crate::search::Line;
use crate::wdl::{self, Chances, MODEL};

/// Rows that are shown of a search for one line: its last iterations.
const ITERATIONS: usize = 10;
/// The least time between two drawings, so that early iterations do not flicker.
const PAUSE: Duration = Duration::from_millis(100);
/// The length of the bar, in characters.
const BAR: usize = 50;
/// What is said while the search runs.
const HINT: &str = "; Ctrl-C ends the search";
/// The width of a terminal that does not tell its own.
const USUAL_WIDTH: usize = 80;

/// The table.
pub struct LiveTable<'a> {
    position: &'a Position,
    /// One row for each line if there are several, else one for each of the last iterations.
    rows: Vec<String>,
    multipv: usize,
    /// The score of the best line.
    score: Option<Score>,
    /// Lines on the screen that belong to the table.
    height: usize,
    /// When it was drawn last.
    drawn: Duration,
    width: fn() -> usize,
}

impl<'a> LiveTable<'a> {
    /// An empty table for a search of `position` for `multipv` lines on a terminal whose width in
    /// characters `width` asks for.
    #[must_use]
    pub fn new(position: &'a Position, multipv: usize, width: fn() -> usize) -> Self {
        let (rows, score, height, drawn) = (Vec::new(), None, 0, Duration::ZERO);
        Self { position, rows, multipv, score, height, drawn, width }
    }

    /// Draws the table over itself; `hint` ends its last line.
    fn draw(
        &mut self,
        output: &mut dyn Write,
        nodes: u64,
        time: Duration,
        hint: &str,
    ) -> io::Result<()> {
        self.drawn = time;
        let mut lines = vec![header()];
        lines.extend(self.rows.iter().cloned());
        lines.push(String::new());
        lines.extend(self.score.map(|score| bar(score, self.position)));
        lines.push(format!(
            "{:.1} s, {} nodes, {} nodes per second{hint}",
            time.as_secs_f64(),
            show::grouped(nodes),
            show::grouped(show::nps(nodes, time))
        ));
        let mut text = String::new();
        if self.height > 0 {
            let _ = write!(text, "\x1b[{}A", self.height);
        }
        // One column is left free: a full line would wrap in some terminals.
        let room = (self.width)().saturating_sub(1);
        for line in &lines {
            let shown: String = line.chars().take(room).collect();
            let _ = writeln!(text, "\r\x1b[2K{shown}");
        }
        self.height = lines.len();
        output.write_all(text.as_bytes())?;
        output.flush()
    }
}

impl Progress for LiveTable<'_> {
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
        let text = row(self.position, line, nodes, time);
        if line.multipv == 1 {
            self.score = Some(line.score);
        }
        match self.rows.get_mut(line.multipv - 1) {
            Some(row) if self.multipv > 1 => *row = text,
            _ => self.rows.push(text),
        }
        if self.multipv == 1 && self.rows.len() > ITERATIONS {
            self.rows.remove(0);
        }
        self.passed(output, nodes, time)
    }

    fn passed(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()> {
        if time < self.drawn + PAUSE { Ok(()) } else { self.draw(output, nodes, time, HINT) }
    }

    fn end(&mut self, output: &mut dyn Write, nodes: u64, time: Duration) -> io::Result<()> {
        self.draw(output, nodes, time, "")?;
        // The terminal has shown a Ctrl-C as ^C.
        write!(output, "\r\x1b[2K")
    }
}

/// White's wins, the draws and Black's wins, as parts of a bar.
fn bar(score: Score, position: &Position) -> String {
    let Chances { win, draw, loss } = MODEL.chances(score, wdl::material(position));
    let (white, black) = position.turn().fold_wb((win, loss), (loss, win));
    let cells = |permille: u32| (permille as usize * BAR + 500) / 1000;
    let (full, half) = (cells(white), cells(white + draw) - cells(white));
    let empty = BAR - full - half;
    format!(
        "{}{}{}  White {} %, draw {} %, Black {} %",
        "█".repeat(full),
        "▒".repeat(half),
        "░".repeat(empty),
        (white + 5) / 10,
        (draw + 5) / 10,
        (black + 5) / 10
    )
}

/// The width of the terminal that standard output is, in characters.
#[must_use]
pub fn terminal_width() -> usize {
    #[cfg(unix)]
    let told = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_col.into());
    #[cfg(not(unix))]
    let told = 0;
    if told == 0 { USUAL_WIDTH } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::clock::Support;
    use crate::tt::Bound;

    fn line(position: &Position, depth: i32, multipv: usize) -> Line {
        let moves = vec![position.legal_moves()[0]];
        let (score, bound) = (Score::new(20), Bound::Exact);
        Line { depth, seldepth: 9, multipv, score, bound, moves, support: Support::default() }
    }

    /// The screen after `text` on a terminal that knows what the table uses.
    fn screen(text: &str) -> Vec<String> {
        let mut lines = Vec::<String>::new();
        let mut at = 0;
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("\x1b[2K") {
                lines.resize(lines.len().max(at + 1), String::new());
                lines[at].clear();
                rest = after;
            } else if let Some(after) = rest.strip_prefix("\x1b[") {
                let (up, after) = after.split_once('A').unwrap();
                at -= up.parse::<usize>().unwrap();
                rest = after;
            } else {
                let c = rest.chars().next().unwrap();
                match c {
                    '\n' => at += 1,
                    '\r' => {}
                    c => lines[at].push(c),
                }
                rest = &rest[c.len_utf8()..];
            }
        }
        lines
    }

    fn shown(multipv: usize, lines: &[(i32, usize)], width: fn() -> usize) -> Vec<String> {
        let position = Position::default();
        let mut table = LiveTable::new(&position, multipv, width);
        let mut output = Vec::new();
        table.begin(&mut output).unwrap();
        for (second, &(depth, rank)) in (1..).zip(lines) {
            let time = Duration::from_secs(second);
            table.found(&mut output, &line(&position, depth, rank), 1_234_567, time).unwrap();
        }
        screen(&String::from_utf8(output).unwrap())
    }

    #[test]
    fn the_last_iterations_are_drawn_in_place() {
        let lines: Vec<_> = (1..=15).map(|depth| (depth, 1)).collect();
        let screen = shown(1, &lines, || 100);
        assert_eq!(screen.len(), 1 + ITERATIONS + 3, "{screen:#?}");
        assert!(screen[1].starts_with("    6 ") && screen[ITERATIONS].starts_with("   15 "));
        assert!(screen[ITERATIONS + 3].starts_with("15.0 s, 1 234 567 nodes, 82 304 nodes per"));
    }

    #[test]
    fn several_lines_keep_their_rows() {
        let screen = shown(2, &[(1, 1), (1, 2), (2, 1), (2, 2)], || 100);
        assert_eq!(screen.len(), 1 + 2 + 3, "{screen:#?}");
        assert!(screen[1].starts_with("    2 ") && screen[2].starts_with("      "));
    }

    #[test]
    fn no_line_is_as_wide_as_the_terminal() {
        assert!(shown(1, &[(1, 1)], || 20).iter().all(|line| line.chars().count() < 20));
    }

    #[test]
    fn the_bar_shows_whites_side() {
        let position = Position::default();
        let black = position.play(position.parse_move("e2e4").unwrap());
        let count = |text: &str, c: char| text.chars().filter(|&found| found == c).count();
        for (score, position, full, empty) in
            [(Score::mate_in(3), &position, BAR, 0), (Score::mate_in(3), &black, 0, BAR)]
        {
            let text = bar(score, position);
            assert_eq!((count(&text, '█'), count(&text, '░')), (full, empty), "{text}");
        }
        let even = bar(Score::DRAW, &position);
        let cells = ['█', '▒', '░'].map(|c| count(&even, c));
        assert_eq!((cells.iter().sum::<usize>(), cells[0].abs_diff(cells[2]) <= 1), (BAR, true));
        assert!(even.contains("draw "), "{even}");
    }
}
