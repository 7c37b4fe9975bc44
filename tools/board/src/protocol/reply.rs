//! What a page is told.

use std::collections::BTreeMap;

use serde::Serialize;

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
    /// UCI notation, `0000` for a null move.
    pub uci: String,
    /// Standard algebraic notation, `--` for a null move.
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
    /// Hits in the table; without lockstep estimated from a sample, like the next.
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
    pub fn new(id: impl Into<Option<u64>>, code: Code, message: impl Into<String>) -> Self {
        Self { id: id.into(), code, message: message.into() }
    }
}
