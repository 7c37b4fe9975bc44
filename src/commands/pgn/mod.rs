//! The main line of a game in PGN. Comments, glyphs and variations are left out. [`frame`] cuts a
//! file into games.

pub mod frame;

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, SanPlus, Visitor};

use crate::position::{FenError, Move, MoveError, Position};
use frame::Frames;

/// The values of the tag `Variant` that mean chess.
const CHESS: [&str; 5] = ["standard", "chess", "chess960", "fischerandom", "from position"];

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The system cannot read it, or a comment has no end.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It starts from no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is not legal.
    #[error("move {number}: {source}")]
    Move {
        /// Its number in the game, from 1.
        number: u32,
        /// What is wrong with it.
        source: MoveError,
    },
    /// A word among the moves is none.
    #[error("line {line}: not a move: {word}")]
    Stray {
        /// Its line in the file, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// The game is not chess.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// The file has fewer games.
    #[error("no game {0}")]
    Missing(usize),
}

/// The tag `Variant` names a game that is not chess.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variant {0} is not supported")]
pub struct VariantError(String);

/// Makes sure that this value of the tag `Variant` means chess.
///
/// # Errors
/// [`VariantError`].
pub fn check_variant(value: &str) -> Result<(), VariantError> {
    if CHESS.contains(&value.to_lowercase().as_str()) {
        Ok(())
    } else {
        Err(VariantError(value.into()))
    }
}

/// A game without annotations.
#[derive(Clone, Debug, Default)]
pub struct MainLine {
    /// The position it starts from.
    pub start: Position,
    /// Its moves.
    pub moves: Vec<Move>,
}

/// Reads the game with this number, from 1.
///
/// # Errors
/// [`PgnError`], when there is no such game or it makes no sense.
pub fn read(input: impl Read, number: usize) -> Result<MainLine, PgnError> {
    let mut frames = Frames::new(BufReader::new(input));
    let wanted = frames.find(|frame| frame.as_ref().map_or(true, |frame| frame.number == number));
    let mut frame = wanted.ok_or(PgnError::Missing(number))??;
    if let Some((line, word)) = frame.stray.take() {
        return Err(PgnError::Stray { line, word });
    }
    frame.reader().read_game(&mut MainLineVisitor)?.ok_or(PgnError::Missing(number))?
}

struct MainLineVisitor;

/// A game that is being read, and its last position.
struct Draft(MainLine, Position);

impl Visitor for MainLineVisitor {
    type Tags = Position;
    type Movetext = Draft;
    type Output = Result<MainLine, PgnError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Position> {
        ControlFlow::Continue(Position::default())
    }

    fn tag(
        &mut self,
        start: &mut Position,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        let read = match name {
            b"FEN" => {
                Position::from_fen(&value).map(|position| *start = position).map_err(Into::into)
            }
            b"Variant" => check_variant(&value).map_err(Into::into),
            _ => Ok(()),
        };
        read.map_or_else(|error| ControlFlow::Break(Err(error)), ControlFlow::Continue)
    }

    fn begin_movetext(&mut self, start: Position) -> ControlFlow<Self::Output, Draft> {
        ControlFlow::Continue(Draft(MainLine { start: start.clone(), moves: Vec::new() }, start))
    }

    fn san(
        &mut self,
        Draft(game, position): &mut Draft,
        san: SanPlus,
    ) -> ControlFlow<Self::Output> {
        match position.parse_san(&san.to_string()) {
            Ok(m) => {
                game.moves.push(m);
                *position = position.play(m);
                ControlFlow::Continue(())
            }
            Err(source) => {
                let number = position.fullmoves();
                ControlFlow::Break(Err(PgnError::Move { number, source }))
            }
        }
    }

    fn end_game(&mut self, Draft(game, _): Draft) -> Self::Output {
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[White \"A\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3! *\n\n\
        [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 Kd6 9. Kxe8 *\n";

    #[test]
    fn the_main_line_alone_is_read() {
        let game = read(GAMES.as_bytes(), 1).unwrap();
        let last = game.moves.iter().fold(game.start, |position, &m| position.play(m));
        assert!(last.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b "));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |number| read(GAMES.as_bytes(), number).unwrap_err().to_string();
        assert_eq!(error(2), "move 9: illegal move: Kxe8");
        assert_eq!(error(3), "no game 3");
        assert_eq!(error(usize::MAX), format!("no game {}", usize::MAX));
        let error = |text: &str| read(text.as_bytes(), 1).unwrap_err().to_string();
        assert!(error("[FEN \"x\"]\n\n*").contains("not a FEN"));
        assert_eq!(error("1. e4 e5\n2. Nf9 *"), "line 2: not a move: Nf9");
        assert_eq!(error("[Variant \"Atomic\"]\n\n*"), "the variant Atomic is not supported");
    }
}
