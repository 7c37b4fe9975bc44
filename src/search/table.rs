//! The transposition table as one worker sees it.
//!
//! Every access goes through here, for a census to count it. Without one this costs the test for it.

use crate::position::{Move, PackedMove, Position};
use crate::tt::Entry;

use super::mode::Mode;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// What the table knows of `position`, `ply` plies from the root.
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
    pub fn record(&self, position: &Position, ply: usize, entry: Entry) {
        let table = &self.shared.table;
        match &self.shared.census {
            None => table.store(position.key(), ply, entry),
            Some(census) => census.store(self.index, table, position.key(), ply, entry),
        }
    }

    /// The move of an entry that was found for `position`, unless it is not legal there, which a
    /// wrong entry's need not be.
    #[inline]
    pub fn table_move(&self, position: &Position, entry: Entry) -> Option<Move> {
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
