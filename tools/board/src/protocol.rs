//! The messages between the page and the server, as JSON: see `docs/board.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the protocol. It grows when a page of the version before would not understand.
pub const VERSION: u32 = 1;

/// The most moves of a game in a message.
pub const MAX_PLIES: usize = 2000;

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

/// A game: where it starts, and its moves in UCI notation.
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
    /// The moves.
    pub game: Line,
    /// Tags of the PGN.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// What is said about each move, in its order.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// What is said about a move.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Note {
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

/// A message to the page.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Reply {
    /// The first message of a connection.
    Hello(Hello),
    /// The answer to `position`.
    Position(Box<At>),
    /// The games of a text.
    Games {
        /// The request.
        id: u64,
        /// The games, the first first.
        games: Vec<Title>,
        /// There are more than the server counts.
        more: bool,
    },
    /// A game of a text.
    Game(Loaded),
    /// A game as PGN.
    Pgn {
        /// The request.
        id: u64,
        /// The text.
        text: String,
    },
    /// What a search has found so far.
    Info(Info),
    /// What the workers do.
    Threads(Threads),
    /// A position of the game that is being judged.
    Judged {
        /// The request.
        id: u64,
        /// The number of plies before the position.
        ply: usize,
        /// Its score and chances.
        #[serde(flatten)]
        score: Scored,
    },
    /// The judgement of the whole game.
    Report(Report),
    /// The end of a search.
    Done(Done),
    /// A request cannot be granted.
    Error(Refusal),
}

/// The first message of a connection.
#[derive(Debug, Serialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The name and version of the program.
    pub program: &'static str,
    /// Threads to begin with.
    pub threads: usize,
    /// The most threads.
    pub max_threads: usize,
    /// MiB of transposition table to begin with.
    pub hash: usize,
    /// The most MiB.
    pub max_hash: usize,
    /// The least and the greatest `elo`.
    pub elo: [usize; 2],
    /// Pieces of the largest tablebase; 0 without any.
    pub tablebases: usize,
}

/// A position.
#[derive(Debug, Serialize)]
pub struct At {
    /// The request.
    pub id: u64,
    /// The position.
    pub fen: String,
    /// White is to move.
    pub white: bool,
    /// The side to move is in check.
    pub check: bool,
    /// It is a position of Chess960.
    pub chess960: bool,
    /// The move that `word` said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<Moved>,
    /// The legal moves: UCI notation → standard notation.
    pub legal: BTreeMap<String, String>,
    /// How the game has ended, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// What the tablebases say, if they have the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tablebase: Option<Tablebase>,
}

/// A move in both notations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// UCI notation.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
}

/// How a game has ended.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Over {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What the tablebases say about a position and its moves, for the side to move.
#[derive(Debug, Serialize)]
pub struct Tablebase {
    /// The result.
    pub result: &'static str,
    /// The result of each move in UCI notation, with the plies to the next capture or pawn move.
    pub moves: BTreeMap<String, (&'static str, Option<i32>)>,
}

/// A game of a text, in a list.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Title {
    /// The players, or the position.
    pub name: String,
    /// Event, date and result.
    pub about: String,
}

/// A game of a text.
#[derive(Debug, Serialize)]
pub struct Loaded {
    /// The request.
    pub id: u64,
    /// Where it starts, as a FEN.
    pub start: String,
    /// Its tags.
    pub tags: Vec<(String, String)>,
    /// Its result.
    pub result: String,
    /// Its moves.
    pub line: Vec<Step>,
}

/// A move of a game, with its annotations.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The move.
    #[serde(flatten)]
    pub moved: Moved,
    /// Numeric annotation glyphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u32>,
    /// Comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    /// What could have been played instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Vec<Step>>,
}

/// A score and what it means, from White's side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// Pawns, or `#` and the moves to mate.
    pub score: String,
    /// Chances of win, draw and loss, in per mille.
    pub wdl: [u32; 3],
    /// The depth, in plies.
    pub depth: i32,
}

/// What a search has found so far.
#[derive(Debug, Serialize)]
pub struct Info {
    /// The request.
    pub id: u64,
    /// The work so far.
    #[serde(flatten)]
    pub work: Work,
    /// The lines, the best first.
    pub lines: Vec<Found>,
}

/// The work of a search.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Milliseconds.
    pub time: u64,
    /// Nodes of all workers.
    pub nodes: u64,
    /// The permille of the table that this search has filled.
    pub hashfull: u32,
    /// Positions that the tablebases have answered.
    pub tbhits: u64,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Its score.
    #[serde(flatten)]
    pub scored: Scored,
    /// The deepest ply.
    pub seldepth: usize,
    /// The moves in UCI notation.
    pub moves: Vec<String>,
    /// The same with numbers, in standard notation.
    pub text: String,
}

/// What the workers do.
#[derive(Debug, Serialize)]
pub struct Threads {
    /// The request.
    pub id: u64,
    /// The work so far.
    #[serde(flatten)]
    pub work: Work,
    /// The main worker's line.
    pub line: Option<Found>,
    /// The workers, the main one first.
    pub workers: Vec<Worker>,
    /// The vote as it would fall now, or as it fell.
    pub vote: Option<Winner>,
    /// The turns, in lockstep.
    pub turns: Option<Turns>,
}

/// What a worker does.
#[derive(Debug, PartialEq, Serialize)]
pub struct Worker {
    /// Nodes.
    pub nodes: u64,
    /// The iteration, in plies.
    pub depth: Option<i32>,
    /// The root move that it is searching.
    pub current: Option<String>,
    /// Its place among the root moves, from 1.
    pub move_count: Option<usize>,
    /// The move that it would vote for.
    pub best: Option<String>,
    /// The score of that move.
    pub scored: Option<Scored>,
    /// The weight behind that move: depths of all workers that vote for it, in plies.
    pub weight: Option<i64>,
    /// Hits in the table.
    pub hits: u64,
    /// Hits on entries that another worker wrote.
    pub foreign: u64,
}

/// The winner of a vote.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Winner {
    /// The worker, from 0.
    pub worker: usize,
    /// Its move.
    pub best: String,
    /// Plies of weight behind it; none if a proved score decides.
    pub weight: Option<i64>,
    /// Plies of weight in all.
    pub of: i64,
}

/// The turns of a search in lockstep.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Turns {
    /// Rounds completed.
    pub rounds: u64,
    /// The worker that has the next turn.
    pub next: Option<usize>,
    /// Coherence misses by structure, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misses: Option<BTreeMap<&'static str, u64>>,
}

/// The judgement of a game.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The request.
    pub id: u64,
    /// The opening, if it is known.
    pub opening: Option<String>,
    /// White and Black.
    pub sides: [Side; 2],
    /// What is said about each move.
    pub moves: Vec<Verdict>,
    /// The annotated game.
    pub pgn: String,
}

/// How a side played.
#[derive(Debug, Serialize)]
pub struct Side {
    /// The mean accuracy, from 0 to 100.
    pub accuracy: f64,
    /// The mean loss, in centipawns.
    pub loss: f64,
    /// Inaccuracies, mistakes and blunders.
    pub glyphs: [usize; 3],
    /// Moves that were judged.
    pub moves: usize,
}

/// What is said about a move.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// `?!`, `?` or `??`.
    pub glyph: Option<&'static str>,
    /// In words.
    pub text: Option<String>,
    /// The best move before it, in UCI notation.
    pub best: Option<String>,
}

/// The end of a search.
#[derive(Debug, PartialEq, Serialize)]
pub struct Done {
    /// The request.
    pub id: u64,
    /// Why it ended.
    pub reason: Reason,
    /// The move to play.
    pub best: Option<Moved>,
    /// Milliseconds.
    pub time: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Its limits were reached.
    Complete,
    /// The page asked for it, or for another search.
    Stopped,
    /// Another page has taken the engine.
    Taken,
}

/// A request cannot be granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The request, if it was understood so far.
    pub id: Option<u64>,
    /// What kind of error it is.
    pub code: Code,
    /// What is wrong, for people.
    pub message: String,
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The message is no request.
    Request,
    /// The text has no such game, or it makes no sense.
    Text,
    /// There is no such position.
    Position,
    /// The move is not legal.
    Move,
    /// A number is out of its bounds.
    Bounds,
    /// Another page is using the engine.
    Busy,
    /// The engine has no memory or no threads for it.
    Engine,
}

impl Refusal {
    /// A refusal of request `id`.
    pub fn new(id: impl Into<Option<u64>>, code: Code, message: impl ToString) -> Self {
        Self { id: id.into(), code, message: message.to_string() }
    }
}
