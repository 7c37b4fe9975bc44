//! What the algorithms need to know about a game.

use std::fmt::Debug;

use heddle::score::Score;

/// A position of a two-player zero-sum game of perfect information.
///
/// Every value is from the point of view of the side to move. The required methods define the game;
/// the optional ones are hints for the heuristics, and their defaults give no hint.
pub trait Game: Clone {
    /// A move, meaningful in the position that offered it.
    type Move: Copy + Eq + Debug;

    /// One more than the greatest [`Game::move_index`].
    const MOVE_INDICES: usize;

    /// The legal moves in their natural order; empty only if [`Game::terminal`] returns a value.
    fn successors(&self) -> Vec<Self::Move>;

    /// The position after one of [`Game::successors`].
    #[must_use]
    fn play(&self, m: Self::Move) -> Self;

    /// The value of a finished game at `ply` plies from the root; `None` while the game goes on.
    fn terminal(&self, ply: usize) -> Option<Score>;

    /// The static evaluation.
    fn evaluate(&self) -> Score;

    /// A hash of the position; positions of different value have different keys.
    fn key(&self) -> u64;

    /// The move's index in the history counters, the same in every position.
    fn move_index(m: Self::Move) -> usize;

    /// A static estimate of how good the move is; 0 for a quiet move.
    fn promise(&self, _: Self::Move) -> i32 {
        0
    }

    /// Whether a quiescence search has to look at the move.
    fn is_noisy(&self, _: Self::Move) -> bool {
        false
    }

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool {
        false
    }

    /// The position after passing; `None` where passing is illegal or likely to be the best move.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Whether the move captures the piece that has just captured with the move `last`.
    fn is_recapture(&self, _: Self::Move, _last: Self::Move) -> bool {
        false
    }

    /// Whether the move threatens to promote.
    fn threatens_promotion(&self, _: Self::Move) -> bool {
        false
    }
}
