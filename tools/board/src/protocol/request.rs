//! What a page asks.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A message from the page.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The page's number for it, which the answers repeat.
    pub id: u64,
    /// What is wanted.
    #[serde(flatten)]
    pub body: Body,
}

/// What a message wants.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Body {
    /// The legal moves of a position, after one more move if `word` is one.
    Position {
        /// The game up to there.
        game: Line,
        /// A move in any notation.
        word: Option<String>,
    },
    /// The games or positions in a text; with `game`, one of them.
    Read {
        /// PGN, FEN or EPD.
        text: String,
        /// The number of the game, from 1.
        game: Option<usize>,
    },
    /// A game as PGN.
    Write(Record),
    /// An endless search.
    Analyse(Analyse),
    /// A search for a move to play.
    Play(Play),
    /// A search whose workers are shown.
    Watch(Watch),
    /// Judges the moves of a game.
    Judge(Judge),
    /// Grants turns to a search in lockstep that is held.
    Step {
        /// How many.
        turns: u32,
    },
    /// Changes the pace of a search in lockstep.
    Pace(Pace),
    /// Ends this page's search.
    Stop,
    /// Forgets what earlier searches have learnt.
    Forget,
}

/// A game: where it starts, and its moves in UCI notation, in which `0000` is a null move.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Line {
    /// A FEN, or `chess960` and a number below 960; the initial position without one.
    pub start: Option<String>,
    /// The moves.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// What searches: without a number, what the engine has now.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Size {
    /// Threads.
    pub threads: Option<usize>,
    /// MiB of transposition table.
    pub hash: Option<usize>,
    /// Ends the search of another page instead of being refused.
    #[serde(default)]
    pub take: bool,
}

/// An endless search.
#[derive(Debug, Deserialize)]
pub struct Analyse {
    /// The game, whose last position is searched.
    pub game: Line,
    /// The number of lines.
    #[serde(default = "one")]
    pub lines: usize,
    /// What searches.
    #[serde(default)]
    pub size: Size,
}

/// A search for a move to play.
#[derive(Debug, Deserialize)]
pub struct Play {
    /// The game, whose last position is searched.
    pub game: Line,
    /// The strength; the full one without a number.
    pub elo: Option<usize>,
    /// Milliseconds left to White and Black; no clock without them.
    pub clock: Option<[u64; 2]>,
    /// Milliseconds added after each move.
    #[serde(default)]
    pub increment: u64,
    /// Milliseconds for this move, without a clock.
    pub movetime: Option<u64>,
    /// What searches.
    #[serde(default)]
    pub size: Size,
}

/// A search whose workers are shown.
#[derive(Debug, Deserialize)]
pub struct Watch {
    /// The game, whose last position is searched.
    pub game: Line,
    /// The greatest depth, in plies.
    pub depth: Option<i32>,
    /// Turns one after another, so that the search is the same every time.
    pub lockstep: Option<Lockstep>,
    /// What searches.
    #[serde(default)]
    pub size: Size,
}

/// The turns of a search in lockstep.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Lockstep {
    /// Nodes of a turn.
    pub quantum: u64,
    /// The pace at the beginning.
    #[serde(flatten)]
    pub pace: Pace,
    /// Counts the coherence misses, which takes time and memory.
    #[serde(default)]
    pub misses: bool,
}

/// How quickly turns follow each other.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Pace {
    /// Milliseconds between two turns: 0 for a turn at each `step`, `null` for no waiting.
    pub every: Option<u64>,
}

/// Judges the moves of a game.
#[derive(Debug, Deserialize)]
pub struct Judge {
    /// The game.
    #[serde(flatten)]
    pub record: Record,
    /// Milliseconds for each position.
    #[serde(default = "judge_time")]
    pub movetime: u64,
    /// What searches.
    #[serde(default)]
    pub size: Size,
}

/// A game with what is known of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// Where it starts, as in [`Line`].
    pub start: Option<String>,
    /// Tags of the PGN.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// The moves.
    pub line: Vec<Branch>,
}

/// A move of a game, with what is said about it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Branch {
    /// The move in UCI notation, `0000` for a null move.
    pub uci: String,
    /// Numeric annotation glyphs.
    pub nags: Vec<u32>,
    /// Comments.
    pub comments: Vec<String>,
    /// What could have been played instead.
    pub variations: Vec<Vec<Branch>>,
    /// The score after it, as the server sent it.
    pub score: Option<String>,
    /// The depth of that score, in plies.
    pub depth: Option<u32>,
    /// The milliseconds left to the side that has moved.
    pub clock: Option<u64>,
}

fn one() -> usize {
    1
}

/// The default time to judge a position: a game of 40 moves takes half a minute.
fn judge_time() -> u64 {
    400
}
