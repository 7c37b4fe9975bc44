//! A node of the tree that is searched.

use super::Game;
use crate::score::Depth;

/// One ply in the units of [`Node::depth`], which are quarters, since extensions may be fractions.
pub const ONE_PLY: Depth = 4;

/// A position at its place in the tree.
#[derive(Clone, Debug)]
pub struct Node<G: Game> {
    /// The position.
    pub game: G,
    /// Distance to the root in plies.
    pub ply: usize,
    /// Distance to the horizon in quarter plies.
    pub depth: Depth,
    /// The move that led here; `None` at the root and after passing.
    pub last_move: Option<G::Move>,
}
