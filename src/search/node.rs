//! What a node is, and what is known of it while its moves are searched.

use arrayvec::ArrayVec;

use crate::position::{Move, PackedMove};
use crate::score::{Depth, Score};
use crate::tt::{Bound, Entry};

use super::correction::CorrectionKeys;
use super::picker::Picked;

/// The kind of a node, fixed at compile time so that each kind is a function of its own.
///
/// Source: the three node types of Stockfish.
pub(super) trait NodeType {
    /// The node is the root.
    const ROOT: bool;
    /// The node has an open window: it is the root or on a principal variation.
    const PV: bool;
}

/// The root of the search.
pub(super) struct Root;

/// A node with an open window, below the root.
pub(super) struct Pv;

/// A node with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}

impl NodeType for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}

impl NodeType for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// What is known of a node before its moves are searched.
#[derive(Copy, Clone)]
pub(super) struct Node {
    pub depth: Depth,
    /// A fail-high is expected.
    pub is_cut: bool,
    pub in_check: bool,
    pub tt_entry: Option<Entry>,
    pub tt_move: Option<Move>,
    /// The evaluation as the evaluator gave it, `None` in check.
    pub raw_eval: Option<Score>,
    /// The corrected evaluation, `None` in check.
    pub eval: Option<Score>,
    /// The evaluation, or the transposition table's score where that says more.
    pub estimate: Score,
    /// The evaluation is better than at the side to move's last turn.
    pub is_improving: bool,
    /// The node is on the principal variation, or its entry says that it once was.
    pub tt_pv: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// The endgame tables prove at least this much.
    pub floor: Score,
    /// The endgame tables prove at most this much.
    pub ceiling: Score,
    pub correction: CorrectionKeys,
}

impl Node {
    /// What the transposition table is to keep of the node before it is searched.
    pub fn unsearched(&self) -> Entry {
        let was_pv = self.tt_pv;
        Entry { best: PackedMove::NONE, score: None, eval: self.raw_eval, depth: 0, was_pv }
    }

    /// What the transposition table is to keep of the node.
    pub fn entry(&self, best_move: Option<Move>, score: Score, bound: Bound) -> Entry {
        Entry {
            best: best_move.map_or(PackedMove::NONE, PackedMove::pack),
            score: Some((score, bound)),
            eval: self.raw_eval,
            depth: self.depth,
            was_pv: self.tt_pv,
        }
    }
}

/// One move of a node, as the search of its child needs it.
#[derive(Copy, Clone)]
pub(super) struct Candidate {
    pub picked: Picked,
    /// How many moves have been searched, this one included.
    pub move_count: usize,
    /// The move gives check; not asked of the first move, which is neither pruned nor reduced.
    pub gives_check: bool,
}

/// Failed moves that are kept for their malus. Later ones are so late that their malus would teach
/// nothing.
const MAX_TRIED: usize = 32;

/// The moves that were searched without a cutoff.
#[derive(Default)]
pub(super) struct Tried {
    pub quiet: ArrayVec<Move, MAX_TRIED>,
    pub tactical: ArrayVec<Move, MAX_TRIED>,
}

impl Tried {
    /// Adds a move, unless the list is full.
    pub fn add(&mut self, picked: Picked) {
        let list = if picked.is_tactical { &mut self.tactical } else { &mut self.quiet };
        let _ = list.try_push(picked.m);
    }
}
