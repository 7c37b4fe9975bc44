//! Quiescence search.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Quiescense search*.
//!
//! Contract: fail-soft for a smaller game, in which the side to move may also stop and take the
//! static evaluation, and only noisy moves are allowed; in check every move is, and stopping is not.
//! It ends because noisy moves run out.

use std::cmp::Reverse;

use super::counts::Counts;
use super::{Found, Game, Window};

/// The value of a position at rest, for a game that goes on.
pub(super) fn quiescence<G: Game>(
    counts: &mut Counts,
    game: &G,
    ply: usize,
    mut window: Window,
) -> Found<G::Move> {
    let in_check = game.in_check();
    let mut moves = game.successors();
    let mut best = Found::nothing();
    if !in_check {
        counts.evaluations += 1;
        best = Found::without_line(game.evaluate());
        if best.value >= window.beta {
            return best;
        }
        window.alpha = window.alpha.max(best.value);
        moves.retain(|&m| game.is_noisy(m));
    }
    moves.sort_by_cached_key(|&m| Reverse(game.promise(m)));
    for m in moves {
        let child = game.play(m);
        counts.nodes += 1;
        let reply = match child.terminal(ply + 1) {
            Some(value) => Found::without_line(-value),
            None => -quiescence(counts, &child, ply + 1, -window),
        };
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
