//! The rest of a principal variation.
//!
//! Where several workers search, a line ends at a node whose score another worker has already found
//! ([`super::pvs::tt_exact`]). What follows is in the transposition table.

use crate::position::Move;
use crate::tt::Bound;

use super::mode::Mode;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// The line `pv`, from the root, continued by the moves of exact entries up to the depth of the
    /// iteration. It ends at the first position that it would repeat.
    pub fn completed(&self, pv: &[Move]) -> Vec<Move> {
        let mut line = pv.to_vec();
        if !self.is_joint() {
            return line;
        }
        let mut position = self.task.game.position().clone();
        let mut seen = vec![position.key()];
        for &m in pv {
            position = position.play(m);
            seen.push(position.key());
        }
        while line.len() < self.iteration as usize {
            let Some((m, Bound::Exact)) = self.peek(&position, line.len()) else { break };
            position = position.play(m);
            line.push(m);
            if seen.contains(&position.key()) {
                break;
            }
            seen.push(position.key());
        }
        line
    }
}
