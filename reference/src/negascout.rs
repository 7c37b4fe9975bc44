//! NegaScout.
//!
//! Source: A. Reinefeld, "An Improvement to the Scout Tree Search Algorithm", ICCA Journal 6(4),
//! 1983; named by P. Verhelst, "Chess Tree Search", 1997, as the refinement of PVS.
//!
//! Contract: as [`super::pvs`]. NegaScout adds that in the last two plies a fail-soft search that
//! fails high on a minimal window has already seen every leaf that matters: its value is exact and
//! needs no re-search. This holds only if a leaf has the same value for every window.

use super::node::{Node, ONE_PLY};
use super::pvs::{ReSearch, re_search};
use super::searcher::Searcher;
use super::{Found, Game, Window};

/// Plies above the leaves where the value found with a minimal window is exact.
const EXACT_PLIES: i32 = 2;

/// Expands a node. `plain_leaves` promises that a leaf's value is independent of the window, and
/// that depth is the distance to the leaves.
pub fn negascout<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
    plain_leaves: bool,
) -> Found<G::Move> {
    let exact = node.depth <= EXACT_PLIES * ONE_PLY && plain_leaves;
    let mut best = Found::nothing();
    let mut upper = window.beta;
    for (i, m) in search.ordered_moves(node).into_iter().enumerate() {
        let child = search.child(node, m);
        let lower = window.alpha.max(best.value);
        let mut reply = search.ask(&child, Window::new(lower, upper)).after(m);
        if i > 0 && !exact && Window::new(lower, window.beta).contains(reply.value) {
            reply = re_search(search, &child, m, &reply, window, ReSearch::FromValue);
        }
        if reply.value > best.value {
            best = reply;
        }
        if best.value >= window.beta {
            break;
        }
        upper = window.alpha.max(best.value) + 1;
    }
    best
}
