//! Games in PGN: [`games`] cuts a file into games, [`tag`] and [`token`] read their words, and here the main line is made of
//! them. Comments, glyphs and variations are left out.

pub mod games;
mod lines;
pub mod tag;
pub mod token;

use std::io::{self, BufReader, Read};

use crate::position::{FenError, Move, MoveError, Position};
use games::{Games, RawGame, TextError};
use token::Token;

/// The values of the tag `Variant` that mean chess, in lower case and without signs.
const CHESS: [&str; 10] = [
    "",
    "standard",
    "chess",
    "classical",
    "normal",
    "fromposition",
    "chess960",
    "fischerandom",
    "fischerrandom",
    "fischerrandomchess",
];

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The system cannot read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It starts from no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A word is no move, or one that is not legal.
    #[error("line {line}, move {number}: {source}")]
    Move {
        /// The line in the file, from 1.
        line: usize,
        /// The number of the move in the game, from 1.
        number: u32,
        /// What is wrong with it.
        source: MoveError,
    },
    /// Its text has no end.
    #[error("line {line}: {source}")]
    Text {
        /// The line in the file, from 1.
        line: usize,
        /// What is wrong with it.
        source: TextError,
    },
    /// A move is passed.
    #[error("line {0}: a null move")]
    Null(usize),
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
pub fn check_variant(value: &str) -> Result<(), VariantError> {
    let letters = value.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    if CHESS.contains(&plain.as_str()) { Ok(()) } else { Err(VariantError(value.into())) }
}

/// The position that the tag `FEN` sets up; without a value, the initial one.
pub fn start(fen: Option<&str>) -> Result<Position, FenError> {
    match fen.map(str::trim) {
        None | Some("" | "?" | "-" | "startpos") => Ok(Position::default()),
        Some(fen) => Position::from_fen(fen),
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
    let mut games = Games::new(BufReader::new(input));
    let wanted = games.find(|game| game.as_ref().map_or(true, |game| game.number == number));
    main_line(&wanted.ok_or(PgnError::Missing(number))??)
}

/// The main line of a game.
fn main_line(game: &RawGame) -> Result<MainLine, PgnError> {
    game.tag("Variant").map_or(Ok(()), check_variant)?;
    let start = start(game.tag("FEN"))?;
    let mut position = start.clone();
    let mut moves = Vec::new();
    let mut depth = 0_usize;
    for (line, token) in &game.tokens {
        let line = *line;
        let refused = |source| PgnError::Move { line, number: position.fullmoves(), source };
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Move(word) if depth == 0 => {
                let m = position.find_move(word).map_err(refused)?;
                moves.push(m);
                position = position.play(m);
            }
            Token::Stray(word) => return Err(refused(MoveError::Syntax(word.clone()))),
            Token::Null if depth == 0 => return Err(PgnError::Null(line)),
            _ => {}
        }
    }
    match game.error.clone() {
        Some((line, source)) => Err(PgnError::Text { line, source }),
        None => Ok(MainLine { start, moves }),
    }
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
        let last = game.moves.iter().fold(game.start, |position, &m| position.play(m));
        assert!(last.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b "));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |number| read(GAMES.as_bytes(), number).unwrap_err().to_string();
        assert_eq!(error(2), "line 7, move 9: illegal move: Kxe8");
        assert_eq!(error(3), "no game 3");
        assert_eq!(error(usize::MAX), format!("no game {}", usize::MAX));
        let error = |text: &str| read(text.as_bytes(), 1).unwrap_err().to_string();
        assert!(error("[FEN \"x\"]\n\n*").ends_with("invalid board part in FEN"));
        assert_eq!(error("1. e4 e5\n2. Nf9 *"), "line 2, move 2: not a move: Nf9");
        assert_eq!(error("[Variant \"Atomic\"]\n\n*"), "the variant Atomic is not supported");
    }

    /// What may stand between two words without changing the game.
    const BETWEEN: [&str; 14] = [
        " ",
        "\n",
        "\r\n",
        "\r",
        "\t ",
        "\n\n",
        "\u{a0}",
        "\u{200b}",
        "\n%escaped d4\n",
        " ;to the end\n",
        " {a\n\n[Event \"x\"]\n} ",
        "\n[0.2] ",
        " (1. a3 {no} a6) ",
        " $14 \u{b1} ",
    ];
    /// Words of a game, each in several notations.
    const WORDS: [&[&str]; 14] = [
        &["1. e4", "1.e4", "1 e4", "e4!", "1. e2-e4", "e2e4?!", "1. 5254"],
        &["e5", "1... e5", "1\u{2026}e5", "e7e5="],
        &["2. Nf3", "2.Ng1-f3", "g1f3\u{b1}", "\u{2658}f3"],
        &["d5", "2...d5", "d7-d5+-"],
        &["3. exd5", "3.ed5", "ed", "e4:d5", "e4xd5"],
        &["e4", "e5e4"],
        &["4. Be2", "Bf1-e2"],
        &["exf3", "ef3", "e4f3"],
        &["5. O-O", "0-0", "0\u{2212}0", "0 - 0", "e1g1", "O\u{2014}O"],
        &["fxe2", "fe2"],
        &["6. Nc3", "Nb1-c3N"],
        &["exd1=Q", "exd1Q", "ed1(Q)", "e2d1q"],
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
