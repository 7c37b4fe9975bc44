//! The terminal: its size, its colors, and a board in Unicode.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

use anstyle::{Ansi256Color, Style};

use super::show;
use crate::position::{Color, File, Position, Rank, Role, Square};
use crate::wdl::Chances;

/// The size of a terminal that does not tell its own, in characters.
const USUAL: Size = Size { columns: 80, rows: 24 };
/// The shortest and the longest bar, in characters, and what comes after it.
const MIN_BAR: usize = 10;
const MAX_BAR: usize = 40;
const GAP: &str = "  ";
/// The width of a board, in characters.
pub const BOARD_COLUMNS: usize = 3 + 8 * 3;
/// Colors of the board, from the palette of 256 that terminals share: of a middle lightness, on
/// which pieces of both sides stand out.
const LIGHT_SQUARE: Ansi256Color = Ansi256Color(103);
const DARK_SQUARE: Ansi256Color = Ansi256Color(60);
const WHITE: Ansi256Color = Ansi256Color(231);
const BLACK: Ansi256Color = Ansi256Color(16);
/// The parts of a bar: unlike black paper and white paper, so that all are seen on either.
const WHITE_PART: Ansi256Color = Ansi256Color(252);
const DRAW_PART: Ansi256Color = Ansi256Color(245);
const BLACK_PART: Ansi256Color = Ansi256Color(238);

/// The size of a terminal, in characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters per line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

/// The size of the terminal that standard output is.
pub fn size() -> Size {
    match told_size() {
        Some((columns, rows)) if columns > 0 && rows > 0 => {
            Size { columns: columns.into(), rows: rows.into() }
        }
        _ => USUAL,
    }
}

/// Columns and lines, as the system tells them.
#[cfg(unix)]
fn told_size() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some((size.ws_col, size.ws_row))
}

#[cfg(not(unix))]
fn told_size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

/// Whether standard output is a terminal that can move its cursor.
pub fn is_live() -> bool {
    io::stdout().is_terminal() && has_escapes()
}

#[cfg(windows)]
fn has_escapes() -> bool {
    crossterm::ansi_support::supports_ansi()
}

#[cfg(not(windows))]
fn has_escapes() -> bool {
    env::var_os("TERM").is_some_and(|name| name != "dumb")
}

/// Whether text is colored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Colors are written.
    Color,
    /// Nothing but text is written.
    Plain,
}

impl Paint {
    /// Colors, unless the variable `NO_COLOR` is set and not empty
    /// ([no-color.org](https://no-color.org)).
    pub fn of_environment() -> Self {
        Self::unless(env::var_os("NO_COLOR"))
    }

    fn unless(no_color: Option<OsString>) -> Self {
        match no_color {
            Some(value) if !value.is_empty() => Self::Plain,
            _ => Self::Color,
        }
    }

    /// The text in a style, or as it is.
    pub fn styled(self, style: Style, text: &str) -> String {
        match self {
            Self::Color => format!("{style}{text}{style:#}"),
            Self::Plain => text.to_owned(),
        }
    }

    /// Text of lesser importance.
    pub fn dim(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// Text of greater importance.
    pub fn bold(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }
}

/// The side to move, and the FEN.
pub fn heading(position: &Position, paint: Paint) -> [String; 2] {
    [paint.bold(&show::turn(position)), paint.dim(&position.fen())]
}

/// A board in Unicode with the side to move at the bottom, in lines of [`BOARD_COLUMNS`].
pub fn board(position: &Position, paint: Paint) -> Vec<String> {
    let is_white = position.turn().is_white();
    let from_below = |mut coordinates: Vec<usize>| {
        if !is_white {
            coordinates.reverse();
        }
        coordinates
    };
    let (files, ranks) = (from_below((0..8).collect()), from_below((0..8).collect()));
    let row = |&rank: &usize| {
        let square = |&file: &usize| square(position, File::ALL[file], Rank::ALL[rank], paint);
        let name = paint.dim(&format!(" {} ", Rank::ALL[rank].char()));
        name + &files.iter().map(square).collect::<String>()
    };
    let letters = files.iter().map(|&file| format!(" {} ", File::ALL[file].char()));
    let letters = format!("   {}", letters.collect::<String>());
    ranks.iter().rev().map(row).chain([paint.dim(&letters)]).collect()
}

/// White's wins, the draws and Black's wins in per cent, after a bar of their shares if there are
/// colors and room.
pub fn chances(white: Chances, columns: usize, paint: Paint) -> String {
    let Chances { win, draw, loss } = white;
    let [wins, draws, losses] = show::percentages([win, draw, loss]);
    let text = format!("White {wins} %, draw {draws} %, Black {losses} %");
    let length = columns.saturating_sub(text.len() + GAP.len()).min(MAX_BAR);
    if paint == Paint::Plain || length < MIN_BAR {
        return text.chars().take(columns).collect();
    }
    let edge = |permille: u32| (permille as usize * length + 500) / 1000;
    let edges = [0, edge(win), edge(win + draw), length];
    let part = |(edges, paper): (&[usize], Ansi256Color)| {
        paint.styled(BLACK.on(paper), &" ".repeat(edges[1] - edges[0]))
    };
    let parts = edges.windows(2).zip([WHITE_PART, DRAW_PART, BLACK_PART]).map(part);
    parts.collect::<String>() + GAP + &text
}

/// A square, three characters wide.
fn square(position: &Position, file: File, rank: Rank, paint: Paint) -> String {
    let piece = position.board().piece_at(Square::from_coords(file, rank));
    let Paint::Color = paint else {
        return match piece {
            Some(piece) => format!(" {} ", symbol(piece.role, piece.color)),
            None => " · ".into(),
        };
    };
    let is_light = (file as usize + rank as usize) % 2 == 1;
    let paper = if is_light { LIGHT_SQUARE } else { DARK_SQUARE };
    let (ink, symbol) = match piece {
        // On colored squares the outlined symbols of White would let the square shine through.
        Some(piece) if piece.color.is_white() => (WHITE, symbol(piece.role, Color::Black)),
        Some(piece) => (BLACK, symbol(piece.role, Color::Black)),
        None => (BLACK, ' '),
    };
    paint.styled(ink.on(paper).bold(), &format!(" {symbol} "))
}

/// The symbol of a piece in Unicode.
fn symbol(role: Role, color: Color) -> char {
    let (white, black) = match role {
        Role::King => ('♔', '♚'),
        Role::Queen => ('♕', '♛'),
        Role::Rook => ('♖', '♜'),
        Role::Bishop => ('♗', '♝'),
        Role::Knight => ('♘', '♞'),
        Role::Pawn => ('♙', '♟'),
    };
    color.fold_wb(white, black)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn the_side_to_move_sits_at_the_bottom() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let lines = board(&white, Paint::Plain);
        assert_eq!(lines[0], " 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜ ");
        assert!(lines[8].starts_with("    a  b  c"), "{lines:?}");
        let lines = board(&black, Paint::Plain);
        assert_eq!(lines[0], " 1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖ ");
        assert!(lines[8].starts_with("    h  g  f"), "{lines:?}");
        assert_eq!(heading(&black, Paint::Plain)[0], "Black to move");
    }

    #[test]
    fn the_variable_no_color_is_heard() {
        assert_eq!(Paint::unless(Some("1".into())), Paint::Plain);
        assert_eq!(Paint::unless(Some("".into())), Paint::Color);
        assert_eq!(Paint::unless(None), Paint::Color);
    }

    #[test]
    fn nothing_but_text_is_written_without_colors() {
        let position = Position::default();
        assert!(!board(&position, Paint::Plain).concat().contains('\x1b'));
        let colored = board(&position, Paint::Color);
        // A8 is a light square.
        let light = format!("48;5;{}m ♜ ", LIGHT_SQUARE.index());
        assert!(colored[0].contains(&light), "{colored:?}");
        let width = |line: &String| without_escapes(line).chars().count();
        assert!(colored.iter().all(|line| width(line) == BOARD_COLUMNS), "{colored:?}");
    }

    #[test]
    fn a_bar_is_divided_as_the_chances_are_and_fits() {
        let white = |win, draw| Chances { win, draw, loss: 1000 - win - draw };
        let plain = chances(white(450, 300), 80, Paint::Plain);
        assert_eq!(plain, "White 45 %, draw 30 %, Black 25 %");
        for (win, draw) in [(450, 300), (1000, 0), (0, 0), (0, 1000), (1, 1)] {
            for columns in [0, 9, 45, 79, 200] {
                let text = without_escapes(&chances(white(win, draw), columns, Paint::Color));
                assert!(text.chars().count() <= columns, "{columns}: {text}");
            }
        }
        let text = chances(white(450, 300), 200, Paint::Color);
        let part = |paper: Ansi256Color| {
            let (_, rest) = text.split_once(&format!("48;5;{}m", paper.index())).unwrap();
            rest.chars().take_while(|&c| c == ' ').count()
        };
        assert_eq!([WHITE_PART, DRAW_PART, BLACK_PART].map(part), [18, 12, 10]);
    }

    /// The text without its escape sequences.
    pub fn without_escapes(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |kept, part| kept + part.split_once('m').unwrap().1)
    }
}
