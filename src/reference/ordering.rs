//! Move ordering: the table move, promising captures, killers, history.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Killer heuristic* and *History heuristic*.
//! Origins: S. Akl and M. Newborn, 1977 (killers); J. Schaeffer, 1983 (history).
//!
//! Contract: ordering permutes the moves of a node and nothing else, so it never changes the value
//! of an algorithm, only its work.

use std::cmp::Reverse;

use super::Game;
use super::node::ONE_PLY;
use crate::score::Depth;

/// Killer moves a ply.
const KILLERS: usize = 2;

/// What moves are sorted by; nothing on means the order of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    /// The move of the transposition table first.
    pub tt_move: bool,
    /// Then moves with a static promise, the most promising first.
    pub promise: bool,
    /// Then the moves that last cut off at this ply.
    pub killers: bool,
    /// Then by how often and how deep a move has cut off anywhere.
    pub history: bool,
}

impl Ordering {
    /// Everything.
    pub const ALL: Self = Self { tt_move: true, promise: true, killers: true, history: true };
}

/// Sorts moves by what it has seen.
pub(super) struct Orderer<M> {
    ordering: Ordering,
    killers: Vec<[Option<M>; KILLERS]>,
    history: Vec<u64>,
}

impl<M: Copy + Eq> Orderer<M> {
    /// Has seen nothing; `move_indices` is the game's [`Game::MOVE_INDICES`].
    pub(super) fn new(ordering: Ordering, move_indices: usize) -> Self {
        let indices = if ordering.history { move_indices } else { 0 };
        Self { ordering, killers: Vec::new(), history: vec![0; indices] }
    }

    /// Learns that `m` has cut off. A move that promises something needs no help.
    pub(super) fn record_cutoff<G: Game<Move = M>>(
        &mut self,
        game: &G,
        m: M,
        ply: usize,
        depth: Depth,
    ) {
        if self.ordering.promise && game.promise(m) > 0 {
            return;
        }
        if self.ordering.killers {
            if self.killers.len() <= ply {
                self.killers.resize(ply + 1, [None; KILLERS]);
            }
            let killers = &mut self.killers[ply];
            if killers[0] != Some(m) {
                killers.rotate_right(1);
                killers[0] = Some(m);
            }
        }
        if self.ordering.history {
            let plies = (depth / ONE_PLY) as u64;
            self.history[G::move_index(m)] += plies * plies;
        }
    }

    /// Sorts the best first, `tt_move` before all; equal moves keep the game's order.
    pub(super) fn sort<G: Game<Move = M>>(
        &self,
        game: &G,
        moves: &mut [M],
        ply: usize,
        tt_move: Option<M>,
    ) {
        let Ordering { promise, killers, history, .. } = self.ordering;
        if self.ordering == Ordering::default() {
            return;
        }
        let killing = self.killers.get(ply).filter(|_| killers);
        moves.sort_by_cached_key(|&m| {
            let promise = if promise { game.promise(m) } else { 0 };
            let killer = killing
                .and_then(|killers| killers.iter().position(|&k| k == Some(m)))
                .map_or(0, |i| KILLERS - i);
            let history = if history { self.history[G::move_index(m)] } else { 0 };
            Reverse((tt_move == Some(m), promise, killer, history))
        });
    }
}
