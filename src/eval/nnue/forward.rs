//! From a board to centipawns.

use super::features::Perspective;
use super::network::{Network, QA, QB, Row, bucket};
use super::simd::{accumulate, activate};
use crate::position::Board;

impl Network {
    /// The first layer's sums of a view of `board`, computed from scratch.
    #[must_use]
    pub fn sums(&self, perspective: Perspective, board: &Board) -> Row {
        let mut sums = self.bias.clone();
        accumulate(&mut sums, perspective.inputs(board).map(|input| &self.features[input]), []);
        sums
    }

    /// The output in centipawns for the side to move, given the sums of its own and of the other
    /// side's view and the number of `pieces`, including the kings.
    #[must_use]
    pub fn centipawns(&self, own: &Row, their: &Row, pieces: usize) -> i32 {
        let output = &self.outputs[bucket(pieces)];
        let [own_weights, their_weights] = &output.weights;
        let sum = activate(own, own_weights) + activate(their, their_weights);
        // A network's bounds keep this product within 37 bits, and the quotient within 32.
        let product = i64::from(sum / QA + output.bias) * i64::from(self.scale);
        (product / i64::from(QA * QB)) as i32
    }
}
