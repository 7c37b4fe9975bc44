//! Scores: centipawns, tablebase results and mates on one scale.
//!
//! A [`Score`] is always from the side to move's point of view. From the middle outwards the scale
//! holds evaluations (`|s| <= MAX_EVAL`), tablebase wins and losses, and mates. The last two lose
//! one point per ply, so a quicker win has the higher score.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Search depth in plies.
pub type Depth = i32;

/// The greatest distance from the root that a search may reach, in plies.
pub const MAX_PLY: usize = 240;

/// The value of a node: in centipawns, or as the distance to a mate or a tablebase win.
#[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// Mate on the board, for the side that gave it.
    pub const MATE: Self = Self(32_000);
    /// Greater than every score that a search returns.
    pub const INFINITE: Self = Self(32_001);
    /// A tablebase win at the root.
    pub const TABLEBASE_WIN: Self = Self(31_000);
    /// The greatest evaluation: any score above it is proved.
    pub const MAX_EVAL: Self = Self(30_000);

    /// The least score of a mate delivered within [`MAX_PLY`].
    const MATE_BOUND: Self = Self(Self::MATE.0 - MAX_PLY as i32);

    /// A score of `centipawns`, which the caller keeps within ±[`Score::INFINITE`].
    pub const fn new(centipawns: i32) -> Self {
        Self(centipawns)
    }

    /// An evaluation of `centipawns`, clamped to ±[`Score::MAX_EVAL`].
    pub fn eval(centipawns: i32) -> Self {
        Self(centipawns.clamp(-Self::MAX_EVAL.0, Self::MAX_EVAL.0))
    }

    /// The raw number on the scale.
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The side to move mates at `ply` plies from the root.
    pub const fn mate_in(ply: usize) -> Self {
        Self(Self::MATE.0 - ply as i32)
    }

    /// The side to move is mated at `ply` plies from the root.
    pub const fn mated_in(ply: usize) -> Self {
        Self(ply as i32 - Self::MATE.0)
    }

    /// The side to move reaches a tablebase win at `ply` plies from the root.
    pub const fn tablebase_win_in(ply: usize) -> Self {
        Self(Self::TABLEBASE_WIN.0 - ply as i32)
    }

    /// Whether this is a mate, given or suffered.
    pub fn is_mate(self) -> bool {
        self.abs() >= Self::MATE_BOUND
    }

    /// Whether this is a proved win or loss: a mate or a tablebase result.
    pub fn is_decisive(self) -> bool {
        self.abs() > Self::MAX_EVAL
    }

    /// Whether this is a proved win for the side to move.
    pub fn is_win(self) -> bool {
        self > Self::MAX_EVAL
    }

    /// Whether this is a proved loss for the side to move.
    pub fn is_loss(self) -> bool {
        self < -Self::MAX_EVAL
    }

    /// Plies from the root to the mate on the board; `None` if the score is not a mate.
    pub fn mate_ply(self) -> Option<usize> {
        self.is_mate().then(|| (Self::MATE.0 - self.0.abs()).max(0) as usize)
    }

    /// Full moves to mate, negative when the side to move gets mated; `None` if the score is not a
    /// mate.
    pub fn mate_moves(self) -> Option<i32> {
        let plies = Self::MATE.0 - self.0.abs();
        self.is_mate().then(|| if self.0 > 0 { (plies + 1) / 2 } else { -plies / 2 })
    }

    /// The absolute value.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// Converts from root-relative to node-relative at `ply`, as stored in the transposition table.
    #[must_use]
    pub fn to_table(self, ply: usize) -> Self {
        self.shift(ply as i32)
    }

    /// Converts from node-relative, as stored in the transposition table, to root-relative at
    /// `ply`.
    #[must_use]
    pub fn from_table(self, ply: usize) -> Self {
        self.shift(-(ply as i32))
    }

    /// Moves a proved score away from zero by `plies`; it stays proved and within the scale.
    fn shift(self, plies: i32) -> Self {
        if self.is_win() {
            Self((self.0 + plies).clamp(Self::MAX_EVAL.0 + 1, Self::MATE.0))
        } else if self.is_loss() {
            Self((self.0 - plies).clamp(-Self::MATE.0, -Self::MAX_EVAL.0 - 1))
        } else {
            self
        }
    }
}

impl Neg for Score {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;
    fn add(self, centipawns: i32) -> Self {
        Self(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Self;
    fn sub(self, centipawns: i32) -> Self {
        Self(self.0 - centipawns)
    }
}

impl Sub for Score {
    type Output = i32;
    fn sub(self, other: Self) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_moves() {
            Some(moves) => write!(f, "#{moves}"),
            None => write!(f, "{}cp", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Score::mate_in(1).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(3).mate_moves(), Some(2));
        assert_eq!(Score::mated_in(0).mate_moves(), Some(0));
        assert_eq!(Score::mated_in(2).mate_moves(), Some(-1));
        assert_eq!(Score::MAX_EVAL.mate_moves(), None);
        assert_eq!(Score::TABLEBASE_WIN.mate_moves(), None);
    }

    #[test]
    fn a_stored_score_comes_back_at_another_ply() {
        let found = Score::mate_in(9);
        assert_eq!(found.to_table(4).from_table(4), found);
        assert_eq!(found.to_table(4).from_table(6), Score::mate_in(11));
        assert_eq!(Score::new(57).to_table(9), Score::new(57));
        assert!((-Score::TABLEBASE_WIN).to_table(MAX_PLY).is_loss());
        assert!(!(Score::TABLEBASE_WIN).to_table(MAX_PLY).is_mate());
    }
}
