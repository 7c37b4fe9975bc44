//! One training position.

use heddle::eval::nnue::features::MAX_ACTIVE;
use heddle::eval::nnue::network;

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
    /// The share of the evaluation that the search counts: it fades with the material and the fifty-move clock.
    pub fade: f32,
}

impl Sample {
    /// A sample of N `pieces`, with their inputs in either view.
    pub(crate) fn of(
        inputs: [[u16; MAX_ACTIVE]; 2],
        pieces: usize,
        target: f32,
        fade: f32,
    ) -> Self {
        let bucket = network::bucket(pieces) as u8;
        Self { inputs, pieces: pieces as u8, bucket, target, fade }
    }

    /// The active inputs in one view: 0 is that of the side to move, 1 the other.
    #[must_use]
    pub fn inputs(&self, view: usize) -> &[u16] {
        &self.inputs[view][..usize::from(self.pieces)]
    }
}
