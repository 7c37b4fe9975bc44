//! The choice between the network and the classical evaluation, made once for each line.

use super::classical;
use super::nnue::accumulator::{Accumulators, Sums};
use super::nnue::network::Network;
use crate::position::{Color, Move, Position};
use crate::score::Score;

/// Evaluates the positions of a line: with a network if there is one, else classically.
pub struct Evaluator<'a> {
    /// The network's first layer along the line.
    accumulators: Option<Accumulators<'a>>,
}

impl<'a> Evaluator<'a> {
    /// For a line whose root is the position evaluated at ply 0; `sums` is the memory for it.
    #[must_use]
    pub fn new(network: Option<&'a Network>, sums: &'a mut Sums) -> Self {
        Self { accumulators: network.map(|network| Accumulators::new(network, sums)) }
    }

    /// Notes the move of `by` (`None` for a null move) that leads from `ply` to the next. It replaces
    /// an earlier one at the same ply, and is never taken back.
    #[inline]
    pub fn push(&mut self, ply: usize, by: Color, m: Option<Move>) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.push(ply, by, m);
        }
    }

    /// The static evaluation of the position at `ply`, which is not in check, for the side to move.
    #[inline]
    #[must_use]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        match &mut self.accumulators {
            Some(accumulators) => accumulators.evaluate(position, ply),
            None => classical::evaluate(position),
        }
    }
}
