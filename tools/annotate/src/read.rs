//! The words of a game to a [`Game`].

use heddle::position::{FenError, Move, MoveError, Position};
use heddle::text::pgn::games::{RawGame, TextError};
use heddle::text::pgn::token::{self, Token};
use heddle::text::pgn::{VariantError, check_variant, start};

use crate::game::{Game, Node, Variation};

/// The deepest nesting of variations.
const MAX_NESTING: usize = 100;
/// The notation of a null move.
const NULL: &str = "--";
/// The result of a game that has none.
const NO_RESULT: &str = "*";

/// Why a game cannot be read, and on which line of its file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ReadError {
    line: usize,
    reason: Reason,
}

/// What is wrong with a game.
#[derive(Debug, thiserror::Error)]
enum Reason {
    #[error("{0}")]
    Fen(#[from] FenError),
    #[error("{0}")]
    Move(#[from] MoveError),
    #[error("{0}")]
    Variant(#[from] VariantError),
    #[error("a null move outside a variation or in check")]
    NullMove,
    #[error("a variation before the first move")]
    Early,
    #[error("a variation that was never opened")]
    Unopened,
    #[error("a variation that is never closed")]
    Unclosed,
    #[error("variations nested more than {MAX_NESTING} deep")]
    Nesting,
    #[error("{0}")]
    Text(#[from] TextError),
}

/// Reads one game.
///
/// # Errors
/// [`ReadError`]: some move, tag or variation makes no sense.
pub fn read(game: &RawGame) -> Result<Game, ReadError> {
    let at = |line| move |reason: Reason| ReadError { line, reason };
    let mut draft = Draft::new(game).map_err(at(game.line))?;
    for (line, token) in &game.tokens {
        draft.take(token).map_err(at(*line))?;
    }
    if let Some((line, error)) = game.error.clone() {
        return Err(at(line)(error.into()));
    }
    let last = game.tokens.last().map_or(game.line, |(line, _)| *line);
    draft.finish().map_err(at(last))
}

/// A game that is being read.
struct Draft {
    tags: Vec<(String, String)>,
    start: Position,
    moves: Vec<Move>,
    /// The line of the game and the variations that are open, each inside the one before.
    open: Vec<OpenLine>,
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
    fn new(game: &RawGame) -> Result<Self, Reason> {
        game.tag("Variant").map_or(Ok(()), check_variant)?;
        let start = start(game.tag("FEN"))?;
        Ok(Self {
            tags: game.tags.clone(),
            open: vec![OpenLine::new(start.clone())],
            start,
            moves: Vec::new(),
            result: None,
        })
    }

    fn top(&mut self) -> &mut OpenLine {
        self.open.last_mut().expect("the line of the game is never closed")
    }

    fn take(&mut self, token: &Token) -> Result<(), Reason> {
        let is_main = self.open.len() == 1;
        let line = &mut self.top().line;
        match token {
            Token::Move(word) => self.play(Some(word))?,
            Token::Null => self.play(None)?,
            Token::Nag(nag) => {
                line.nodes.last_mut().map_or(&mut line.nags, |node| &mut node.nags).push(*nag);
            }
            Token::Comment(text) => {
                let comments = line.nodes.last_mut().map(|node| &mut node.comments);
                // Where the lines of its file end says nothing, and would hide what was said before.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                comments.unwrap_or(&mut line.comments).push(text);
            }
            Token::Open => self.begin_variation()?,
            Token::Close => self.end_variation()?,
            Token::Result(result) if is_main => self.result = Some(result),
            Token::Result(_) | Token::Number(..) => {}
            Token::Stray(word) => return Err(MoveError::Syntax(word.clone()).into()),
        }
        Ok(())
    }

    /// Plays the move that `word` says, or passes.
    fn play(&mut self, word: Option<&String>) -> Result<(), Reason> {
        let is_main = self.open.len() == 1;
        let top = self.top();
        let position = &top.position;
        let (m, san, next) = match word {
            None => {
                let next = position.null_move().filter(|_| !is_main).ok_or(Reason::NullMove)?;
                (None, NULL.to_owned(), next)
            }
            Some(word) => {
                let m = position.find_move(word)?;
                (Some(m), position.san(m), position.play(m))
            }
        };
        top.before = Some(std::mem::replace(&mut top.position, next));
        top.line.nodes.push(Node { san, ..Node::default() });
        if is_main {
            self.moves.extend(m);
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
        let varied = self.top().line.nodes.last_mut();
        varied.expect("a variation is opened after a move only").variations.push(closed);
        Ok(())
    }

    fn finish(mut self) -> Result<Game, Reason> {
        if self.open.len() > 1 {
            return Err(Reason::Unclosed);
        }
        let line = std::mem::take(&mut self.top().line);
        let mut game = Game {
            tags: self.tags,
            start: self.start,
            moves: self.moves,
            line,
            result: String::new(),
        };
        let tagged = game.tag("Result").and_then(token::result);
        game.result = self.result.or(tagged).unwrap_or(NO_RESULT).to_owned();
        if let Some(result) = tagged {
            game.set_tag("Result", result.to_owned());
        }
        Ok(game)
    }
}
