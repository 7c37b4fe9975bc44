//! An efficiently updatable neural network (Y. Nasu, 2018), trained on positions of the engine's
//! own games and of others, with the scores of a larger network (`nets/README.md`).
//!
//! [`features`] and [`further`] define the inputs, [`network`] the weights, [`head`] those of the
//! small layers, [`forward`] the computation. A search keeps the first layer's sums in an
//! [`accumulator`]; [`evaluate`] computes them from scratch. [`eval_file`] selects where a network
//! comes from.

pub mod accumulator;
pub mod attacked;
pub mod eval_file;
pub mod features;
pub mod forward;
pub mod further;
pub mod head;
pub mod mobility;
pub mod network;
pub mod pawn_sums;
pub mod pawns;
mod random;
mod row;
pub mod simd;

#[cfg(test)]
mod tests;

use features::Perspective;
use network::{Network, Row, Seeing, View};

use crate::position::{ByColor, Position};
use crate::score::Score;

use super::endings::lone_king;

/// The raw static evaluation by `network` of a position that is not in check, for the side to move,
/// computed from scratch.
pub fn evaluate(network: &Network, position: &Position) -> Score {
    let [own, their] = views(position).map(|view| network.sums(view, position.board()));
    judge(network, position, [&own, &their], &pawn_sums::sums(network, position))
}

/// How the side to move and the other side see the board.
fn views(position: &Position) -> [Perspective; 2] {
    let turn = position.turn();
    [turn, !turn].map(|color| Perspective::new(color, position.king(color)))
}

/// The evaluation, given the first layer's sums of the side to move and of the other side, without
/// those of further inputs, and the sums of the pawns' further inputs by color of the view.
fn judge(
    network: &Network,
    position: &Position,
    sums: [&Row; 2],
    pawns: &ByColor<Seeing>,
) -> Score {
    let centipawns = lone_king(position).unwrap_or_else(|| {
        let views = views(position);
        let mut seeing = [0, 1].map(|i| Seeing::of(sums[i]).plus(pawns.get(views[i].color)));
        let attacks = further::attacks(position.board(), views);
        network.simd.add_further(&mut seeing, &network.further, &attacks);
        let views = [0, 1].map(|i| View { seeing: &seeing[i], others: sums[i] });
        network.centipawns(views, position.occupied().count())
    });
    Score::eval(centipawns)
}
