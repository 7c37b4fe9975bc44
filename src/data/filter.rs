//! Which positions a network is trained on.
//!
//! A static evaluation is asked for quiet positions, so it is taught on them: the score of a position
//! that a capture is about to change says little about what stands on the board. Source: common
//! practice of network training, e.g. Viridithas and Stormphrax.

use super::format::Sample;

/// Positions before this ply are the opening's random moves and what follows from them.
pub const MIN_PLY: u32 = 16;
/// Greater scores are mates, or as good as that, in centipawns.
pub const MAX_SCORE: u16 = 10_000;

/// A network may learn from this position: out of check and out of the opening, best move neither a
/// capture nor a promotion, score within ±[`MAX_SCORE`].
#[must_use]
pub fn is_quiet(sample: &Sample) -> bool {
    sample.ply >= MIN_PLY
        && sample.score.unsigned_abs() <= MAX_SCORE
        && !sample.best.is_capture()
        && !sample.best.is_promotion()
        && !sample.position.is_check()
}
