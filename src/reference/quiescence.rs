//! Quiescence search.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Quiescense search*.
//!
//! Contract: fail-soft alpha-beta on a smaller game: only noisy moves are allowed, and the side to
//! move may stop and take the static evaluation (stand pat). In check, every move is allowed and
//! standing pat is not. The search ends because noisy moves run out.

use std::cmp::Reverse;

use super::counts::Counts;
use super::{Found, Game, Window};

/// The quiescence value of a position that is not terminal; its caller has counted it.
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
