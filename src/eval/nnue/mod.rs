//! An efficiently updatable neural network (Y. Nasu, 2018), trained on the engine's own games.
//!
//! [`features`] and [`threatened`] define the inputs, [`network`] the weights, [`forward`] the computation. A search
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
pub mod threatened;

#[cfg(test)]
mod tests;

use arrayvec::ArrayVec;

use features::Perspective;
use network::{Network, Row, Seeing, ThreatRow, View};
use threatened::{MAX_THREATENED, each_threatened};

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

/// The evaluation, given the first layer's sums of the side to move and of the other side, without those of threatened
/// pieces.
fn judge(network: &Network, position: &Position, own: &Row, their: &Row) -> Score {
    let centipawns = lone_king(position).unwrap_or_else(|| {
        let turn = position.turn();
        let views = [turn, !turn].map(|color| Perspective::new(color, position.king(color)));
        let mut rows = [const { ArrayVec::<&ThreatRow, MAX_THREATENED>::new_const() }; 2];
        each_threatened(position.board(), |piece| {
            for (rows, view) in rows.iter_mut().zip(views) {
                rows.push(&network.threatened[view.threatened_input(piece)]);
            }
        });
        let [own_seeing, their_seeing] =
            [(own, &rows[0]), (their, &rows[1])].map(|(sums, rows)| {
                let mut seeing = Seeing::of(sums);
                network.simd.add_threats(&mut seeing, rows);
                seeing
            });
        let views = [
            View { seeing: &own_seeing, others: own },
            View { seeing: &their_seeing, others: their },
        ];
        network.centipawns(views, position.occupied().count())
    });
    Score::eval(centipawns)
}
