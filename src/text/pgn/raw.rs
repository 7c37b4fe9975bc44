//! A game as pgn-reader tells it.

use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::{GameError, words};
use crate::position::Position;

/// Begins a comment that is a word or a glyph of the movetext which pgn-reader cannot read, so
/// that it is not skipped.
pub const MARK: char = '\u{1}';

/// The result of a game that has none.
const NO_RESULT: &str = "*";

/// A piece of movetext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move, or a word that stands in its place; [`Position::find_move`] knows which. `--` is a
    /// null move.
    Move(String),
    /// A numeric annotation glyph.
    Nag(u32),
    /// A comment, without its braces.
    Comment(String),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// The game ends: `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'static str),
}

/// A game whose moves have not been played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawGame {
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The movetext.
    pub tokens: Vec<Token>,
    /// Why its text cannot be read.
    pub error: Option<GameError>,
    /// The beginning of a long comment.
    pub(super) comment: String,
}

impl RawGame {
    /// The value of a tag, in whatever case its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        // Of two, the later one counts.
        let found = self.tags.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The result by its tag.
    pub fn result(&self) -> Option<&'static str> {
        match words::result(self.tag("Result")?.trim()) {
            Some((words::FORFEIT, _)) | None => None,
            Some((result, _)) => Some(result),
        }
    }

    /// The moves, glyphs, comments and results outside of variations, with their places.
    pub fn main_line(&self) -> impl Iterator<Item = (usize, &Token)> {
        let mut depth = 0_usize;
        self.tokens.iter().enumerate().filter(move |(_, token)| {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
    }

    /// Both sides lose by forfeit, so that a last `0-0` of the main line is no castling.
    pub(super) fn forfeit(&mut self) {
        let ends = |token: &Token| matches!(token, Token::Move(_) | Token::Result(_));
        let last = self.main_line().filter(|(_, token)| ends(token)).last();
        if let Some((place, Token::Move(word))) = last
            && word == words::FORFEIT
        {
            self.tokens[place] = Token::Result(NO_RESULT);
        }
    }

    /// The position it starts from.
    ///
    /// # Errors
    /// [`GameError`], if its text is broken, it is not chess or its tag `FEN` is no position.
    pub fn start(&self) -> Result<Position, GameError> {
        self.error.clone().map_or(Ok(()), Err)?;
        let variant = self.tag("Variant").unwrap_or_default();
        let letters = variant.chars().filter(|c| c.is_alphanumeric());
        let plain: String = letters.flat_map(char::to_lowercase).collect();
        match plain.as_str() {
            "" | "standard" | "chess" | "classical" | "normal" | "fromposition" | "chess960"
            | "fischerandom" | "fischerrandom" | "fischerrandomchess" => {}
            _ => return Err(GameError::Variant(variant.to_owned())),
        }
        match self.tag("FEN").map(str::trim) {
            None | Some("" | "?" | "-" | "startpos") => Ok(Position::default()),
            Some(fen) => Ok(Position::from_record(fen)?),
        }
    }

    fn add(&mut self, token: Token) -> ControlFlow<()> {
        self.tokens.push(token);
        ControlFlow::Continue(())
    }
}

impl Visitor for RawGame {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        let name = String::from_utf8_lossy(name).trim().to_owned();
        self.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        self.add(Token::Move(san.san.to_string()))
    }

    fn nag(&mut self, (): &mut (), nag: Nag) -> ControlFlow<()> {
        self.add(Token::Nag(nag.0.into()))
    }

    fn partial_comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        self.comment.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, movetext: &mut (), comment: RawComment<'_>) -> ControlFlow<()> {
        let _ = self.partial_comment(movetext, comment);
        let comment = std::mem::take(&mut self.comment);
        self.add(match comment.strip_prefix(MARK) {
            Some(word) => match word.strip_prefix('$').and_then(|nag| nag.parse().ok()) {
                Some(nag) => Token::Nag(nag),
                None => Token::Move(word.to_owned()),
            },
            None => Token::Comment(comment.trim().to_owned()),
        })
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        self.tokens.push(Token::Open);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, (): &mut ()) -> ControlFlow<()> {
        self.add(Token::Close)
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        self.add(Token::Result(outcome.as_str()))
    }

    fn end_game(&mut self, (): ()) {}
}
