//! What an interrupted run has left in its file of games: they are not searched again.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heddle::text::pgn::games::Games;

use crate::game::Game;
use crate::read::read;
use crate::write::pgn;

/// How the evaluation of a move begins.
const EVALUATION: &str = "[%eval ";

/// Why a run cannot go on where another ended.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file has something else than games that this program has written.
    #[error("{} is not as this program wrote it, so nothing is added to it", .0.display())]
    Foreign(PathBuf),
    /// The games are those of another input.
    #[error("game {number} of the file to resume is another game than that of the input")]
    Other {
        /// The number of the game, from 1.
        number: usize,
    },
}

/// The games of an earlier run.
#[derive(Debug, Default)]
pub struct Earlier {
    games: VecDeque<Game>,
    /// How many have been found in the input again.
    found: usize,
    /// The length of their text, in bytes.
    pub length: u64,
}

impl Earlier {
    /// The complete games in the file at `path`, if there is one. The last game may have been cut
    /// short: it is annotated anew.
    ///
    /// # Errors
    /// [`ResumeError`], when the file is not as a run has left it.
    pub fn read(path: &Path) -> Result<Self, ResumeError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ResumeError::Read { path: path.to_owned(), source }),
        };
        let (mut earlier, mut rest) = (Self::default(), text.as_str());
        let mut games = Games::new(text.as_bytes()).peekable();
        while let Some(Ok(raw)) = games.next() {
            let is_last = games.peek().is_none();
            let game = read(&raw).ok().filter(|game| !is_last || is_complete(game));
            let after = game.as_ref().and_then(|game| rest.strip_prefix(pgn(game).as_str()));
            match (game, after) {
                (Some(game), Some(after)) => {
                    earlier.games.push_back(game);
                    rest = after;
                }
                _ if is_last => break,
                _ => return Err(ResumeError::Foreign(path.to_owned())),
            }
        }
        earlier.length = (text.len() - rest.len()) as u64;
        Ok(earlier)
    }

    /// Whether the next game of the input was annotated by the earlier run.
    ///
    /// # Errors
    /// [`ResumeError::Other`], when that run had another game.
    pub fn has(&mut self, game: &Game) -> Result<bool, ResumeError> {
        let Some(done) = self.games.pop_front() else { return Ok(false) };
        self.found += 1;
        let is_same = done.moves == game.moves && done.start.fen() == game.start.fen();
        if is_same { Ok(true) } else { Err(ResumeError::Other { number: self.found }) }
    }
}

/// Whether every move of a game has its evaluation; mate needs none.
fn is_complete(game: &Game) -> bool {
    let after = game.positions().into_iter().skip(1);
    game.line.nodes.iter().zip(after).all(|(node, position)| {
        position.is_checkmate() || node.comments.iter().any(|text| text.contains(EVALUATION))
    })
}
