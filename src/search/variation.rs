//! The rest of a principal variation.
//!
//! Where several workers search, a line ends at a node whose score another worker has already found
//! ([`super::pvs::tt_exact`]). What follows is in the transposition table.

use crate::position::{Move, is_repetition};
use crate::tt::Bound;

use super::mode::Mode;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// The line `pv`, from the root, continued by the moves of exact entries up to the depth of the
    /// iteration. It ends at the first position that the search scores as a repetition.
    pub fn completed(&self, pv: &[Move]) -> Vec<Move> {
        let mut line = pv.to_vec();
        if !self.is_joint() {
            return line;
        }
        let mut game = self.task.game.clone();
        let root = game.keys().len();
        pv.iter().for_each(|&m| game.play(m));
        while line.len() < self.iteration as usize
            && !is_repetition(game.keys(), root, game.position())
        {
            let Some((m, Bound::Exact)) = self.peek(game.position(), line.len()) else { break };
            game.play(m);
            line.push(m);
        }
        line
    }
}
