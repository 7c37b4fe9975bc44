//! One search: what is searched and how, and what its workers note meanwhile.

use crate::position::{Game, PackedMove};
use crate::smp::board::Board;
use crate::smp::coherence::Directory;
use crate::smp::lockstep::{self, Turns};
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::syzygy::{Probing, Ranking};
use crate::time::limits::Limits;
use crate::tt::Census;

/// How a search is done, apart from its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of lines.
    pub multipv: usize,
    /// The iterations that helpers skip.
    pub stagger: Stagger,
    /// The main worker's place in the stagger: not 0 if the helpers of other engines come before it.
    pub stagger_from: usize,
    /// Which histories the workers share. Shared and own ones last from search to search.
    pub sharing: Sharing,
    /// How the endgame tables are probed.
    pub probing: Probing,
    /// The workers take turns, so that the search can be repeated: the same nodes, lines and move
    /// unless the clock or a stop from outside ends it.
    pub lockstep: bool,
    /// Nodes per turn in lockstep.
    pub quantum: u64,
    /// Accesses to the transposition table are counted, which takes an eighth of its memory and some
    /// time. Without that memory they are not counted.
    pub census: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            stagger: Stagger::default(),
            stagger_from: 0,
            sharing: Sharing::default(),
            probing: Probing::default(),
            lockstep: false,
            quantum: lockstep::DEFAULT_QUANTUM,
            census: false,
        }
    }
}

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct Task {
    /// The root and its history.
    pub game: Game,
    /// The limits. Workers heed depth, both node limits, mate and root moves, but no clock.
    pub limits: Limits,
    /// How it is searched.
    pub settings: Settings,
    /// The root moves as the endgame tables rank them, if they have the root.
    pub ranking: Option<Ranking>,
    /// The number of workers.
    pub workers: usize,
}

impl Task {
    /// A search by one worker with the usual settings and without endgame tables.
    #[must_use]
    pub fn new(game: Game, limits: Limits) -> Self {
        Self { game, limits, settings: Settings::default(), ranking: None, workers: 1 }
    }
}

/// One search, shared by its workers.
pub struct Run {
    /// What is searched.
    pub task: Task,
    /// Raised to end the search.
    pub stop: Arc<StopFlag>,
    /// What the workers have done so far.
    pub board: Board,
    /// Where the workers take turns, in lockstep.
    pub turns: Option<Turns>,
    /// Optionally counts accesses to the table.
    pub census: Option<Census>,
    /// The simulated caches of its workers, empty unless the search is observed.
    pub directory: Arc<Directory>,
}

impl Run {
    /// A search that nobody has begun, neither in lockstep nor with a census.
    #[must_use]
    pub fn new(task: Task) -> Self {
        let moves = task.game.position().legal_moves();
        let choices = moves.into_iter().map(|m| PackedMove::pack(m).to_bits());
        let board = Board::new(task.workers, choices);
        let (stop, directory) = Default::default();
        Self { task, stop, board, turns: None, census: None, directory }
    }
}
