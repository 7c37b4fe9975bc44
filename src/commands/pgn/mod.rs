//! The main line of a game in PGN. Comments, glyphs and variations are left out.

use std::io::{self, Read};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};

use crate::position::{FenError, Move, MoveError, Position};

/// The longest comment that is read in one piece, in bytes.
const TOKEN: usize = 1 << 12;

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
    /// The file has fewer games.
    #[error("no game {0}")]
    Missing(usize),
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
    let mut reader = Reader::build(input)
        .set_supported_comment_length(TOKEN)
        .set_supported_tag_line_length(TOKEN)
        .finish();
    for _ in 1..number {
        reader.skip_game()?;
    }
    reader.read_game(&mut MainLineVisitor)?.ok_or(PgnError::Missing(number))?
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
        if name == b"FEN" {
            match Position::from_fen(&value.decode_utf8_lossy()) {
                Ok(position) => *start = position,
                Err(error) => return ControlFlow::Break(Err(error.into())),
            }
        }
        ControlFlow::Continue(())
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
        assert!(read(&b"[FEN \"x\"]\n\n*"[..], 1).unwrap_err().to_string().contains("not a FEN"));
    }
}
