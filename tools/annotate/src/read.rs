//! The words of a game to a [`Game`].

use heddle::position::{Move, MoveError, Position};
use heddle::text::pgn::raw::{RawGame, Token};
use heddle::text::pgn::{self, GameError};

use crate::game::{Game, Node, Variation};

/// The deepest nesting of variations.
const MAX_NESTING: usize = 100;
/// The result of a game that has none.
const NO_RESULT: &str = "*";

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its text or its tags make no sense.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A move or a variation makes no sense.
    #[error("move {number}: {reason}")]
    Line {
        /// The number of the move that was due.
        number: u32,
        /// What is wrong.
        reason: Reason,
    },
}

/// What is wrong with a line of moves.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// A word is no legal move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A variation begins before the first move.
    #[error("a variation before the first move")]
    Early,
    /// A variation ends that never began.
    #[error("a variation that was never opened")]
    Unopened,
    /// A variation is not closed.
    #[error("a variation that is never closed")]
    Unclosed,
    /// Variations are nested too deep.
    #[error("variations nested more than {MAX_NESTING} deep")]
    Nesting,
}

/// Reads one game.
///
/// # Errors
/// [`ReadError`]: some move, tag or variation makes no sense.
pub fn read(game: &RawGame) -> Result<Game, ReadError> {
    let mut draft = Draft::new(game)?;
    for token in &game.tokens {
        let number = draft.top().position.fullmoves();
        draft.take(token).map_err(|reason| ReadError::Line { number, reason })?;
    }
    let number = draft.top().position.fullmoves();
    draft.finish().map_err(|reason| ReadError::Line { number, reason })
}

/// A game that is being read.
struct Draft {
    tags: Vec<(String, String)>,
    start: Position,
    moves: Vec<Option<Move>>,
    /// The line of the game and the variations that are open, each inside the one before.
    open: Vec<OpenLine>,
    /// The result that the tag says, until the moves end with one.
    result: Option<&'static str>,
}

/// A line that is being read.
struct OpenLine {
    line: Variation,
    /// The position after its moves.
    position: Position,
    /// The position before its last move.
    before: Option<Position>,
}

impl OpenLine {
    fn new(position: Position) -> Self {
        Self { line: Variation::default(), position, before: None }
    }
}

impl Draft {
    /// A game without moves.
    fn new(game: &RawGame) -> Result<Self, GameError> {
        let start = game.start()?;
        Ok(Self {
            tags: game.tags.clone(),
            open: vec![OpenLine::new(start.clone())],
            start,
            moves: Vec::new(),
            result: game.result(),
        })
    }

    fn top(&mut self) -> &mut OpenLine {
        self.open.last_mut().expect("the line of the game is never closed")
    }

    fn take(&mut self, token: &Token) -> Result<(), Reason> {
        let is_main = self.open.len() == 1;
        let line = &mut self.top().line;
        match token {
            Token::Move(word) => self.play(word)?,
            Token::Nag(nag) => {
                line.nodes.last_mut().map_or(&mut line.nags, |node| &mut node.nags).push(*nag);
            }
            Token::Comment(text) => {
                let comments = line.nodes.last_mut().map(|node| &mut node.comments);
                // Where the lines of its file end says nothing, and would hide what was said
                // before.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                comments.unwrap_or(&mut line.comments).push(text);
            }
            Token::Open => self.begin_variation()?,
            Token::Close => self.end_variation()?,
            Token::Result(result) if is_main => self.result = Some(result),
            Token::Result(_) => {}
        }
        Ok(())
    }

    /// Plays the move that `word` says, or passes.
    fn play(&mut self, word: &str) -> Result<(), Reason> {
        let is_main = self.open.len() == 1;
        let top = self.top();
        let (m, next) = pgn::step(&top.position, word)?;
        let san = m.map_or_else(|| pgn::NULL.to_owned(), |m| top.position.san(m));
        top.before = Some(std::mem::replace(&mut top.position, next));
        top.line.nodes.push(Node { san, ..Node::default() });
        if is_main {
            self.moves.push(m);
        }
        Ok(())
    }

    fn begin_variation(&mut self) -> Result<(), Reason> {
        if self.open.len() > MAX_NESTING {
            return Err(Reason::Nesting);
        }
        let before = self.top().before.clone().ok_or(Reason::Early)?;
        self.open.push(OpenLine::new(before));
        Ok(())
    }

    fn end_variation(&mut self) -> Result<(), Reason> {
        if self.open.len() == 1 {
            return Err(Reason::Unopened);
        }
        let closed = self.open.pop().expect("a variation is open").line;
        if closed == Variation::default() {
            return Ok(()); // `()` is no PGN
        }
        let varied = self.top().line.nodes.last_mut();
        varied.expect("a variation is opened after a move only").variations.push(closed);
        Ok(())
    }

    fn finish(mut self) -> Result<Game, Reason> {
        if self.open.len() > 1 {
            return Err(Reason::Unclosed);
        }
        let line = std::mem::take(&mut self.top().line);
        Ok(Game {
            tags: self.tags,
            start: self.start,
            moves: self.moves,
            line,
            result: self.result.unwrap_or(NO_RESULT).to_owned(),
        })
    }
}
