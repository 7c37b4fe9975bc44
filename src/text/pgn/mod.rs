//! Games in PGN: [`games`] cuts a file into games, [`words`] knows how their words are spelt,
//! [`raw`] is what pgn-reader finds in one, and here the main line is made of it. Comments, glyphs
//! and variations are left out.

pub mod games;
pub mod raw;
mod words;

use std::io::{self, BufReader, Read};

use crate::position::{FenError, Move, MoveError, Position};
use games::{Games, MAX_LENGTH};
use raw::{RawGame, Token};
pub use words::NULL;

/// Why a file does not have the game that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The system cannot read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file has fewer games.
    #[error("no game {0}")]
    Missing(usize),
    /// The game makes no sense.
    #[error("game {number}: {source}")]
    Game {
        /// The number of the game in the file, from 1.
        number: usize,
        /// What is wrong with it.
        source: GameError,
    },
}

/// Why a game cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// It starts from no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// It is not chess.
    #[error("the variant {0} is not supported")]
    Variant(String),
    /// A word is no move, or one that is not legal.
    #[error("move {number}: {source}")]
    Move {
        /// The number of the move in the game, from 1.
        number: u32,
        /// What is wrong with it.
        source: MoveError,
    },
    /// pgn-reader gives it up.
    #[error("{0}")]
    Syntax(String),
    /// A tag is not closed.
    #[error("a tag that cannot be read")]
    Tag,
    /// Its moves begin with a later one than the first, or go on after the result.
    #[error("a tag or a result among the moves")]
    Torn,
    /// It is too long.
    #[error("longer than {} MiB", MAX_LENGTH >> 20)]
    Long,
}

/// A game without annotations.
#[derive(Clone, Debug, Default)]
pub struct MainLine {
    /// The position it starts from.
    pub start: Position,
    /// Its moves; `None` where a side passes.
    pub moves: Vec<Option<Move>>,
}

/// Reads the game with this number, from 1.
///
/// # Errors
/// [`PgnError`], when there is no such game or it makes no sense.
pub fn read(input: impl Read, number: usize) -> Result<MainLine, PgnError> {
    let mut games = (1..).zip(Games::new(BufReader::new(input)));
    let wanted = games.find(|(found, game)| *found == number || game.is_err());
    let (_, game) = wanted.ok_or(PgnError::Missing(number))?;
    main_line(&game?).map_err(|source| PgnError::Game { number, source })
}

/// The main line of a game.
///
/// # Errors
/// [`GameError`], when it makes no sense.
pub fn main_line(game: &RawGame) -> Result<MainLine, GameError> {
    let start = game.start()?;
    let mut position = start.clone();
    let mut moves = Vec::new();
    for (_, token) in game.main_line() {
        let Token::Move(word) = token else { continue };
        let number = position.fullmoves();
        let refused = |source| GameError::Move { number, source };
        let (m, after) = step(&position, word).map_err(refused)?;
        moves.push(m);
        position = after;
    }
    Ok(MainLine { start, moves })
}

/// The move that `word` says, or `None` for a null move, and the position after it.
///
/// # Errors
/// [`MoveError`], if it is no move or not legal; a side in check cannot pass.
pub fn step(position: &Position, word: &str) -> Result<(Option<Move>, Position), MoveError> {
    let m = if words::is_null(word) { None } else { Some(position.find_move(word)?) };
    let after = position.after(m).ok_or_else(|| MoveError::Illegal(word.to_owned()))?;
    Ok((m, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GAMES: &str = "[White \"A\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3! *\n\n\
        [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 Kd6 9. Kxe8 *\n";

    #[test]
    fn the_main_line_alone_is_read() {
        let game = read(GAMES.as_bytes(), 1).unwrap();
        let last = game.moves.iter().fold(game.start, |position, &m| position.after(m).unwrap());
        assert!(last.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b "));
    }

    #[test]
    fn a_side_may_pass_unless_it_is_in_check() {
        let game = read("1. e4 -- 2. e5 Z0 3. d4 *".as_bytes(), 1).unwrap();
        let passes: Vec<_> = game.moves.iter().map(Option::is_none).collect();
        assert_eq!(passes, [false, true, false, true, false]);
        let error = read("1. e4 f6 2. Qh5+ -- *".as_bytes(), 1).unwrap_err().to_string();
        assert_eq!(error, "game 1: move 2: illegal move: --");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |number| read(GAMES.as_bytes(), number).unwrap_err().to_string();
        assert_eq!(error(2), "game 2: move 9: illegal move: Kxe8");
        assert_eq!(error(3), "no game 3");
        assert_eq!(error(usize::MAX), format!("no game {}", usize::MAX));
        let error = |text: &str| read(text.as_bytes(), 1).unwrap_err().to_string();
        assert!(error("[FEN \"x\"]\n\n*").ends_with("invalid board part in FEN"));
        assert_eq!(error("1. e4 e5\n2. Nf9 *"), "game 1: move 2: not a move: Nf9");
        assert_eq!(
            error("[Variant \"Atomic\"]\n\n*"),
            "game 1: the variant Atomic is not supported"
        );
        assert_eq!(error("1. e4 e5 {never closed"), "game 1: unterminated comment");
    }

    /// What may stand between two words without changing the game.
    const BETWEEN: [&str; 12] = [
        " ",
        "\n",
        "\r\n",
        "\t ",
        "\n\n",
        "\u{a0}",
        "\u{200b}",
        "\n%escaped d4\n",
        " ;to the end\n",
        " {a\n[Event \"x\"]\n} ",
        " (1. a3 {no} a6) ",
        " $14 \u{b1} ",
    ];
    /// Words of a game, each in several notations.
    const WORDS: [&[&str]; 14] = [
        &["1. e4", "1.e4", "1 e4", "e4!", "1. e2-e4", "e2e4?!"],
        &["e5", "1... e5", "1\u{2026}e5", "e7e5="],
        &["2. Nf3", "2.Ng1-f3", "g1f3\u{b1}"],
        &["d5", "2...d5", "d7-d5+-"],
        &["3. exd5", "3.ed5", "ed", "e4:d5", "e4xd5"],
        &["e4", "e5e4"],
        &["4. Be2", "Bf1-e2"],
        &["exf3", "ef3", "e4f3"],
        &["5. O-O", "0-0", "0\u{2212}0", "e1g1", "O\u{2014}O"],
        &["fxe2", "fe2"],
        &["6. Nc3", "Nb1-c3"],
        &["exd1=Q", "exd1Q", "ed1/Q", "e2d1q"],
        &["7. Rxd1", "Rd1", "Rf1xd1"],
        &["Qxd5", "Qd5!?", "d8d5"],
    ];

    proptest! {
        #[test]
        fn no_disturbance_loses_a_move(
            spaces in proptest::collection::vec(0..BETWEEN.len(), WORDS.len()),
            forms in proptest::collection::vec(0_usize..100, WORDS.len()),
        ) {
            let start = "[White \"A\"]\n\n".to_owned();
            let plain = WORDS.iter().fold(start.clone(), |text, forms| text + forms[0] + " ");
            let words = WORDS.iter().zip(spaces).zip(forms);
            let disturbed = words.fold(start, |text, ((forms, space), form)| {
                text + forms[form % forms.len()] + BETWEEN[space]
            });
            let read = |text: &str| read(text.as_bytes(), 1).map(|game| game.moves);
            let expected = read(&plain).unwrap();
            prop_assert_eq!(expected.len(), WORDS.len());
            prop_assert_eq!(read(&disturbed).unwrap(), expected, "{}", disturbed);
        }

        #[test]
        fn any_bytes_are_games_or_errors(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for game in Games::new(&bytes[..]).flatten() {
                let _ = main_line(&game);
            }
        }
    }
}
