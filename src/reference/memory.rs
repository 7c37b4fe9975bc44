//! A search with memory: the transposition table and enhanced transposition cutoff.
//!
//! Texts: lecture notes "Transposition Table"; P. Verhelst, "Chess Tree Search", 1997,
//! *Transposition table* and *Enhanced Transposition Cutoff* (A. Plaat, J. Schaeffer, W. Pijls,
//! A. de Bruin, "Exploiting Graph Properties of Game Trees", 1996); a TalkChess post of
//! October 2024 on what failing high and low leave to be stored.
//!
//! Contract: a stored value is exact, a lower or an upper bound of the position searched to the
//! stored depth. It ends a search only from a sufficient depth and if it is exact, a lower bound of
//! at least beta, or an upper bound of at most alpha. Values change only where the game's value
//! depends on more than its key (repetitions), or a deeper entry stands in for a shallower search.

use super::search::{Node, ONE_PLY, Search};
pub use super::table::{DepthRule, Entry, Policy, Table, TableOptions};
use super::{Bound, Found, Game, Window};
use crate::score::Depth;

/// The least depth in quarter plies at which children can be in the table, for leaves are not.
const ETC_DEPTH: Depth = 2 * ONE_PLY;

impl<G: Game> Search<G> {
    /// The stored value, if it answers the question that `window` asks. The root is searched all the
    /// same, for a move is wanted.
    pub(super) fn table_cutoff(
        &mut self,
        node: &Node<G>,
        window: Window,
    ) -> Option<Found<G::Move>> {
        let entry = self.stored(node).filter(|_| node.ply > 0)?;
        let answers = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => entry.value >= window.beta,
            Bound::Upper => entry.value <= window.alpha,
        };
        answers.then(|| Found::still(entry.value))
    }

    /// A child whose stored value refutes the move before: no other needs to be searched.
    pub(super) fn enhanced_cutoff(
        &mut self,
        node: &Node<G>,
        window: Window,
    ) -> Option<Found<G::Move>> {
        if !self.options.etc || node.depth < ETC_DEPTH {
            return None;
        }
        node.game.successors().into_iter().find_map(|m| {
            let child = self.descend(node, m);
            let entry = self.stored(&child)?;
            let refutes = entry.bound != Bound::Lower && -entry.value >= window.beta;
            refutes.then(|| Found::still(-entry.value).after(m))
        })
    }

    /// The entry of a node from a sufficient depth, its value counted from the root.
    fn stored(&mut self, node: &Node<G>) -> Option<Entry<G::Move>> {
        let rule = self.options.table?.depth_rule;
        let entry = self.table.as_mut()?.probe(node.game.key())?;
        let sufficient = match rule {
            DepthRule::AtLeast => entry.depth >= node.depth,
            DepthRule::Equal => entry.depth == node.depth,
        };
        sufficient.then(|| Entry { value: entry.value.from_table(node.ply), ..entry })
    }

    /// The move that was best or caused a cutoff when the position was searched last, at any depth.
    pub(super) fn table_move(&self, node: &Node<G>) -> Option<G::Move> {
        self.table.as_ref()?.peek(node.game.key())?.best
    }

    /// Keeps what a search has found.
    pub(super) fn store(&mut self, node: &Node<G>, window: Window, found: &Found<G::Move>) {
        if let Some(table) = &mut self.table {
            table.store(Entry {
                key: node.game.key(),
                depth: node.depth,
                bound: window.bound(found.value),
                value: found.value.to_table(node.ply),
                best: found.line.first(),
            });
        }
    }
}
