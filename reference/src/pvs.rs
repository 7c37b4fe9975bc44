//! Principal variation search, fail-soft.
//!
//! Texts: P. Verhelst, "Chess Tree Search", 1997, *Principal Variation Search*; D. Eppstein,
//! lecture notes on variants of alpha-beta. Origin: J. P. Fishburn, 1981; T. A. Marsland and
//! M. Campbell, 1982.
//!
//! Contract: as [`super::alphabeta::fail_soft`]. The first move gets the whole window; each of the
//! others gets a minimal window, which tests whether it is better, and is searched again only if it
//! is. [`ReSearch`] says with which window. As printed, Eppstein's code also neither
//! raises alpha to the first move's value nor stops if that move cuts off; Verhelst's loop does
//! both, and so does this one.

use super::node::Node;
use super::searcher::Searcher;
use super::semi_pv::compose;
use super::{Found, Game, Window};

/// The window in which a move is searched again that a test has found to be worth at least `value`,
/// which lies inside the node's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReSearch {
    /// `(value, beta)`: the value is already proved (Verhelst). If it is also the move's, the
    /// re-search fails low and proves only part of a line.
    #[default]
    FromValue,
    /// `(alpha, beta)`, which discards what the test has proved (Eppstein).
    FromAlpha,
    /// `(value - 1, beta)`, in which the proved value is exact, so that its line is a PV
    /// (Letouzey).
    BelowValue,
}

/// Expands a node.
pub fn pvs<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    mut window: Window,
    how: ReSearch,
) -> Found<G::Move> {
    let mut best = Found::nothing();
    for (i, m) in search.ordered_moves(node).into_iter().enumerate() {
        let child = search.child(node, m);
        let reply = if i == 0 {
            search.ask(&child, window).after(m)
        } else {
            let test = search.ask(&child, Window::minimal(window.alpha)).after(m);
            if window.contains(test.value) {
                re_search(search, &child, m, &test, window, how)
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
/// If it is no more, a re-search from that value fails low with only a semi-PV; composed with the
/// test's line, it still gives a PV.
pub(super) fn re_search<G: Game>(
    search: &mut impl Searcher<G>,
    child: &Node<G>,
    m: G::Move,
    test: &Found<G::Move>,
    window: Window,
    how: ReSearch,
) -> Found<G::Move> {
    search.counts().researches += 1;
    let alpha = match how {
        ReSearch::FromValue => test.value,
        ReSearch::FromAlpha => window.alpha,
        ReSearch::BelowValue => test.value - 1,
    };
    let mut found = search.ask(child, Window::new(alpha, window.beta)).after(m);
    if found.value == test.value && alpha == test.value {
        found.line = compose(&test.line, &found.line);
    }
    found
}
