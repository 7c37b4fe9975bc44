//! A node and its window, and the moves of the root.

use std::cell::OnceCell;
use std::ops::Neg;

use crate::position::{CheckSquares, Move, PackedMove, Position, Threats};
use crate::score::{Depth, MAX_PLY, Score};
use crate::tt::{Bound, Entry};

use super::correction::CorrectionIndex;
use super::history::{ButterflyIndex, CONTINUATION_PLIES, Continuation, PieceTo};

/// The kind of a node, fixed at compile time so that each kind is a function of its own.
///
/// Source: the three node types of Stockfish.
pub(super) trait NodeType {
    /// The window is open.
    const PV: bool;
    /// It is the root.
    const ROOT: bool;
}

/// The root, whose window is open.
pub(super) struct Root;
/// A node with an open window.
pub(super) struct Pv;
/// A node with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// An open interval of scores. A search need not resolve scores outside of it: anything up to
/// `alpha` is as good as `alpha`, anything from `beta` on is as good as `beta`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The side to move is sure of this much.
    pub alpha: Score,
    /// The opponent can hold the side to move to this much.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Self =
        Self { alpha: Score::new(-Score::INFINITE.get()), beta: Score::INFINITE };

    /// The null window above `alpha`: is the score greater?
    pub fn above(alpha: Score) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The null window below `beta`: is the score at least that?
    pub fn below(beta: Score) -> Self {
        Self { alpha: beta - 1, beta }
    }

    /// `score` lies strictly inside.
    pub fn contains(self, score: Score) -> bool {
        self.alpha < score && score < self.beta
    }

    /// The bound of `score`, returned by a fail-soft search of this window.
    pub fn bound_of(self, score: Score) -> Bound {
        if score <= self.alpha {
            Bound::Upper
        } else if score >= self.beta {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }

    /// A score with this bound settles the window.
    pub fn is_settled_by(self, score: Score, bound: Bound) -> bool {
        match bound {
            Bound::Exact => true,
            Bound::Lower => score >= self.beta,
            Bound::Upper => score <= self.alpha,
        }
    }
}

/// The same window for the other side.
impl Neg for Window {
    type Output = Self;
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A node of the tree: a position, how it is to be searched, and what the search has found so far.
///
/// The parent sets the window, the depth and the expectation. [`pvs`](super::pvs) fills in the rest
/// before it searches the moves; quiescence needs only `continuation`.
pub(super) struct Node<'p> {
    pub position: &'p Position,
    /// Plies from the root.
    pub ply: usize,
    /// The window, from the side to move's point of view.
    pub window: Window,
    /// Plies to search.
    pub depth: Depth,
    /// A fail-high is expected.
    pub is_cut: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// Plies by which the move that leads here is reduced in this search.
    pub reduction: Depth,

    pub tt_entry: Option<Entry>,
    pub tt_move: Option<Move>,
    /// The evaluation as the evaluator gave it, `None` in check.
    pub raw_eval: Option<Score>,
    /// The corrected evaluation, `None` in check.
    pub eval: Option<Score>,
    /// The evaluation, or the TT score where it is a tighter bound.
    pub estimate: Score,
    /// The evaluation is better than at the side to move's last turn; for moves also if it reaches
    /// beta.
    pub is_improving: bool,
    /// The node is on the principal variation, or was when its TT entry was stored.
    pub tt_pv: bool,
    /// The tablebases prove at least this much.
    pub floor: Score,
    /// The tablebases prove at most this much.
    pub ceiling: Score,
    /// The entries of the correction history.
    pub correction: CorrectionIndex,
    /// The moves that led here: the indices of the continuation histories.
    pub continuation: Continuation,
    /// Moves tried so far, the current move included.
    pub move_count: usize,

    /// Computed lazily: a node that the TT move or a capture refutes does not need it.
    pub threats: OnceCell<Threats>,
    pub checks: OnceCell<CheckSquares>,
}

impl<'p> Node<'p> {
    /// A node before any probe.
    #[inline(always)]
    fn new(position: &'p Position, ply: usize, window: Window, depth: Depth) -> Self {
        Self {
            position,
            ply,
            window,
            depth,
            is_cut: false,
            excluded: None,
            reduction: 0,
            tt_entry: None,
            tt_move: None,
            raw_eval: None,
            eval: None,
            estimate: Score::DRAW,
            is_improving: false,
            tt_pv: false,
            floor: -Score::INFINITE,
            ceiling: Score::INFINITE,
            correction: CorrectionIndex::default(),
            continuation: [PieceTo::NONE; CONTINUATION_PLIES.len()],
            move_count: 0,
            threats: OnceCell::new(),
            checks: OnceCell::new(),
        }
    }

    /// The root.
    pub fn root(position: &'p Position, window: Window, depth: Depth) -> Self {
        Self::new(position, 0, window, depth)
    }

    /// The node of `position`, to which a move leads from this one. `window` is seen from this
    /// node.
    #[inline(always)]
    pub fn child<'c>(&self, position: &'c Position, window: Window, depth: Depth) -> Node<'c> {
        Node::new(position, self.ply + 1, -window, depth)
    }

    /// The same node with another window and depth.
    pub fn again(&self, window: Window, depth: Depth) -> Self {
        let mut again = Self::new(self.position, self.ply, window, depth);
        (again.is_cut, again.reduction) = (self.is_cut, self.reduction);
        again
    }

    /// The deepest ply has been reached: the position is only evaluated.
    pub fn is_too_deep(&self) -> bool {
        self.ply >= MAX_PLY - 1
    }

    /// The squares that the opponent attacks.
    #[inline]
    pub fn threats(&self) -> &Threats {
        self.threats.get_or_init(|| self.position.threats(!self.position.turn()))
    }

    /// The place of a quiet move in the butterfly history.
    #[inline]
    pub fn butterfly(&self, m: Move) -> ButterflyIndex {
        ButterflyIndex::new(self.position.turn(), self.threats().all, m)
    }

    /// The legal move `m` gives check.
    #[inline]
    pub fn gives_check(&self, m: Move) -> bool {
        let checks = self.checks.get_or_init(|| self.position.check_squares());
        checks.gives_check(self.position, m)
    }

    /// The node's TT entry after a search to `depth`; without a score it stores the evaluation
    /// alone.
    pub fn entry(
        &self,
        depth: Depth,
        best_move: Option<Move>,
        score: Option<(Score, Bound)>,
    ) -> Entry {
        let best = best_move.map_or(PackedMove::NONE, PackedMove::pack);
        Entry { best, score, eval: self.raw_eval, depth, was_pv: self.tt_pv }
    }
}

/// A legal move at the root.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub m: Move,
    /// The score of this iteration; minus infinity until the move has raised alpha.
    pub score: Score,
    pub bound: Bound,
    /// The score of the last iteration.
    pub previous: Score,
    /// The deepest ply reached below the move.
    pub seldepth: usize,
    /// The line that begins with the move.
    pub pv: Vec<Move>,
    /// The rank that the tablebases give the move: a higher one is always preferred.
    pub tb_rank: i32,
    /// The score that the tablebases give the root after this move.
    pub tb_score: Option<Score>,
}

impl RootMove {
    pub fn new(m: Move) -> Self {
        Self {
            m,
            score: -Score::INFINITE,
            bound: Bound::Upper,
            previous: -Score::INFINITE,
            seldepth: 0,
            pv: vec![m],
            tb_rank: 0,
            tb_score: None,
        }
    }

    /// Records the search of the move in `window`: its score, and the line that follows it.
    pub fn update(&mut self, score: Score, window: Window, seldepth: usize, continuation: &[Move]) {
        self.score = score;
        self.bound = window.bound_of(score);
        self.seldepth = seldepth;
        self.pv.clear();
        self.pv.push(self.m);
        self.pv.extend_from_slice(continuation);
    }

    /// The score to report: the tablebases' unless the search has found a mate for the same
    /// side.
    pub fn value(&self) -> Score {
        let agrees = |tb_score: &Score| self.score.get().signum() == tb_score.get().signum();
        self.tb_score
            .filter(|tb_score| !self.score.is_mate() || !agrees(tb_score))
            .unwrap_or(self.score)
    }
}

/// Nodes for the tests of techniques.
#[cfg(test)]
pub(super) mod fixture {
    use super::super::picker::Picked;
    use super::super::{Common, Run};
    use super::*;
    use crate::position::Game;
    use crate::sync::Arc;
    use crate::time::limits::Limits;
    use crate::tt::Table;

    /// A node of `position` with an evaluation of 0, of which the table knows nothing.
    pub fn node(position: &Position, depth: Depth) -> Node<'_> {
        let mut node = Node { is_improving: true, ..Node::root(position, Window::FULL, depth) };
        evaluate(&mut node, 0);
        node
    }

    /// Gives a node an evaluation, in centipawns.
    pub fn evaluate(node: &mut Node<'_>, eval: i32) {
        let eval = Score::new(eval);
        (node.raw_eval, node.eval, node.estimate) = (Some(eval), Some(eval), eval);
    }

    /// A move without a history.
    pub fn picked(position: &Position, m: &str) -> Picked {
        let m = position.parse_move(m).unwrap();
        Picked::first(m, position.key_after(m))
    }

    /// A search of one worker with a small table.
    pub fn search(position: &Position) -> (Common, Run) {
        let table = Arc::new(Table::with_clusters(1).unwrap());
        let common = Common::new(table, None).unwrap();
        (common, Run::new(Game::new(position.clone()), Limits::default(), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_follows_the_side_that_failed() {
        let window = Window { alpha: Score::new(10), beta: Score::new(20) };
        let bounds = [10, 11, 19, 20].map(|score| window.bound_of(Score::new(score)));
        assert_eq!(bounds, [Bound::Upper, Bound::Exact, Bound::Exact, Bound::Lower]);
    }

    #[test]
    fn a_bound_settles_only_its_own_side() {
        let window = Window { alpha: Score::new(10), beta: Score::new(20) };
        let settled = |score, bound| window.is_settled_by(Score::new(score), bound);
        assert!(settled(15, Bound::Exact));
        assert!(settled(20, Bound::Lower) && !settled(19, Bound::Lower));
        assert!(settled(10, Bound::Upper) && !settled(11, Bound::Upper));
    }
}
