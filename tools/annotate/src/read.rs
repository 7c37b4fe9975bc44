//! The text of a game to a [`Game`].

use std::ops::ControlFlow;

use heddle::commands::pgn::frame::Frame;
use heddle::commands::pgn::{VariantError, check_variant};
use heddle::position::{Color, FenError, Move, MoveError, Position};
use pgn_reader::{KnownOutcome, Nag, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use crate::game::{Game, Line, Node};

/// The deepest nesting of variations.
const MAX_NESTING: usize = 100;
/// The notation of a null move.
const NULL: &str = "--";

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
    #[error("not a move: {0}")]
    Stray(String),
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
    Text(String),
}

/// Reads one game.
///
/// # Errors
/// [`ReadError`]: some move, tag or variation makes no sense.
pub fn read(frame: &Frame) -> Result<Game, ReadError> {
    let Frame { line, text, stray, .. } = frame;
    let mut reader = frame.reader();
    let read = match reader.read_game(&mut GameVisitor) {
        Ok(Some(result)) => result,
        Ok(None) => Err(Reason::Text("no game".into())),
        Err(error) => Err(Reason::Text(error.to_string())),
    };
    let game = read.map_err(|reason| {
        let unread = reader.buffer().len();
        let consumed = text.len() - unread - reader.into_inner().len();
        let newlines = text[..consumed].trim_end().matches('\n').count();
        ReadError { line: line + newlines, reason }
    });
    match stray {
        // A word that is skipped makes nonsense of the moves after it.
        Some((at, word)) if game.as_ref().err().is_none_or(|error| error.line >= *at) => {
            Err(ReadError { line: *at, reason: Reason::Stray(word.clone()) })
        }
        _ => game,
    }
}

struct GameVisitor;

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
    line: Line,
    /// The position after its moves.
    position: Position,
    /// The position before its last move.
    before: Option<Position>,
}

impl OpenLine {
    fn new(position: Position) -> Self {
        Self { line: Line::default(), position, before: None }
    }
}

type Flow<T> = ControlFlow<Result<Game, Reason>, T>;

fn flow<T>(result: Result<T, Reason>) -> Flow<T> {
    match result {
        Ok(value) => ControlFlow::Continue(value),
        Err(reason) => ControlFlow::Break(Err(reason)),
    }
}

impl Draft {
    fn top(&mut self) -> &mut OpenLine {
        self.open.last_mut().expect("the line of the game is never closed")
    }

    fn play(&mut self, text: &str) -> Result<(), Reason> {
        let is_main = self.open.len() == 1;
        let top = self.top();
        let position = &top.position;
        let (m, san, next) = if text == NULL {
            let next = position.null_move().filter(|_| !is_main).ok_or(Reason::NullMove)?;
            (None, NULL.to_owned(), next)
        } else {
            let m = position.parse_san(text)?;
            (Some(m), position.san(m), position.play(m))
        };
        top.before = Some(std::mem::replace(&mut top.position, next));
        top.line.nodes.push(Node { san, ..Node::default() });
        if is_main {
            self.moves.extend(m);
        }
        Ok(())
    }

    fn begin_variation(&mut self) -> Result<Skip, Reason> {
        if self.open.len() > MAX_NESTING {
            return Err(Reason::Nesting);
        }
        let before = self.top().before.clone().ok_or(Reason::Early)?;
        self.open.push(OpenLine::new(before));
        Ok(Skip(false))
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
        game.result = self.result.or(game.tag("Result")).unwrap_or("*").to_owned();
        Ok(game)
    }
}

/// The position that the tags set up.
fn start(tags: &[(String, String)]) -> Result<Position, Reason> {
    let tag = |name| tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    tag("Variant").map_or(Ok(()), check_variant)?;
    tag("FEN").map_or(Ok(Position::default()), |fen| Ok(Position::from_fen(fen)?))
}

impl Visitor for GameVisitor {
    type Tags = Vec<(String, String)>;
    type Movetext = Draft;
    type Output = Result<Game, Reason>;

    fn begin_tags(&mut self) -> Flow<Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> Flow<()> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> Flow<Draft> {
        flow(start(&tags).map(|start| Draft {
            tags,
            open: vec![OpenLine::new(start.clone())],
            start,
            moves: Vec::new(),
            result: None,
        }))
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> Flow<()> {
        flow(draft.play(&san.to_string()))
    }

    fn nag(&mut self, draft: &mut Draft, nag: Nag) -> Flow<()> {
        let line = &mut draft.top().line;
        line.nodes.last_mut().map_or(&mut line.nags, |node| &mut node.nags).push(nag.0);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> Flow<()> {
        let text = String::from_utf8_lossy(comment.as_bytes()).trim().to_owned();
        let line = &mut draft.top().line;
        line.nodes.last_mut().map_or(&mut line.comments, |node| &mut node.comments).push(text);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, draft: &mut Draft) -> Flow<Skip> {
        flow(draft.begin_variation())
    }

    fn end_variation(&mut self, draft: &mut Draft) -> Flow<()> {
        flow(draft.end_variation())
    }

    fn outcome(&mut self, draft: &mut Draft, outcome: Outcome) -> Flow<()> {
        if draft.open.len() == 1 {
            draft.result = Some(match outcome {
                Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
                Outcome::Known(KnownOutcome::Decisive { winner: Color::White }) => "1-0",
                Outcome::Known(KnownOutcome::Decisive { winner: Color::Black }) => "0-1",
                Outcome::Unknown => "*",
            });
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Draft) -> Self::Output {
        draft.finish()
    }
}
