//! The terminal: its size, its colours, and a board in Unicode.

use std::env;
use std::ffi::OsString;

use anstyle::{Ansi256Color, AnsiColor, Color as Ink, Style};

use super::show;
use crate::position::{Color, File, Position, Rank, Role, Square};

/// The size of a terminal that does not tell its own, in characters.
const USUAL: Size = Size { columns: 80, rows: 24 };
/// Colours of the board, from the palette of 256 that terminals share.
const LIGHT_SQUARE: Ansi256Color = Ansi256Color(180);
const DARK_SQUARE: Ansi256Color = Ansi256Color(137);
const WHITE_PIECE: Ansi256Color = Ansi256Color(231);
const BLACK_PIECE: Ansi256Color = Ansi256Color(16);

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
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Size { columns: size.ws_col.into(), rows: size.ws_row.into() };
    }
    USUAL
}

/// Whether text is coloured.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Colours are written.
    Colour,
    /// Nothing but text is written.
    Plain,
}

impl Paint {
    /// Colours, unless the variable `NO_COLOR` is set and not empty ([no-color.org](https://no-color.org)).
    pub fn of_environment() -> Self {
        Self::unless(env::var_os("NO_COLOR"))
    }

    fn unless(no_color: Option<OsString>) -> Self {
        match no_color {
            Some(value) if !value.is_empty() => Self::Plain,
            _ => Self::Colour,
        }
    }

    /// The text in a style, or as it is.
    pub fn styled(self, style: Style, text: &str) -> String {
        match self {
            Self::Colour => format!("{style}{text}{style:#}"),
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

    /// A score that is good, bad or neither for the side to move.
    pub fn judged(self, is_good: Option<bool>, text: &str) -> String {
        let style = Style::new().bold();
        let ink = |colour| style.fg_color(Some(Ink::Ansi(colour)));
        let style = match is_good {
            Some(true) => ink(AnsiColor::Green),
            Some(false) => ink(AnsiColor::Red),
            None => style,
        };
        self.styled(style, text)
    }
}

/// A board in Unicode with the side to move at the bottom, then the side to move and the FEN.
pub fn board(position: &Position, paint: Paint) -> String {
    let is_white = position.turn().is_white();
    let from_below = |mut coordinates: Vec<usize>| {
        if !is_white {
            coordinates.reverse();
        }
        coordinates
    };
    let (files, ranks) = (from_below((0..8).collect()), from_below((0..8).collect()));
    let mut text = String::new();
    for &rank in ranks.iter().rev() {
        text.push_str(&paint.dim(&format!(" {} ", Rank::ALL[rank].char())));
        for &file in &files {
            text.push_str(&square(position, File::ALL[file], Rank::ALL[rank], paint));
        }
        text.push('\n');
    }
    let letters: String =
        files.iter().map(|&file| format!(" {} ", File::ALL[file].char())).collect();
    text.push_str(&paint.dim(&format!("   {letters}")));
    let turn = show::turn(position);
    format!("{text}\n\n{}  {}", paint.bold(&turn), paint.dim(&position.fen()))
}

/// A square, three characters wide.
fn square(position: &Position, file: File, rank: Rank, paint: Paint) -> String {
    let piece = position.board().piece_at(Square::from_coords(file, rank));
    let Paint::Colour = paint else {
        return match piece {
            Some(piece) => format!(" {} ", symbol(piece.role, piece.color)),
            None => " · ".into(),
        };
    };
    let is_light = (file as usize + rank as usize) % 2 == 1;
    let paper = if is_light { LIGHT_SQUARE } else { DARK_SQUARE };
    let (ink, symbol) = match piece {
        // On coloured squares the outlined symbols of White would let the square shine through.
        Some(piece) if piece.color.is_white() => (WHITE_PIECE, symbol(piece.role, Color::Black)),
        Some(piece) => (BLACK_PIECE, symbol(piece.role, Color::Black)),
        None => (BLACK_PIECE, ' '),
    };
    paint.styled(ink.on(paper), &format!(" {symbol} "))
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
mod tests {
    use super::*;

    #[test]
    fn the_side_to_move_sits_at_the_bottom() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let text = board(&white, Paint::Plain);
        assert!(text.starts_with(" 8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜ \n"), "{text}");
        assert!(text.contains("\n    a  b  c"), "{text}");
        let text = board(&black, Paint::Plain);
        assert!(text.starts_with(" 1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖ \n"), "{text}");
        assert!(text.contains("\n    h  g  f") && text.contains("Black to move"), "{text}");
    }

    #[test]
    fn the_variable_no_color_is_heard() {
        assert_eq!(Paint::unless(Some("1".into())), Paint::Plain);
        assert_eq!(Paint::unless(Some("".into())), Paint::Colour);
        assert_eq!(Paint::unless(None), Paint::Colour);
    }

    #[test]
    fn nothing_but_text_is_written_without_colours() {
        let position = Position::default();
        assert!(!board(&position, Paint::Plain).contains('\x1b'));
        let coloured = board(&position, Paint::Colour);
        // A8 is a light square.
        assert!(coloured.contains("48;5;180m ♜ "), "{coloured:?}");
        let width = |line: &str| without_escapes(line).chars().count();
        assert!(coloured.lines().take(8).all(|line| width(line) == 27), "{coloured:?}");
    }

    /// The text without its escape sequences.
    fn without_escapes(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |kept, part| kept + part.split_once('m').unwrap().1)
    }
}
