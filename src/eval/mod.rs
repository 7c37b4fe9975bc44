//! The evaluation: two evaluators behind one interface.
//!
//! A neural network ([`nnue`]) if there is one, hand-written chess knowledge ([`classical`])
//! otherwise. Both finish the same way: a lone king is a special case ([`classical::lone_king`]),
//! and the score fades as the fifty-move clock runs, so that the search prefers progress to
//! shuffling.

pub mod classical;
mod evaluator;
pub mod nnue;

pub use evaluator::Evaluator;
pub use nnue::accumulator::Sums;

use crate::position::Position;
use crate::score::Score;
use nnue::network::Network;

/// The static evaluation of a position that is not in check, for the side to move, computed from
/// scratch: with `network` if there is one, else with the classical evaluation.
#[must_use]
pub fn evaluate(network: Option<&Network>, position: &Position) -> Score {
    match network {
        Some(network) => nnue::evaluate(network, position),
        None => classical::evaluate(position),
    }
}

/// The score for an evaluation of `centipawns`, faded by the fifty-move clock.
fn finished(centipawns: i32, position: &Position) -> Score {
    Score::eval(fade(centipawns, position.halfmove_clock()))
}

/// Fades the score towards a draw as the fifty-move clock runs: by half when it runs out.
fn fade(centipawns: i32, halfmove_clock: u32) -> i32 {
    const HORIZON: i32 = 200;
    centipawns * (HORIZON - halfmove_clock.min(100) as i32) / HORIZON
}

#[cfg(test)]
mod tests {
    use super::fade;

    #[test]
    fn a_score_fades_with_the_fifty_move_clock() {
        assert_eq!(fade(400, 0), 400);
        assert_eq!(fade(-400, 100), -200);
        assert_eq!(fade(400, 5000), 200);
    }
}
