//! Principal variation search, fail-soft.
//!
//! Texts: P. Verhelst, "Chess Tree Search", 1997, *Principal Variation Search*; D. Eppstein,
//! lecture notes on variants of alpha-beta. Origin: J. P. Fishburn, 1981; T. A. Marsland and
//! M. Campbell, 1982.
//!
//! Contract: as [`super::alphabeta::fail_soft`]. The first move gets the whole window; every other
//! is first asked whether it is better, with a minimal window, and measured only if it is. The
//! measuring search starts at the value that the asking one proved (Verhelst); Eppstein restarts
//! at alpha, which is right but forgets. Eppstein's print also forgets to raise alpha to the first
//! move's value and to stop if that is a cutoff; Verhelst's loop does both, as does this one.

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

/// The re-search: `test` has failed high inside the window, so the child's value is at least that.
///
/// If it is no more than that, the re-search fails low and its line is only a semi-PV; together
/// with the one that failed high it still makes a PV.
pub(super) fn re_search<G: Game>(
    search: &mut impl Searcher<G>,
    child: &Node<G>,
    m: G::Move,
    test: &Found<G::Move>,
    window: Window,
) -> Found<G::Move> {
    search.counts().researches += 1;
    let measured = search.ask(child, Window::new(test.value, window.beta)).after(m);
    if measured.value == test.value {
        let line = compose(&test.line, &measured.line);
        return Found { line, ..measured };
    }
    measured
}
