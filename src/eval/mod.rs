//! The evaluation: two evaluators behind one interface.
//!
//! A neural network ([`nnue`]) if there is one, piece-square tables ([`classical`]) otherwise;
//! either way a lone king is a special case (`endings`). What they return is raw: it depends on the
//! pieces alone, so that the transposition table may keep it. [`faded`] brings in the fifty-move
//! clock, so that the search prefers progress to shuffling.

pub mod classical;
mod endings;
pub mod nnue;

pub use nnue::accumulator::Sums;

use crate::position::{Color, Move, Position};
use crate::score::Score;
use nnue::accumulator::Accumulators;
use nnue::network::Network;

/// The static evaluation of a position that is not in check, for the side to move, computed from
/// scratch: with `network` if there is one, else with the classical evaluation.
pub fn evaluate(network: Option<&Network>, position: &Position) -> Score {
    faded(raw(network, position), position)
}

/// The evaluation before it is scaled or faded: by `network` if there is one, else the classical
/// one.
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

/// Evaluates the positions of a line: with a network if there is one, else with the classical
/// evaluation.
pub struct Evaluator<'a> {
    /// The network's first-layer sums along the line.
    accumulators: Option<Accumulators<'a>>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for a line whose root is the position evaluated at ply 0; `sums` is its memory.
    pub fn new(network: Option<&'a Network>, sums: &'a mut Sums) -> Self {
        Self { accumulators: network.map(|network| Accumulators::new(network, sums)) }
    }

    /// Records the move of `by` (`None` for a null move) from `ply` to the next. It replaces an
    /// earlier move at the same ply and never needs to be undone.
    #[inline]
    pub fn push(&mut self, ply: usize, by: Color, m: Option<Move>) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.push(ply, by, m);
        }
    }

    /// The raw static evaluation, for the side to move, of the position at `ply`, which is not in
    /// check.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        match &mut self.accumulators {
            Some(accumulators) => accumulators.evaluate(position, ply),
            None => classical::evaluate(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions from games of random moves, with a fixed seed.
    pub(super) fn random_positions(count: usize) -> Vec<Position> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut positions = Vec::with_capacity(count);
        let mut position = Position::default();
        while positions.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_insufficient_material() || position.fullmoves() > 150
            {
                position = Position::default();
                continue;
            }
            position = position.play(moves[random.usize(..moves.len())]);
            if !position.is_check() {
                positions.push(position.clone());
            }
        }
        positions
    }

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
