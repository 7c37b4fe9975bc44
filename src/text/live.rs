//! A table that is drawn again in place while a search runs, for terminals.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use super::rows::{Presenter, Row, header};
use super::screen::{self, Paint, Size};
use super::show;
use crate::position::Position;
use crate::score::Score;
use crate::search::Line;
use crate::wdl::{self, Chances, MODEL};

/// Rows that are shown of a search for one line, its last iterations: the least and the most.
const ITERATIONS: (usize, usize) = (3, 10);
/// Lines of the screen beside the rows: the board with its FEN, the header, the bar, the last line, the verdict.
const BESIDE_ROWS: usize = 21;
/// Lines of the screen beside the rows if the board may scroll away: the header, an empty line, the bar, the
/// last line, the cursor's.
const BESIDE_LINES: usize = 5;
/// The least time between two drawings, so that early iterations do not flicker.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest bar, in characters.
const BAR: usize = 50;
/// The end of the last line while the search runs.
const HINT: &str = "; Ctrl-C ends the search";
/// A score is coloured from here on, in normalised centipawns.
const GOOD: i32 = 50;

/// The table.
pub struct LiveTable<'a> {
    position: &'a Position,
    /// One row for each line if there are several, else one for each of the last iterations.
    rows: Vec<Row>,
    multipv: usize,
    /// The time that the search takes if nothing ends it before.
    limit: Option<Duration>,
    paint: Paint,
    /// The score of the best line.
    score: Option<Score>,
    /// Lines on the screen that belong to the table.
    height: usize,
    /// When it was drawn last.
    drawn: Duration,
    size: fn() -> Size,
}

impl<'a> LiveTable<'a> {
    /// An empty table for a search of `position` for `multipv` lines on a terminal whose size `size` asks for.
    pub fn new(
        position: &'a Position,
        multipv: usize,
        limit: Option<Duration>,
        paint: Paint,
        size: fn() -> Size,
    ) -> Self {
        let (rows, score, height, drawn) = (Vec::new(), None, 0, Duration::ZERO);
        Self { position, rows, multipv, limit, paint, score, height, drawn, size }
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
        // One column is left free: a full line would wrap in some terminals.
        let Size { columns, rows } = (self.size)();
        let columns = columns.saturating_sub(1);
        // What does not fit would scroll up and stay there.
        let room = rows.saturating_sub(BESIDE_LINES).max(1);
        let cut = |text: &str| text.chars().take(columns).collect::<String>();
        let mut lines = vec![self.paint.dim(&cut(&header()))];
        lines.extend(self.rows.iter().take(room).map(|row| self.drawn_row(row, columns)));
        lines.push(String::new());
        lines.extend(self.score.map(|score| bar(score, self.position, columns)));
        lines.push(self.paint.dim(&cut(&self.status(nodes, time, hint))));
        let mut text = String::new();
        if self.height > 0 {
            let _ = write!(text, "\x1b[{}A", self.height);
        }
        for line in &lines {
            let _ = writeln!(text, "\r\x1b[2K{line}");
        }
        self.height = lines.len();
        output.write_all(text.as_bytes())?;
        output.flush()
    }

    /// A row in colours, its moves cut where the screen ends.
    fn drawn_row(&self, row: &Row, columns: usize) -> String {
        if columns <= Row::COLUMNS {
            return format!("{} {}", row.depth, row.score).chars().take(columns).collect();
        }
        let moves = show::line_within(self.position, &row.line.moves, columns - Row::COLUMNS);
        let material = wdl::material(self.position);
        let normalised = MODEL.normalised(row.line.score, material);
        let is_good = (normalised.abs() >= GOOD).then_some(normalised > 0);
        let score = self.paint.judged(is_good, &row.score);
        format!("{} {score} {}  {moves}", row.depth, self.paint.dim(&row.cost))
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
        writeln!(output, "{}\n", screen::board(self.position, self.paint))
    }

    fn columns(&self) -> Option<usize> {
        Some((self.size)().columns)
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
        let found = Row::new(self.position, line, nodes, time);
        if line.multipv == 1 {
            self.score = Some(line.score);
        }
        match self.rows.get_mut(line.multipv - 1) {
            Some(row) if self.multipv > 1 => *row = found,
            _ => self.rows.push(found),
        }
        let (least, most) = ITERATIONS;
        let most = (self.size)().rows.saturating_sub(BESIDE_ROWS).clamp(least, most);
        if self.multipv == 1 && self.rows.len() > most {
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

/// White's wins, the draws and Black's wins, as parts of a bar and in per cent.
fn bar(score: Score, position: &Position, columns: usize) -> String {
    let Chances { win, draw, loss } = MODEL.chances(score, wdl::material(position));
    let (white, black) = position.turn().fold_wb((win, loss), (loss, win));
    let percent = show::percentages([white, draw, black]);
    let text = format!("  White {} %, draw {} %, Black {} %", percent[0], percent[1], percent[2]);
    let length = columns.saturating_sub(text.chars().count()).min(BAR);
    let cells = |permille: u32| (permille as usize * length + 500) / 1000;
    let (full, half) = (cells(white), cells(white + draw) - cells(white));
    let bar = ["█".repeat(full), "▒".repeat(half), "░".repeat(length - full - half)].concat();
    (bar + &text).chars().take(columns).collect()
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

    fn shown(multipv: usize, lines: &[(i32, usize)], size: fn() -> Size) -> Vec<String> {
        let position = Position::default();
        let mut table = LiveTable::new(&position, multipv, None, Paint::Plain, size);
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
        let screen = shown(1, &lines, || Size { columns: 100, rows: 40 });
        let (_, most) = ITERATIONS;
        assert_eq!(screen.len(), 1 + most + 3, "{screen:#?}");
        assert!(screen[1].starts_with("    6 ") && screen[most].starts_with("   15 "));
        assert!(screen[most + 3].starts_with("15.0 s, 1 234 567 nodes, 82 304 nodes per"));
    }

    #[test]
    fn several_lines_keep_their_rows() {
        let screen =
            shown(2, &[(1, 1), (1, 2), (2, 1), (2, 2)], || Size { columns: 100, rows: 40 });
        assert_eq!(screen.len(), 1 + 2 + 3, "{screen:#?}");
        assert!(screen[1].starts_with("    2 ") && screen[2].starts_with("      "));
    }

    #[test]
    fn more_lines_than_fit_are_left_out() {
        let lines: Vec<_> = (1..=18).map(|rank| (1, rank)).collect();
        let screen = shown(18, &lines, || Size { columns: 100, rows: 12 });
        assert_eq!(screen.len(), 12 - 1, "{screen:#?}");
    }

    #[test]
    fn no_line_is_as_wide_as_the_terminal() {
        let narrow = || Size { columns: 20, rows: 24 };
        assert!(shown(1, &[(1, 1)], narrow).iter().all(|line| line.chars().count() < 20));
    }

    #[test]
    fn a_usual_terminal_holds_board_table_and_verdict() {
        let usual = || Size { columns: 80, rows: 24 };
        let lines: Vec<_> = (1..=15).map(|depth| (depth, 1)).collect();
        let board = screen::board(&Position::default(), Paint::Plain);
        // An empty line after each, and a verdict of two lines before the prompt.
        let verdict = 2;
        let height = board.lines().count() + 1 + shown(1, &lines, usual).len() + 1 + verdict + 1;
        assert!(height <= 24, "{height}");
    }

    #[test]
    fn the_time_to_come_is_shown_until_the_end() {
        let position = Position::default();
        let (limit, size) = (Some(Duration::from_secs(10)), || Size { columns: 80, rows: 24 });
        let mut table = LiveTable::new(&position, 1, limit, Paint::Plain, size);
        let mut output = Vec::new();
        table.begin(&mut output).unwrap();
        let begun = String::from_utf8(output.clone()).unwrap();
        assert!(begun.contains("0.0 of 10 s, 0 nodes"), "{begun}");
        output.clear();
        table.end(&mut output, 5, Duration::from_secs(10)).unwrap();
        let ended = String::from_utf8(output).unwrap();
        assert!(ended.contains("10.0 s, 5 nodes"), "{ended}");
    }

    #[test]
    fn the_bar_shows_whites_side() {
        let position = Position::default();
        let black = position.play(position.parse_move("e2e4").unwrap());
        let count = |text: &str, c: char| text.chars().filter(|&found| found == c).count();
        for (score, position, full, empty) in
            [(Score::mate_in(3), &position, BAR, 0), (Score::mate_in(3), &black, 0, BAR)]
        {
            let text = bar(score, position, 100);
            assert_eq!((count(&text, '█'), count(&text, '░')), (full, empty), "{text}");
        }
        let even = bar(Score::DRAW, &position, 100);
        let cells = ['█', '▒', '░'].map(|c| count(&even, c));
        assert_eq!((cells.iter().sum::<usize>(), cells[0].abs_diff(cells[2]) <= 1), (BAR, true));
        assert!(even.contains("draw "), "{even}");
    }
}
