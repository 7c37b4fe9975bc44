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

use super::counts::Counts;
use super::node::Node;
pub use super::table::{CutoffRule, DepthRule, Entry, Policy, Table, TableOptions};
use super::{Bound, Found, Game, Window};
use heddle::score::Score;

/// The transposition table as a search uses it.
pub struct Memory<M> {
    table: Table<M>,
    options: TableOptions,
}

impl<M: Copy + PartialEq> Memory<M> {
    /// An empty table.
    pub fn new(options: TableOptions) -> Self {
        Self { table: Table::new(options), options }
    }

    /// The stored value, if it settles the search with this window. Never at the root, which has to
    /// come up with a move.
    pub fn cutoff<G: Game<Move = M>>(
        &mut self,
        node: &Node<G>,
        window: Window,
        counts: &mut Counts,
    ) -> Option<Found<M>> {
        if node.ply == 0 {
            return None;
        }
        counts.probes += 1;
        let entry = self.lookup(node)?;
        counts.hits += 1;
        let value = entry.settles(window, self.options.cutoff_rule)?;
        counts.cutoffs += 1;
        Some(Found::without_line(value))
    }

    /// The window to search instead of `window`, and the move that is known to reach its alpha.
    pub fn narrowed<G: Game<Move = M>>(
        &mut self,
        node: &Node<G>,
        window: Window,
    ) -> (Window, Option<M>) {
        let entry = self.options.narrows_window.then(|| self.lookup(node)).flatten();
        let Some(entry) = entry.filter(|e| e.lower < window.beta && e.upper > window.alpha) else {
            return (window, None);
        };
        let narrowed = Window::new(window.alpha.max(entry.lower), window.beta.min(entry.upper));
        // An exact value leaves nothing to search for, but the root has to come up with a move.
        if narrowed.alpha < narrowed.beta { (narrowed, entry.best_move) } else { (window, None) }
    }

    /// The node's entry, if its depth suffices.
    pub fn lookup<G: Game<Move = M>>(&mut self, node: &Node<G>) -> Option<Entry<M>> {
        let entry = self.table.probe(node.game.key())?;
        let sufficient = match self.options.depth_rule {
            DepthRule::AtLeast => entry.depth >= node.depth,
            DepthRule::Equal => entry.depth == node.depth,
        };
        sufficient.then(|| from_root(entry, node))
    }

    /// The node's entry at any depth; does not count as a use for LRU replacement.
    pub fn peek<G: Game<Move = M>>(&self, node: &Node<G>) -> Option<Entry<M>> {
        self.table.peek(node.game.key()).map(|entry| from_root(entry, node))
    }

    /// Stores the result of searching the node with this window. A search that failed low has no
    /// best move, so it does not displace the one that is known; nor does one that proves less than
    /// is known.
    pub fn store<G: Game<Move = M>>(&mut self, node: &Node<G>, window: Window, found: &Found<M>) {
        let key = node.game.key();
        let old = self.table.peek(key);
        let bound = window.bound(found.value);
        let value = found.value.to_table(node.ply);
        let mut lower = if bound == Bound::Upper { Window::FULL.alpha } else { value };
        let mut upper = if bound == Bound::Lower { Window::FULL.beta } else { value };
        if let Some(old) = old.filter(|old| self.options.both_bounds && old.depth == node.depth) {
            let both = (lower.max(old.lower), upper.min(old.upper));
            // Values that depend on the path may contradict each other: the later one counts.
            if both.0 <= both.1 {
                (lower, upper) = both;
            }
        }
        let known = old.and_then(|old| old.best_move);
        // The move is the one that reaches the lower bound, where there is one.
        let best_move = match bound {
            Bound::Lower | Bound::Exact if lower == value => found.line.first().or(known),
            _ => known.or(found.line.first()),
        };
        self.table.store(Entry { key, depth: node.depth, lower, upper, best_move });
    }
}

/// The entry with mate scores counted from the root.
fn from_root<G: Game>(entry: Entry<G::Move>, node: &Node<G>) -> Entry<G::Move> {
    let seen = |end: Score| {
        if end.abs() == Score::INFINITE { end } else { end.from_table(node.ply) }
    };
    Entry { lower: seen(entry.lower), upper: seen(entry.upper), ..entry }
}
