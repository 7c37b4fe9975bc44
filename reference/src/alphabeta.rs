//! Alpha-beta, fail-hard and fail-soft.
//!
//! Texts: D. Eppstein, lecture notes on variants of alpha-beta; P. Verhelst, "Chess Tree Search",
//! 1997, *Alpha-Beta search*; F. Letouzey, 2002, on the line.
//!
//! Both cut off at `value >= beta`, and both take a new best move only if its value is strictly
//! greater. Eppstein prints `>=`, but an equal value, fail-hard or an upper bound, only says "not
//! better", and the move behind it may be a mistake.

use super::node::Node;
use super::searcher::Searcher;
use super::{Found, Game, Window};

/// Fail-hard: expands a node to a value inside `[alpha, beta]`.
///
/// Contract, with `v` the minimax value and `r` the returned one: `r == alpha` means `v <= alpha`,
/// `r == beta` means `v >= beta`; any other `r` equals `v`, and its line is a PV. How far `v` lies
/// outside the window remains unknown.
pub fn fail_hard<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
) -> Found<G::Move> {
    let mut best = Found::without_line(window.alpha);
    for m in search.ordered_moves(node) {
        let child = search.child(node, m);
        let reply = search.ask(&child, Window::new(best.value, window.beta));
        if reply.value > best.value {
            best = reply.after(m);
        }
        if best.value >= window.beta {
            best.value = window.beta;
            break;
        }
    }
    best
}

/// Fail-soft: expands a node to the best value seen, even outside the window.
///
/// Contract: `r <= alpha` means `v <= r`, `r >= beta` means `v >= r`; any other `r` equals `v`. The
/// line is a semi-PV, and a PV if `r` is exact.
pub fn fail_soft<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    mut window: Window,
) -> Found<G::Move> {
    let mut best = Found::nothing();
    for m in search.ordered_moves(node) {
        let child = search.child(node, m);
        let reply = search.ask(&child, window);
        if reply.value > best.value {
            best = reply.after(m);
            window.alpha = window.alpha.max(best.value);
        }
        if best.value >= window.beta {
            break;
        }
    }
    best
}
