//! What a technique may ask of the search it is part of.
//!
//! An algorithm expands one node and hands each child back to the search, which applies the enabled
//! techniques to it in turn. The techniques know the search only by this trait, and the search
//! depends on them, not they on it.

use super::counts::Counts;
use super::memory::Memory;
use super::node::Node;
use super::{Found, Game, Window};
use heddle::score::Depth;

/// A search as its techniques see it.
pub trait Searcher<G: Game> {
    /// The moves of a node in the order in which to try them.
    fn ordered_moves(&self, node: &Node<G>) -> Vec<G::Move>;

    /// The node after a move: one ply shallower, plus the move's extension.
    fn child(&mut self, node: &Node<G>, m: G::Move) -> Node<G>;

    /// Searches a child for a window. Window, value and line are the parent's.
    fn ask(&mut self, child: &Node<G>, window: Window) -> Found<G::Move>;

    /// The work done so far.
    fn counts(&mut self) -> &mut Counts;

    /// The transposition table, if there is one.
    fn memory(&mut self) -> Option<&mut Memory<G::Move>>;

    /// The nominal depth of this search of the root, in plies.
    fn root_depth(&self) -> Depth;
}
