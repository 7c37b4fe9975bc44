//! What a technique may ask of the search that it is part of.
//!
//! An algorithm expands one node and leaves its children to the search, which applies every switch
//! to them in turn. The techniques know the search by this trait alone, so they work with each other
//! without knowing each other.

use super::counts::Counts;
use super::memory::Memory;
use super::node::Node;
use super::{Found, Game, Window};
use crate::score::Depth;

/// A search as its techniques see it.
pub trait Searcher<G: Game> {
    /// The moves of a node in the order in which they are tried.
    fn ordered_moves(&self, node: &Node<G>) -> Vec<G::Move>;

    /// The node after a move: one ply shallower, less what the move is extended by.
    fn child(&mut self, node: &Node<G>, m: G::Move) -> Node<G>;

    /// Searches a child: its value and line from the parent's point of view.
    fn ask(&mut self, child: &Node<G>, window: Window) -> Found<G::Move>;

    /// The work done so far.
    fn counts(&mut self) -> &mut Counts;

    /// The transposition table, if there is one.
    fn memory(&mut self) -> Option<&mut Memory<G::Move>>;

    /// The depth in plies that the root is searched to.
    fn root_depth(&self) -> Depth;
}
