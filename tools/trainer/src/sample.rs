//! One position to learn from.

use heddle::eval::nnue::features::{MAX_ACTIVE, Perspective};
use heddle::eval::nnue::network;
use heddle::position::{Board, Color};

/// A position as the network sees it, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Inputs that are on, in the view of the side to move and in the other's; the first `pieces`.
    inputs: [[u16; MAX_ACTIVE]; 2],
    pieces: u8,
    /// The second layer that answers.
    pub bucket: u8,
    /// What the network should say: the chance of the side to move, from 0 (lost) to 1 (won).
    pub target: f32,
}

impl Sample {
    /// The sample of a `board` with at most [`MAX_ACTIVE`] pieces, in which the side to move has the
    /// chance `target`.
    #[must_use]
    pub fn new(board: &Board, turn: Color, target: f32) -> Self {
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
        Self { inputs, pieces: pieces as u8, bucket, target }
    }

    /// The inputs that are on in one view: 0 the side to move's, 1 the other's.
    #[must_use]
    pub fn inputs(&self, view: usize) -> &[u16] {
        &self.inputs[view][..usize::from(self.pieces)]
    }
}
