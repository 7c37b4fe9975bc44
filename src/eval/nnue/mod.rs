//! An efficiently updatable neural network (Y. Nasu, 2018), trained on the engine's own games.
//!
//! [`features`] defines the inputs, [`network`] the weights, [`forward`] the computation. A search
//! keeps the first layer's sums in an [`accumulator`]; [`evaluate`] computes them from scratch.
//! [`eval_file`] selects where a network comes from.

pub mod accumulator;
pub mod eval_file;
pub mod features;
pub mod forward;
pub mod network;
mod random;
mod row;
pub mod simd;

#[cfg(test)]
mod tests;

use features::Perspective;
use network::{Network, Row};

use crate::position::Position;
use crate::score::Score;

use super::endings::lone_king;

/// The raw static evaluation by `network` of a position that is not in check, for the side to move,
/// computed from scratch.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    let sums =
        |color| network.sums(Perspective::new(color, position.king(color)), position.board());
    let turn = position.turn();
    judge(network, position, &sums(turn), &sums(!turn))
}

/// The evaluation, given the first layer's sums of the side to move and of the other side.
fn judge(network: &Network, position: &Position, own: &Row, their: &Row) -> Score {
    let centipawns = lone_king(position)
        .unwrap_or_else(|| network.centipawns(own, their, position.occupied().count()));
    Score::eval(centipawns)
}
