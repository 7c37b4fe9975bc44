//! Chooses between the network and the classical evaluation, once per line.

use super::classical;
use super::nnue::accumulator::{Accumulators, Sums};
use super::nnue::network::Network;
use crate::position::{Color, Move, Position};
use crate::score::Score;

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
