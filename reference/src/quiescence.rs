//! Quiescence search.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Quiescense search*.
//!
//! Contract: fail-soft alpha-beta on a smaller game: only noisy moves are allowed, and the side to
//! move may stop and take the static evaluation (stand pat). In check, every move is allowed and
//! standing pat is not. The search ends because noisy moves run out. With threats, moves that
//! threaten to promote are allowed too, and moves that give check in the first plies: checks do not
//! run out.

use std::cmp::Reverse;

use super::counts::Counts;
use super::{Found, Game, Window};

/// The plies in which [`Quiescence::Threats`] allows moves that give check.
const CHECK_PLIES: usize = 2;

/// How the leaves are made quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quiescence {
    /// Not at all: the static evaluation.
    #[default]
    Off,
    /// By captures, promotions and evasions of check.
    Captures,
    /// Also by checks and promotion threats.
    Threats,
}

/// Distances in plies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plies {
    /// To the root.
    pub root: usize,
    /// To the horizon, where the quiescence search began.
    pub quiescence: usize,
}

/// The quiescence value of a position that is not terminal; its caller has counted it.
pub(super) fn quiescence<G: Game>(
    counts: &mut Counts,
    game: &G,
    ply: Plies,
    mut window: Window,
    kind: Quiescence,
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
        let checks = kind == Quiescence::Threats && ply.quiescence < CHECK_PLIES;
        moves.retain(|&m| {
            game.is_noisy(m)
                || kind == Quiescence::Threats && game.threatens_promotion(m)
                || checks && game.play(m).in_check()
        });
    }
    moves.sort_by_cached_key(|&m| Reverse(game.promise(m)));
    for m in moves {
        let child = game.play(m);
        counts.nodes += 1;
        let next = Plies { root: ply.root + 1, quiescence: ply.quiescence + 1 };
        let reply = match child.terminal(next.root) {
            Some(value) => Found::without_line(-value),
            None => -quiescence(counts, &child, next, -window, kind),
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
