//! Full search: minimax and negamax.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *MiniMax and NegaMax*.
//!
//! Contract: both return the exact minimax value of `game` at `depth` plies, and visit every
//! position: `W^D` leaves in a tree of width `W` and depth `D`. They share no code with the bounded
//! searches, which are checked against them.

use super::counts::Counts;
use super::{Found, Game};
use heddle::score::{Depth, Score};

/// Maximises and minimises in turn; the value is that of the first player, who moves at even plies.
pub fn minimax<G: Game>(game: &G, depth: Depth, counts: &mut Counts) -> Found<G::Move> {
    max_or_min(game, 0, depth, counts)
}

fn max_or_min<G: Game>(game: &G, ply: usize, depth: Depth, counts: &mut Counts) -> Found<G::Move> {
    let maximise = ply.is_multiple_of(2);
    if let Some(value) = leaf(game, ply, depth, counts) {
        return Found::without_line(if maximise { value } else { -value });
    }
    let mut best: Option<Found<G::Move>> = None;
    for m in game.successors() {
        let found = max_or_min(&game.play(m), ply + 1, depth - 1, counts);
        let better = best.as_ref().is_none_or(|best| {
            if maximise { found.value > best.value } else { found.value < best.value }
        });
        if better {
            best = Some(found.after(m));
        }
    }
    best.expect("a game that goes on has a move")
}

/// The same with one rule for both players: the value is that of the side to move.
pub fn negamax<G: Game>(game: &G, ply: usize, depth: Depth, counts: &mut Counts) -> Found<G::Move> {
    if let Some(value) = leaf(game, ply, depth, counts) {
        return Found::without_line(value);
    }
    let mut best = Found::nothing();
    for m in game.successors() {
        let reply = -negamax(&game.play(m), ply + 1, depth - 1, counts);
        if reply.value > best.value {
            best = reply.after(m);
        }
    }
    best
}

/// Counts the node, and returns its value if it is a leaf.
fn leaf<G: Game>(game: &G, ply: usize, depth: Depth, counts: &mut Counts) -> Option<Score> {
    counts.nodes += 1;
    let value = game.terminal(ply).or_else(|| {
        (depth <= 0).then(|| {
            counts.evaluations += 1;
            game.evaluate()
        })
    });
    counts.leaves += u64::from(value.is_some());
    value
}
