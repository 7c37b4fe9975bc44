//! A search with memory: what the transposition table answers and keeps.
//!
//! Texts: lecture notes "Transposition Table"; P. Verhelst, "Chess Tree Search", 1997,
//! *Transposition table*; a TalkChess post of October 2024 on what failing high and low leave to be
//! stored.
//!
//! Contract: a stored value is exact, a lower or an upper bound of the position searched to the
//! stored depth. It ends a search only from a sufficient depth and if it is exact, a lower bound of
//! at least beta, or an upper bound of at most alpha. Values change only where the game's value
//! depends on more than its key (repetitions), or a deeper entry stands in for a shallower search.

use super::node::Node;
pub use super::table::{DepthRule, Entry, Policy, Table, TableOptions};
use super::{Bound, Found, Game, Window};

/// The transposition table of a search.
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

    /// The stored value, if it answers the question that `window` asks. The root is searched all the
    /// same, for a move is wanted.
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

    /// The entry of a node from a sufficient depth.
    pub fn lookup<G: Game<Move = M>>(&mut self, node: &Node<G>) -> Option<Entry<M>> {
        let entry = self.table.probe(node.game.key())?;
        let sufficient = match self.depth_rule {
            DepthRule::AtLeast => entry.depth >= node.depth,
            DepthRule::Equal => entry.depth == node.depth,
        };
        sufficient.then(|| from_root(entry, node))
    }

    /// The entry of a node from any depth, without counting as a use.
    #[must_use]
    pub fn peek<G: Game<Move = M>>(&self, node: &Node<G>) -> Option<Entry<M>> {
        self.table.peek(node.game.key()).map(|entry| from_root(entry, node))
    }

    /// Keeps what a search has found.
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

/// The entry with its mates counted from the root.
fn from_root<G: Game>(entry: Entry<G::Move>, node: &Node<G>) -> Entry<G::Move> {
    Entry { value: entry.value.from_table(node.ply), ..entry }
}
