//! From a board to centipawns.

use arrayvec::ArrayVec;

use super::features::{MAX_PIECES, Perspective};
use super::network::{Network, QA, QB, Row, View, bucket};
use super::row::Active;
use crate::position::Board;

impl Network {
    /// The first layer's sums of a view of `board`, without those of further inputs, computed from
    /// scratch.
    pub fn sums(&self, perspective: Perspective, board: &Board) -> Row {
        let mut sums = self.bias.clone();
        let rows = perspective.inputs(board).map(|input| &self.features[input]);
        let rows: ArrayVec<&Row, MAX_PIECES> = rows.collect();
        self.simd.accumulate(&mut sums, &rows, &[]);
        sums
    }

    /// The output in centipawns for the side to move, given its own and the other
    /// side's view and the number of `pieces`, including the kings.
    pub fn centipawns(&self, views: [View<'_>; 2], pieces: usize) -> i32 {
        let output = &self.outputs[bucket(pieces)];
        let mut active = Active::default();
        // Half of the sum, since the squares are halved.
        let half = i64::from(self.simd.activate(views, &output.weights, &mut active));
        // A network's bounds keep this product within 37 bits, and the quotient within 32.
        let product = (2 * half / i64::from(QA) + i64::from(output.bias)) * i64::from(self.scale);
        let direct = (product / i64::from(QA * QB)) as i32;
        let more = self.simd.head(&output.head, &active) * self.scale as f32;
        direct.saturating_add(more as i32)
    }
}
