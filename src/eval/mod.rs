//! The evaluation: two evaluators behind one interface.
//!
//! A neural network ([`nnue`]) if there is one, hand-written chess knowledge ([`classical`])
//! otherwise; either way a lone king is a special case (`endings`). What they return is
//! raw: it depends on the pieces alone, so that the transposition table may keep it. [`faded`] brings
//! in the fifty-move clock, so that the search prefers progress to shuffling.

pub mod classical;
mod endings;
mod evaluator;
pub mod nnue;

pub use evaluator::Evaluator;
pub use nnue::accumulator::Sums;

use crate::position::Position;
use crate::score::Score;
use nnue::network::Network;

/// The static evaluation of a position that is not in check, for the side to move, computed from
/// scratch: with `network` if there is one, else with the classical evaluation.
pub fn evaluate(network: Option<&Network>, position: &Position) -> Score {
    faded(raw(network, position), position)
}

/// The evaluation before it is scaled or faded: by `network` if there is one, else the classical one.
pub fn raw(network: Option<&Network>, position: &Position) -> Score {
    match network {
        Some(network) => nnue::evaluate(network, position),
        None => classical::evaluate(position),
    }
}

/// A raw evaluation of `position`, faded by its fifty-move clock.
pub fn faded(raw: Score, position: &Position) -> Score {
    Score::eval(fade(raw.get(), position.halfmove_clock()))
}

/// Fades the score towards a draw as the fifty-move clock runs: by half when it runs out.
fn fade(centipawns: i32, halfmove_clock: u32) -> i32 {
    const HORIZON: i32 = 200;
    centipawns * (HORIZON - halfmove_clock.min(100) as i32) / HORIZON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_evaluation_fades_and_the_raw_one_does_not() {
        let at = |clock: u32| {
            let fen = format!("4k3/8/8/8/8/8/PPP5/4K2R w K - {clock} 80");
            Position::from_fen(&fen).unwrap()
        };
        assert_eq!(classical::evaluate(&at(0)), classical::evaluate(&at(90)));
        let eval = |clock| evaluate(None, &at(clock)).get();
        assert!(eval(0) > eval(30) && eval(30) > eval(90) && eval(90) > 0);
    }

    #[test]
    fn a_score_fades_with_the_fifty_move_clock() {
        assert_eq!(fade(400, 0), 400);
        assert_eq!(fade(-400, 100), -200);
        assert_eq!(fade(400, 5000), 200);
    }
}
