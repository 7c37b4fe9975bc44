//! One training position.

use heddle::eval::nnue::features::{MAX_ACTIVE, Perspective};
use heddle::eval::nnue::network;
use heddle::position::{Board, Color};

/// A position as the network sees it, and the target for its output.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The active inputs in the view of the side to move and in the other side's; only the first
    /// `pieces` are used.
    inputs: [[u16; MAX_ACTIVE]; 2],
    pieces: u8,
    /// The output bucket.
    pub bucket: u8,
    /// The target: the chance of the side to move, from 0 (lost) to 1 (won).
    pub target: f32,
}

impl Sample {
    /// A sample of a `board` with at most [`MAX_ACTIVE`] pieces.
    #[must_use]
    pub fn new(board: &Board, turn: Color, target: f32) -> Self {
        let mut inputs = [[0; MAX_ACTIVE]; 2];
        let mut pieces = 0;
        for (view, color) in [turn, !turn].into_iter().enumerate() {
            let king = board.king_of(color).expect("a training position has both kings");
            pieces = 0;
            Perspective::new(color, king).inputs(board).for_each(|input| {
                inputs[view][pieces] = input as u16;
                pieces += 1;
            });
        }
        let bucket = network::bucket(pieces) as u8;
        Self { inputs, pieces: pieces as u8, bucket, target }
    }

    /// The active inputs in one view: 0 is that of the side to move, 1 the other.
    #[must_use]
    pub fn inputs(&self, view: usize) -> &[u16] {
        &self.inputs[view][..usize::from(self.pieces)]
    }
}
