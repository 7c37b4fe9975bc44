//! Games as PGN.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle::position::{Move, Position};
use heddle_selfplay::GameResult;

/// The longest line of moves, in characters.
const WIDTH: usize = 80;

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Where it began.
    pub opening: Position,
    /// The moves.
    pub moves: Vec<Move>,
    /// The result.
    pub result: GameResult,
    /// How it ended, in the words of PGN's tag `Termination`.
    pub termination: &'static str,
    /// What went wrong.
    pub remarks: Vec<String>,
}

/// The result as PGN writes it.
pub const fn result(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWin => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::BlackWin => "0-1",
    }
}

impl Finished {
    /// The game with these tags before its own.
    pub fn pgn(&self, tags: &[(&str, String)]) -> String {
        let Self { opening, moves, termination, remarks, .. } = self;
        let result = result(self.result);
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text += &format!("[{name} \"{value}\"]\n");
        };
        tags.iter().for_each(|(name, value)| tag(name, value));
        tag("Result", result);
        tag("SetUp", "1");
        tag("FEN", &opening.fen());
        if opening.is_chess960() {
            tag("Variant", "Chess960");
        }
        tag("Termination", termination);
        let mut words = numbered(opening, moves);
        // A comment ends at the first brace.
        words.extend(remarks.iter().map(|remark| format!("{{ {} }}", remark.replace('}', ")"))));
        words.push(result.to_owned());
        text.push('\n');
        let mut column = 0;
        for word in words.iter().flat_map(|word| word.split(' ')) {
            let is_full = column + 1 + word.len() > WIDTH;
            if column > 0 {
                text.push(if is_full { '\n' } else { ' ' });
            }
            text.push_str(word);
            column = if is_full { 0 } else { column + 1 } + word.len();
        }
        text + "\n\n"
    }
}

/// The moves in standard algebraic notation, with their numbers.
fn numbered(opening: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = opening.clone();
    let mut words = Vec::new();
    for &m in moves {
        let number = position.game_ply() / 2 + 1;
        match position.game_ply() % 2 {
            0 => words.push(format!("{number}.")),
            _ if words.is_empty() => words.push(format!("{number}...")),
            _ => {}
        }
        words.push(position.san(m));
        position = position.play(m);
    }
    words
}

/// A file to which games are added.
pub struct PgnFile {
    path: PathBuf,
    file: File,
}

/// The games cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write games to {}: {source}", path.display())]
pub struct PgnError {
    path: PathBuf,
    source: io::Error,
}

impl PgnFile {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// [`PgnError`].
    pub fn open(path: &Path) -> Result<Self, PgnError> {
        let path = path.to_owned();
        match OpenOptions::new().append(true).create(true).open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(PgnError { path, source }),
        }
    }

    /// Adds games.
    ///
    /// # Errors
    /// [`PgnError`].
    pub fn add(&mut self, games: &str) -> Result<(), PgnError> {
        let written = self.file.write_all(games.as_bytes());
        written.map_err(|source| PgnError { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::text::pgn;

    #[test]
    fn a_game_can_be_read_again() {
        let opening =
            Position::from_fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2");
        let opening = opening.unwrap();
        let (mut position, mut moves) = (opening.clone(), Vec::new());
        for m in ["g8f6", "g1f3", "f6e4", "f3e5"] {
            let m = position.parse_move(m).unwrap();
            position = position.play(m);
            moves.push(m);
        }
        let (result, termination) = (GameResult::Draw, "normal");
        let remarks = vec!["A: it {crashes}".repeat(9)];
        let game = Finished { opening, moves: moves.clone(), result, termination, remarks };
        let text = game.pgn(&[("White", "a \"b\"".into())]);
        assert!(text.starts_with("[White \"a \\\"b\\\"\"]\n[Result \"1/2-1/2\"]\n"), "{text}");
        assert!(text.contains("\n\n2... Nf6 3. Nf3 Nxe4 4. Nxe5 { A: it {crashes)A:"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let read = pgn::read(text.as_bytes(), 1).unwrap();
        assert!(read.moves.into_iter().eq(moves.into_iter().map(Some)));
    }
}
