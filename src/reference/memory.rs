//! Memory: how a search uses the transposition table.
//!
//! Texts: lecture notes "Transposition Table"; P. Verhelst, "Chess Tree Search", 1997,
//! *Transposition table*; a TalkChess post of October 2024 on what to store after failing high or
//! low.
//!
//! Contract: a stored value is the exact value of the position searched to the stored depth, or a
//! lower or upper bound of it. It replaces a search only if its depth suffices and it is exact, a
//! lower bound of at least beta, or an upper bound of at most alpha. The table changes values only
//! where a position's value depends on more than its key (repetitions), or where a deeper entry
//! stands in for a shallower search.

use super::node::Node;
pub use super::table::{DepthRule, Entry, Policy, Table, TableOptions};
use super::{Bound, Found, Game, Window};

/// The transposition table as a search uses it.
pub struct Memory<M> {
    table: Table<M>,
    depth_rule: DepthRule,
}

impl<M: Copy + PartialEq> Memory<M> {
    /// An empty table.
    #[must_use]
    pub fn new(options: TableOptions) -> Self {
        Self { table: Table::new(options), depth_rule: options.depth_rule }
    }

    /// The stored value, if it settles the search with this window. Never at the root, which has to
    /// come up with a move.
    pub fn cutoff<G: Game<Move = M>>(
        &mut self,
        node: &Node<G>,
        window: Window,
    ) -> Option<Found<M>> {
        let entry = self.lookup(node).filter(|_| node.ply > 0)?;
        let answers = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= window.beta,
            Bound::Upper => entry.value <= window.alpha,
        };
        answers.then(|| Found::without_line(entry.value))
    }

    /// The node's entry, if its depth suffices.
    pub fn lookup<G: Game<Move = M>>(&mut self, node: &Node<G>) -> Option<Entry<M>> {
        let entry = self.table.probe(node.game.key())?;
        let sufficient = match self.depth_rule {
            DepthRule::AtLeast => entry.depth >= node.depth,
            DepthRule::Equal => entry.depth == node.depth,
        };
        sufficient.then(|| from_root(entry, node))
    }

    /// The node's entry at any depth; does not count as a use for LRU replacement.
    #[must_use]
    pub fn peek<G: Game<Move = M>>(&self, node: &Node<G>) -> Option<Entry<M>> {
        self.table.peek(node.game.key()).map(|entry| from_root(entry, node))
    }

    /// Stores the result of searching the node with this window.
    pub fn store<G: Game<Move = M>>(&mut self, node: &Node<G>, window: Window, found: &Found<M>) {
        self.table.store(Entry {
            key: node.game.key(),
            depth: node.depth,
            bound: window.bound(found.value),
            value: found.value.to_table(node.ply),
            best_move: found.line.first(),
        });
    }
}

/// The entry with mate scores counted from the root.
fn from_root<G: Game>(entry: Entry<G::Move>, node: &Node<G>) -> Entry<G::Move> {
    Entry { value: entry.value.from_table(node.ply), ..entry }
}
