//! The transposition table as one worker sees it.
//!
//! Every access goes through here, so that a census can count it. Without one the cost is one test.

use crate::position::{Move, PackedMove, Position};
use crate::tt::Entry;

use super::mode::Mode;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// What the transposition table knows of `position`, `ply` plies from the root.
    #[inline]
    pub fn probe(&self, position: &Position, ply: usize) -> Option<Entry> {
        let table = &self.shared.table;
        match &self.shared.census {
            None => table.probe(position.key(), ply),
            Some(census) => census.probe(self.index, table, position.key(), ply),
        }
    }

    /// Stores what was found of `position`, `ply` plies from the root.
    #[inline]
    pub fn store(&self, position: &Position, ply: usize, entry: Entry) {
        let table = &self.shared.table;
        match &self.shared.census {
            None => table.store(position.key(), ply, entry),
            Some(census) => census.store(self.index, table, position.key(), ply, entry),
        }
    }

    /// The move of an entry found for `position`, if it is legal there: the move of a wrong entry
    /// may not be.
    #[inline]
    pub fn tt_move(&self, position: &Position, entry: Entry) -> Option<Move> {
        let legal = entry.best.unpack(position);
        if legal.is_none()
            && entry.best != PackedMove::NONE
            && let Some(census) = &self.shared.census
        {
            census.note_illegal(self.index);
        }
        legal
    }
}
