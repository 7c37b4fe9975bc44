//! What every algorithm here needs to know of a game.

use std::fmt::Debug;

use crate::score::Score;

/// A position of a two-player zero-sum game of perfect information.
///
/// Every value is from the point of view of the side to move. The first group of methods is the
/// game itself; the second group, with defaults that say "nothing", is the knowledge that
/// heuristics live on.
pub trait Game: Clone {
    /// A move, meaningful in the position that offered it.
    type Move: Copy + Eq + Debug;

    /// How many different numbers [`Game::move_index`] gives.
    const MOVE_INDICES: usize;

    /// The legal moves in their natural order; not empty unless [`Game::terminal`] has a value.
    fn successors(&self) -> Vec<Self::Move>;

    /// The position after a move of [`Game::successors`].
    fn play(&self, m: Self::Move) -> Self;

    /// The value of a finished game at `ply` plies from the root; `None` while the game goes on.
    fn terminal(&self, ply: usize) -> Option<Score>;

    /// The static evaluation.
    fn evaluate(&self) -> Score;

    /// A hash that differs between positions of different value.
    fn key(&self) -> u64;

    /// A small number that names the move wherever it is played: the history table's index.
    fn move_index(m: Self::Move) -> usize;

    /// A static guess of how good the move is; 0 for a quiet move.
    fn promise(&self, _: Self::Move) -> i32 {
        0
    }

    /// A move that a quiescence search has to look at.
    fn is_noisy(&self, _: Self::Move) -> bool {
        false
    }

    /// The side to move has to meet an immediate threat to its king.
    fn in_check(&self) -> bool {
        false
    }

    /// The position after passing, where that is allowed and not better than every move.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// The move takes back what `last`, the move before it, has taken.
    fn is_recapture(&self, _: Self::Move, _last: Self::Move) -> bool {
        false
    }

    /// The move threatens to promote.
    fn threatens_promotion(&self, _: Self::Move) -> bool {
        false
    }
}
