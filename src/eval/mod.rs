//! The evaluation: two evaluators behind one face.
//!
//! A neural network ([`nnue`]) where there is one, chess knowledge written by hand ([`classical`])
//! where there is none. Both end alike: a lone king is a case of its own ([`classical::lone_king`]),
//! and the score fades as the fifty-move clock runs, so that a search that can only shuffle prefers
//! to make progress.

pub mod classical;
mod evaluator;
pub mod nnue;

pub use evaluator::Evaluator;
pub use nnue::accumulator::Sums;

use crate::position::Position;
use crate::score::Score;
use nnue::network::Network;

/// The static evaluation of a position that is not in check, for the side to move, with nothing kept
/// from an earlier one: by `network` if there is one, else classical.
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

/// Takes the score towards a draw as the fifty-move clock runs: by half when it runs out.
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
