//! A node of the search tree.

use super::Game;
use heddle::score::Depth;

/// One ply in the units of [`Node::depth`]: quarter plies, because extensions can be fractional.
pub const ONE_PLY: Depth = 4;

/// A position and its place in the tree.
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
