//! Scout in the form with a maximising and a minimising player.
//!
//! Text: lecture notes "Transposition Table / Scout (principal variation search) / MTD-f".
//! Origin: J. Pearl, "Asymptotic Properties of Minimax Trees and Game-Searching Procedures", 1980.
//!
//! Contract: values are the first player's. Max returns the alpha it has reached: at most the given
//! alpha says `v <= alpha`; at least beta says `v >= r`; in between it is `v`. Min mirrors this with
//! beta. The null window asks Max "more than alpha?" with `(alpha, alpha + 1)` and Min "less than
//! beta?" with `(beta - 1, beta)`; a yes inside the window is searched again from the answer on. A
//! re-search that only confirms the answer has no line, and the PV ends there.

use super::node::Node;
use super::searcher::Searcher;
use super::{Found, Game, Window};

/// Expands a node; takes and returns the side to move's view, as every expansion does.
pub fn scout<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
) -> Found<G::Move> {
    if node.ply.is_multiple_of(2) { max(search, node, window) } else { -min(search, node, -window) }
}

/// The maximising player.
fn max<G: Game>(search: &mut impl Searcher<G>, node: &Node<G>, window: Window) -> Found<G::Move> {
    let Window { alpha, beta } = window;
    let mut best = Found::without_line(alpha);
    for (i, m) in search.ordered_moves(node).into_iter().enumerate() {
        let child = search.child(node, m);
        let alpha = best.value;
        let mut found = if i == 0 {
            search.ask(&child, Window::new(alpha, beta))
        } else {
            search.ask(&child, Window::new(alpha, alpha + 1))
        };
        if i > 0 && alpha < found.value && found.value < beta {
            search.counts().researches += 1;
            found = search.ask(&child, Window::new(found.value, beta));
        }
        if found.value > best.value {
            best = found.after(m);
        }
        if best.value >= beta {
            break;
        }
    }
    best
}

/// The minimising player: `window` and the result are the maximising player's.
fn min<G: Game>(search: &mut impl Searcher<G>, node: &Node<G>, window: Window) -> Found<G::Move> {
    let Window { alpha, beta } = window;
    let mut best = Found::without_line(beta);
    for (i, m) in search.ordered_moves(node).into_iter().enumerate() {
        let child = search.child(node, m);
        let beta = best.value;
        let mut found = if i == 0 {
            -search.ask(&child, -Window::new(alpha, beta))
        } else {
            -search.ask(&child, -Window::new(beta - 1, beta))
        };
        if i > 0 && alpha < found.value && found.value < beta {
            search.counts().researches += 1;
            found = -search.ask(&child, -Window::new(alpha, found.value));
        }
        if found.value < best.value {
            best = found.after(m);
        }
        if best.value <= alpha {
            break;
        }
    }
    best
}
