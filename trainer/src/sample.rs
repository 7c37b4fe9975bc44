//! One position to learn from.

use heddle::eval::nnue::features::{MAX_ACTIVE, Perspective};
use heddle::eval::nnue::network;
use heddle::position::{Board, Color};

/// What a network is taught to say: a mixture of three opinions.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Aim {
    /// The weight of the game's result, 0 to 1.
    pub lambda: f32,
    /// The weight of the classical evaluation, 0 to 1 - `lambda`; what remains is that of the score
    /// of the search.
    pub anchor: f32,
    /// Centipawns that an output of one stands for.
    pub scale: f32,
}

/// A position as the network sees it, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Inputs that are on, in the view of the side to move and in the other's; the first `pieces`.
    inputs: [[u16; MAX_ACTIVE]; 2],
    pieces: u8,
    /// The second layer that answers.
    pub bucket: u8,
    /// The score that a search gave, in centipawns for the side to move.
    pub score: i16,
    /// What the classical evaluation says, in centipawns for the side to move; 0 if it was not asked.
    pub eval: i16,
    /// Twice the game's result for the side to move: 0 lost, 1 drawn, 2 won.
    pub result: u8,
}

impl Sample {
    /// The sample of a `board` with at most [`MAX_ACTIVE`] pieces. `score` in centipawns and
    /// `result` (0, 1 or 2) are the side to move's.
    #[must_use]
    pub fn new(board: &Board, turn: Color, score: i16, result: u8) -> Self {
        let mut inputs = [[0; MAX_ACTIVE]; 2];
        let mut pieces = 0;
        for (view, color) in [turn, !turn].into_iter().enumerate() {
            let king = board.king_of(color).expect("a position to learn from has both kings");
            pieces = 0;
            Perspective::new(color, king).inputs(board).for_each(|input| {
                inputs[view][pieces] = input as u16;
                pieces += 1;
            });
        }
        let bucket = network::bucket(pieces) as u8;
        Self { inputs, pieces: pieces as u8, bucket, score, eval: 0, result }
    }

    /// The same sample with the classical evaluation of its position.
    #[must_use]
    pub fn evaluated(self, eval: i16) -> Self {
        Self { eval, ..self }
    }

    /// The inputs that are on in one view: 0 the side to move's, 1 the other's.
    #[must_use]
    pub fn inputs(&self, view: usize) -> &[u16] {
        &self.inputs[view][..usize::from(self.pieces)]
    }

    /// What the network should say, from 0 (lost) to 1 (won).
    #[must_use]
    pub fn target(&self, aim: Aim) -> f32 {
        // The logistic function is the dearest part of it, and most aims leave one out.
        let chance = |weight: f32, score: i16| match weight {
            0.0 => 0.0,
            _ => weight * sigmoid(f32::from(score) / aim.scale),
        };
        aim.lambda * f32::from(self.result) / 2.0
            + chance(aim.anchor, self.eval)
            + chance(1.0 - aim.lambda - aim.anchor, self.score)
    }
}

/// The logistic function.
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;

    use super::*;

    #[test]
    fn the_target_mixes_result_evaluation_and_search() {
        let position = Position::default();
        let sample = Sample::new(position.board(), position.turn(), 400, 2).evaluated(-400);
        let target = |lambda, anchor| sample.target(Aim { lambda, anchor, scale: 400.0 });
        let chance = sigmoid(1.0);
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        close(target(1.0, 0.0), 1.0);
        close(target(0.0, 0.0), chance);
        close(target(0.0, 1.0), 1.0 - chance);
        close(target(0.25, 0.25), 0.25 + 0.25 * (1.0 - chance) + 0.5 * chance);
    }
}
