//! The transposition table as one worker sees it.
//!
//! Every access goes through here, so that a census can count those of the search and others can listen to
//! what is stored. Without either the cost is one test.

use crate::position::{Move, PackedMove, Position};
use crate::tt::{Bound, Entry};

use super::mode::Mode;
use super::node::Node;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// The transposition table's entry for a node.
    #[inline]
    pub fn probe(&self, node: &Node<'_>) -> Option<Entry> {
        let key = node.position.key();
        self.observe_probe(key);
        match &self.run.census {
            None => self.table.probe(key, node.ply),
            Some(census) => census.probe(self.index, self.table, key, node.ply),
        }
    }

    /// The move and the bound that the transposition table has for `position`, if the move is legal there.
    /// For lines that are shown: it is no access of the search, so no census counts it.
    pub fn peek(&self, position: &Position, ply: usize) -> Option<(Move, Bound)> {
        let entry = self.table.probe(position.key(), ply)?;
        let (_, bound) = entry.score?;
        Some((entry.best.unpack(position)?, bound))
    }

    /// Stores the entry of a node.
    #[inline]
    pub fn store(&mut self, node: &Node<'_>, entry: Entry) {
        if self.is_watched {
            return self.store_watched(node, entry);
        }
        let key = node.position.key();
        let is_stored = self.table.store(key, node.ply, entry);
        self.observe_store(key, is_stored);
    }

    /// The same where a census counts or somebody listens.
    #[cold]
    fn store_watched(&mut self, node: &Node<'_>, entry: Entry) {
        let (key, ply) = (node.position.key(), node.ply);
        let is_stored = match &self.run.census {
            None => self.table.store(key, ply, entry),
            Some(census) => census.store(self.index, self.table, key, ply, entry),
        };
        self.observe_store(key, is_stored);
        if let Some(on_store) = &mut self.on_store
            && entry.score.is_some()
        {
            on_store(self.table.packet(key, ply, &entry));
        }
    }

    /// The move of an entry found for `position`, if it is legal there: the move of a wrong entry
    /// may not be.
    #[inline]
    pub fn tt_move(&self, position: &Position, entry: Entry) -> Option<Move> {
        let legal = entry.best.unpack(position);
        if legal.is_none()
            && entry.best != PackedMove::NONE
            && let Some(census) = &self.run.census
        {
            census.note_illegal(self.index);
        }
        legal
    }
}
