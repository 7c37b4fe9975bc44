//! One training position.

use arrayvec::ArrayVec;
use heddle::eval::nnue::features::MAX_PIECES;
use heddle::eval::nnue::further::MAX_FURTHER;
use heddle::eval::nnue::network;

/// A position as the network sees it, and the target for its output.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The pieces' inputs in the view of the side to move and in the other side's.
    placed: [Placed; 2],
    /// Likewise the further inputs.
    further: [Active; 2],
    /// The output bucket.
    pub bucket: u8,
    /// The target: the chance of the side to move, from 0 (lost) to 1 (won).
    pub target: f32,
    /// The share of the evaluation that the search counts: it fades with the material and the
    /// fifty-move clock.
    pub fade: f32,
}

/// The inputs of the pieces in one view.
pub type Placed = ArrayVec<u16, MAX_PIECES>;
/// The further inputs in one view.
pub type Active = ArrayVec<u16, MAX_FURTHER>;

impl Sample {
    /// A sample with these inputs in either view.
    pub(crate) fn of(placed: [Placed; 2], further: [Active; 2], target: f32, fade: f32) -> Self {
        let bucket = network::bucket(placed[0].len()) as u8;
        Self { placed, further, bucket, target, fade }
    }

    /// The pieces' inputs in one view: 0 is that of the side to move, 1 the other.
    #[must_use]
    pub fn placed(&self, view: usize) -> &[u16] {
        &self.placed[view]
    }

    /// The further inputs in one view.
    #[must_use]
    pub fn further(&self, view: usize) -> &[u16] {
        &self.further[view]
    }
}

/// A middlegame and an endgame.
#[cfg(test)]
pub(crate) fn examples() -> [Sample; 2] {
    use crate::packed::PackedSample;
    use heddle::position::Position;

    [
        "r1bqk2r/ppp2ppp/2n2n2/2bpp3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6",
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1",
    ]
    .map(|fen| PackedSample::new(&Position::from_fen(fen).unwrap(), 0.5).unpack())
}
