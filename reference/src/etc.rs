//! Enhanced transposition cutoff.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Enhanced Transposition Cutoff*. Origin: A. Plaat,
//! J. Schaeffer, W. Pijls, A. de Bruin, "Exploiting Graph Properties of Game Trees", 1996.
//!
//! Contract: looks up every child before searching any; if the stored value of one proves a cutoff,
//! nothing is searched. Values change only where the transposition table alone may change them.

use super::node::{Node, ONE_PLY};
use super::searcher::Searcher;
use super::{Found, Game, Window};
use heddle::score::Depth;

/// The least depth, in quarter plies, at which children can be in the table: leaves are not stored.
const MIN_DEPTH: Depth = 2 * ONE_PLY;

/// A move that is already known to reach beta, so that no other needs to be searched.
pub(super) fn cutoff<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
) -> Option<Found<G::Move>> {
    if node.depth < MIN_DEPTH {
        return None;
    }
    node.game.successors().into_iter().find_map(|m| {
        let child = search.child(node, m);
        let entry = search.memory()?.lookup(&child)?;
        let value = -entry.upper;
        (value >= window.beta).then(|| Found::without_line(value).after(m))
    })
}
