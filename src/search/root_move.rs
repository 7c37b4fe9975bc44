//! A root move and what the search has found out about it.

use crate::position::Move;
use crate::score::Score;
use crate::tt::Bound;

use super::window::Window;

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
    /// The rank that the endgame tables give the move: a higher one is always preferred.
    pub tb_rank: i32,
    /// The score that the endgame tables give the root after this move.
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

    /// The score to report: the endgame tables' unless the search has found a mate for the same
    /// side.
    pub fn value(&self) -> Score {
        let agrees = |tb_score: &Score| self.score.get().signum() == tb_score.get().signum();
        self.tb_score
            .filter(|tb_score| !self.score.is_mate() || !agrees(tb_score))
            .unwrap_or(self.score)
    }
}
