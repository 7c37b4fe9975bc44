//! The rest of a principal variation.
//!
//! Where several workers search, a line ends at a node whose score another worker has already found
//! ([`super::pvs::tt_exact`]). What follows is in the transposition table.

use crate::position::{Game, Move, is_repetition};
use crate::tt::Bound;

use super::mode::Mode;
use super::worker::{Search, is_drawn_by_rule};

impl<M: Mode> Search<'_, M> {
    /// The line `pv`, from the root, continued by the moves of exact entries up to the depth of the
    /// iteration. It ends at the first position that the search scores as drawn.
    pub fn completed(&self, pv: &[Move]) -> Vec<Move> {
        let mut line = pv.to_vec();
        if !self.is_joint() {
            return line;
        }
        let mut game = self.task.game.clone();
        let root = game.keys().len();
        pv.iter().for_each(|&m| game.play(m));
        let is_drawn = |game: &Game| {
            is_repetition(game.keys(), root, game.position()) || is_drawn_by_rule(game.position())
        };
        while line.len() < self.iteration as usize && !is_drawn(&game) {
            let Some((m, Bound::Exact)) = self.peek(game.position(), line.len()) else { break };
            game.play(m);
            line.push(m);
        }
        line
    }
}
