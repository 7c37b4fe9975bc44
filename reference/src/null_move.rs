//! Null-move pruning.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Null move heuristic*. Reduction: C. Donninger,
//! "Null Move and Deep Search", ICCA Journal 16(3), 1993.
//!
//! Contract: a cutoff is likely to be right, not proved, so the value may differ from minimax.
//! [`Game::pass`] rules out positions where passing proves nothing (in check, in likely zugzwang).

use super::node::{Node, ONE_PLY};
use super::searcher::Searcher;
use super::{Found, Game, Window};
use heddle::score::Depth;

/// How much shallower the reply to passing is searched, in addition to the ply of the pass itself.
const REDUCTION: Depth = 2 * ONE_PLY;

/// A cutoff, if even passing keeps the value at beta or above. There is no null move at the root or
/// after another one: both are nodes without a last move.
pub(super) fn cutoff<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
) -> Option<Found<G::Move>> {
    if node.last_move.is_none() || node.depth <= REDUCTION {
        return None;
    }
    let depth = node.depth - ONE_PLY - REDUCTION;
    let passed = Node { game: node.game.pass()?, ply: node.ply + 1, depth, last_move: None };
    let value = search.ask(&passed, Window::minimal(window.beta - 1)).value;
    (value >= window.beta).then(|| Found::without_line(value))
}
