//! What the first rank orders and the others answer, as text.
//!
//! It is told once a move, so its form costs nothing. What does not decode is an error.

use heddle::engine::Settings;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::names::Named;
use heddle::numa::NumaPolicy;
use heddle::position::{Game, Move, PackedMove, Position};
use heddle::score::Score;
use heddle::search::{Line, Outcome};
use heddle::smp::teamwork::{Sharing, Stagger};
use heddle::syzygy::Probing;
use heddle::time::clock::Support;
use heddle::time::limits::Limits;
use heddle::tt::Bound;
use heddle::uci::options::Change;
use serde::{Deserialize, Serialize};

/// An order of the first rank.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// Search until told to stop. Answered by [`Answer::Found`], after the stop.
    Start(Box<Start>),
    /// Stop searching.
    Stop,
    /// Change the engine. Answered by [`Answer::Changed`].
    Change(Changed),
    /// Send nothing more. Answered by [`Answer::Bye`], once all that was sent has arrived.
    Quit,
    /// End.
    End,
}

/// An answer to the first rank.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What each worker has found.
    Found(Box<Found>),
    /// The change was made, or why not.
    Changed {
        /// Why it could not be made.
        error: Option<String>,
        /// What has to be the same on all ranks that search together.
        state: String,
    },
    /// Nothing more will be sent.
    Bye,
}

/// A search.
#[derive(Debug, Serialize, Deserialize)]
pub struct Start {
    /// Its number.
    pub generation: u64,
    fen: String,
    keys: Vec<u64>,
    nodes: Option<u64>,
    search_moves: Vec<u16>,
    multipv: usize,
    stagger: String,
    sharing: String,
    lockstep: bool,
    quantum: u64,
    probe_depth: i32,
    probe_limit: usize,
    probe_fifty: bool,
}

/// What a rank has found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Found {
    /// The number of the search.
    pub generation: u64,
    /// Nodes and hits in the tablebases.
    pub totals: [u64; 2],
    /// What went wrong with the tablebases.
    pub faults: Vec<String>,
    outcomes: Vec<(i32, Vec<FoundLine>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct FoundLine {
    depth: i32,
    seldepth: usize,
    multipv: usize,
    score: i32,
    bound: u8,
    moves: Vec<u16>,
}

/// A change of the engine.
#[derive(Debug, Serialize, Deserialize)]
pub enum Changed {
    /// So many workers.
    Threads(usize),
    /// So many MiB.
    Hash(usize),
    /// Another binding to memory nodes.
    Numa(String),
    /// Another evaluation.
    EvalFile(String),
    /// Other tablebases.
    Tablebases(String),
    /// Nothing is known any more.
    Clear,
}

const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

impl Start {
    /// What another rank needs to know of a search in which it has `nodes` to itself.
    pub fn new(
        generation: u64,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        nodes: Option<u64>,
    ) -> Self {
        let Probing { depth, limit, fifty_moves } = settings.probing;
        Self {
            generation,
            fen: game.position().fen(),
            keys: game.keys().to_vec(),
            nodes,
            search_moves: limits.search_moves.iter().map(|&m| bits(m)).collect(),
            multipv: settings.multipv,
            stagger: settings.stagger.name().to_owned(),
            sharing: settings.sharing.name().to_owned(),
            lockstep: settings.lockstep,
            quantum: settings.quantum,
            probe_depth: depth,
            probe_limit: limit,
            probe_fifty: fifty_moves,
        }
    }

    /// The search that it describes; `None` if it describes none.
    pub fn read(&self) -> Option<(Game, Limits, Settings)> {
        let position = Position::from_fen(&self.fen).ok()?;
        let moves = self.search_moves.iter().map(|&bits| PackedMove::from_bits(bits));
        let search_moves = moves.map(|m| m.unpack(&position)).collect::<Option<_>>()?;
        let limits =
            Limits { nodes: self.nodes, search_moves, infinite: true, ..Limits::default() };
        let settings = Settings {
            multipv: self.multipv,
            stagger: Stagger::by_name(&self.stagger)?,
            sharing: Sharing::by_name(&self.sharing)?,
            lockstep: self.lockstep,
            quantum: self.quantum,
            probing: Probing {
                depth: self.probe_depth,
                limit: self.probe_limit,
                fifty_moves: self.probe_fifty,
            },
            ..Settings::default()
        };
        Some((Game::with_keys(position, self.keys.clone()), limits, settings))
    }
}

impl Found {
    /// What is told of `outcomes`.
    pub fn new(
        generation: u64,
        totals: [u64; 2],
        faults: Vec<String>,
        outcomes: &[Outcome],
    ) -> Self {
        let line = |line: &Line| FoundLine {
            depth: line.depth,
            seldepth: line.seldepth,
            multipv: line.multipv,
            score: line.score.get(),
            bound: BOUNDS.iter().position(|&bound| bound == line.bound).unwrap_or(0) as u8,
            moves: line.moves.iter().map(|&m| bits(m)).collect(),
        };
        let outcome = |outcome: &Outcome| (outcome.depth, outcome.lines.iter().map(line).collect());
        Self { generation, totals, faults, outcomes: outcomes.iter().map(outcome).collect() }
    }

    /// The outcomes of a search of `root`; `None` if they do not fit.
    pub fn read(&self, root: &Position) -> Option<Vec<Outcome>> {
        let line = |line: &FoundLine| {
            let mut position = root.clone();
            let mut moves = Vec::new();
            for &bits in &line.moves {
                let m = PackedMove::from_bits(bits).unpack(&position)?;
                position = position.play(m);
                moves.push(m);
            }
            let is_score = (-Score::MATE.get()..=Score::MATE.get()).contains(&line.score);
            (is_score && !moves.is_empty()).then_some(Line {
                depth: line.depth,
                seldepth: line.seldepth,
                multipv: line.multipv.max(1),
                score: Score::new(line.score),
                bound: *BOUNDS.get(usize::from(line.bound))?,
                moves,
                support: Support::default(),
            })
        };
        let outcome = |(depth, lines): &(i32, Vec<FoundLine>)| {
            Some(Outcome { depth: *depth, lines: lines.iter().map(line).collect::<Option<_>>()? })
        };
        self.outcomes.iter().map(outcome).collect()
    }
}

impl Changed {
    /// What is told of `change`; nothing of margins, which only builds for tuning have.
    pub fn new(change: &Change) -> Option<Self> {
        Some(match change {
            Change::Threads(threads) => Self::Threads(*threads),
            Change::Hash(hash) => Self::Hash(*hash),
            Change::Numa(policy) => Self::Numa(policy.name().to_owned()),
            Change::EvalFile(EvalFile::Default) => Self::EvalFile(EvalFile::DEFAULT.into()),
            Change::EvalFile(EvalFile::Classical) => Self::EvalFile(EvalFile::CLASSICAL.into()),
            Change::EvalFile(EvalFile::File(path)) => Self::EvalFile(path.to_string_lossy().into()),
            Change::Tablebases(path) => Self::Tablebases(path.clone()),
            Change::Clear => Self::Clear,
            Change::Margin => return None,
        })
    }

    /// The change that it describes.
    pub fn read(self) -> Change {
        match self {
            Self::Threads(threads) => Change::Threads(threads),
            Self::Hash(hash) => Change::Hash(hash),
            Self::Numa(policy) => Change::Numa(NumaPolicy::by_name(&policy).unwrap_or_default()),
            Self::EvalFile(name) => Change::EvalFile(name.as_str().into()),
            Self::Tablebases(path) => Change::Tablebases(path),
            Self::Clear => Change::Clear,
        }
    }
}

fn bits(m: Move) -> u16 {
    PackedMove::pack(m).to_bits()
}

/// As it is sent.
pub fn write(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("it has neither maps nor failing parts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Game {
        let mut game = Game::default();
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            game.play(game.position().parse_move(text).unwrap());
        }
        game
    }

    #[test]
    fn a_search_is_read_as_it_was_ordered() {
        let game = game();
        let e4 = game.position().parse_move("e2e4").unwrap();
        let limits = Limits { search_moves: vec![e4], depth: Some(9), ..Limits::default() };
        let settings = Settings { multipv: 3, lockstep: true, quantum: 9, ..Settings::default() };
        let start = Start::new(7, &game, &limits, &settings, Some(500));
        let Ok(Order::Start(read)) = serde_json::from_slice(&write(&Order::Start(start.into())))
        else {
            panic!("not read");
        };
        let (found, limits, read) = read.read().unwrap();
        assert_eq!((found.position().fen(), found.keys()), (game.position().fen(), game.keys()));
        assert_eq!((limits.search_moves, limits.nodes, limits.depth), (vec![e4], Some(500), None));
        assert_eq!(read, settings);
    }

    #[test]
    fn outcomes_are_read_as_they_were_found_and_checked() {
        let root = Position::default();
        let m = root.parse_move("e2e4").unwrap();
        let line = Line {
            depth: 9,
            seldepth: 12,
            multipv: 1,
            score: Score::new(31),
            bound: Bound::Exact,
            moves: vec![m],
            support: Support::default(),
        };
        let outcomes = [Outcome { lines: vec![line], depth: 9 }, Outcome::default()];
        let mut found = Found::new(3, [5, 6], vec![], &outcomes);
        assert_eq!(found.read(&root).unwrap(), outcomes);
        found.outcomes[0].1[0].moves.push(bits(m));
        assert_eq!(found.read(&root), None, "an illegal move");
    }

    #[test]
    fn changes_are_read_as_they_were_ordered() {
        for change in [
            Change::Threads(3),
            Change::Hash(8),
            Change::Numa(NumaPolicy::Bind),
            Change::EvalFile(EvalFile::Default),
            Change::EvalFile(EvalFile::Classical),
            Change::EvalFile(EvalFile::File("net".into())),
            Change::Tablebases("a:b".into()),
            Change::Clear,
        ] {
            assert_eq!(Changed::new(&change).unwrap().read(), change);
        }
    }
}
