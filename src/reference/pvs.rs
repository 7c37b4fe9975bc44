//! Principal variation search, fail-soft.
//!
//! Texts: P. Verhelst, "Chess Tree Search", 1997, *Principal Variation Search*; D. Eppstein,
//! lecture notes on variants of alpha-beta. Origin: J. P. Fishburn, 1981; T. A. Marsland and
//! M. Campbell, 1982.
//!
//! Contract: as [`super::alphabeta::fail_soft`]. The first move gets the whole window; each of the
//! others gets a minimal window, which tests whether it is better, and is searched again only if it
//! is. The re-search starts at the value that the test has proved (Verhelst); Eppstein's restarts
//! at alpha, which is correct but discards that knowledge. As printed, Eppstein's code also neither
//! raises alpha to the first move's value nor stops if that move cuts off; Verhelst's loop does
//! both, and so does this one.

use super::node::Node;
use super::searcher::Searcher;
use super::semi_pv::compose;
use super::{Found, Game, Window};

/// Expands a node.
pub fn pvs<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    mut window: Window,
) -> Found<G::Move> {
    let mut best = Found::nothing();
    for (i, m) in search.ordered_moves(node).into_iter().enumerate() {
        let child = search.child(node, m);
        let reply = if i == 0 {
            search.ask(&child, window).after(m)
        } else {
            let test = search.ask(&child, Window::minimal(window.alpha)).after(m);
            if window.contains(test.value) {
                re_search(search, &child, m, &test, window)
            } else {
                test
            }
        };
        if reply.value > best.value {
            best = reply;
            window.alpha = window.alpha.max(best.value);
        }
        if best.value >= window.beta {
            break;
        }
    }
    best
}

/// Searches a child again after `test` has failed high inside the window: the move's value is at
/// least the test's.
///
/// If it is no more, the re-search fails low with only a semi-PV; composed with the test's line, it
/// still gives a PV.
pub(super) fn re_search<G: Game>(
    search: &mut impl Searcher<G>,
    child: &Node<G>,
    m: G::Move,
    test: &Found<G::Move>,
    window: Window,
) -> Found<G::Move> {
    search.counts().researches += 1;
    let mut found = search.ask(child, Window::new(test.value, window.beta)).after(m);
    if found.value == test.value {
        found.line = compose(&test.line, &found.line);
    }
    found
}
