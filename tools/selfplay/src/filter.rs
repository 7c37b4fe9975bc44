//! Selects the positions that a network is trained on.
//!
//! The search evaluates quiet positions, so the network learns from those: when a capture is about
//! to change the score, the score says little about the position on the board. Source: common
//! practice in network training, e.g. Viridithas and Stormphrax.

use heddle::score::Score;

use crate::format::ScoredPosition;

/// Earlier positions are excluded: they belong to the random opening.
pub const MIN_PLY: u32 = 8;
/// Positions with larger scores are as good as won, in centipawns.
pub const MAX_SCORE: u16 = 10_000;
/// The score of a position that a teacher could not score: no filter lets it pass.
pub const UNSCORED: Score = Score::new(i16::MAX as i32);

/// Whether a network may learn from this position: it is out of check and past the opening, its
/// best move is neither a capture nor a promotion, and its score lies within ±[`MAX_SCORE`].
#[must_use]
pub fn is_quiet(scored: &ScoredPosition) -> bool {
    scored.ply >= MIN_PLY
        && scored.score.unsigned_abs() <= MAX_SCORE
        && !scored.best.is_capture()
        && !scored.best.is_promotion()
        && !scored.position.is_check()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameResult;
    use heddle::position::Position;

    fn passes(fen: &str, best: &str, score: i16) -> bool {
        let position = Position::from_fen(fen).unwrap();
        let best = position.parse_move(best).unwrap();
        let ply = position.game_ply();
        is_quiet(&ScoredPosition {
            position: &position,
            best,
            score,
            result: GameResult::Draw,
            ply,
        })
    }

    #[test]
    fn only_quiet_positions_pass() {
        let fen = "4k3/P7/8/3p4/4P3/8/8/4K3 w - - 0 5";
        assert!(passes(fen, "e1e2", 55));
        assert!(!passes(fen, "e4d5", 55), "a capture");
        assert!(!passes(fen, "a7a8n", 55), "a promotion");
        assert!(!passes("4k3/8/8/8/4P3/8/8/r3K3 w - - 0 5", "e1e2", 55), "check");
        assert!(!passes(&fen.replace(" 5", " 4"), "e1e2", 55), "the opening");
        assert!(passes(fen, "e1e2", -10_000) && passes(fen, "e1e2", 10_000));
        assert!(!passes(fen, "e1e2", -10_001) && !passes(fen, "e1e2", i16::MIN));
    }
}
