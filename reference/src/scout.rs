//! Scout, with a maximising and a minimising player.
//!
//! Text: lecture notes "Transposition Table / Scout (principal variation search) / MTD-f".
//! Origin: J. Pearl, "Asymptotic Properties of Minimax Trees and Game-Searching Procedures", 1980.
//!
//! Contract: values are the first player's. Max returns the greatest alpha reached, `r`: the given
//! alpha means `v <= alpha`, `r >= beta` means `v >= r`, and any `r` in between equals `v`. Min
//! mirrors this with beta. Minimal windows test every move but the first: `(alpha, alpha + 1)` asks
//! whether it is worth more than alpha to Max, `(beta - 1, beta)` whether it is worth less than
//! beta to Min. If it is, by a value inside the window, a re-search starts from that value. A
//! re-search that only confirms the value has no line, so the PV ends there.

use super::node::Node;
use super::searcher::Searcher;
use super::{Found, Game, Window};

/// Expands a node. Window and result are the side to move's, as in every algorithm.
pub fn scout<G: Game>(
    search: &mut impl Searcher<G>,
    node: &Node<G>,
    window: Window,
) -> Found<G::Move> {
    if node.ply.is_multiple_of(2) { max(search, node, window) } else { -min(search, node, -window) }
}

/// Expands a node of the maximising player.
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

/// Expands a node of the minimising player; window and result are the maximising player's.
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
