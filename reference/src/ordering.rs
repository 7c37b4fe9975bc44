//! Move ordering: the transposition table's move, promising captures, killers, history.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Killer heuristic* and *History heuristic*.
//! Origins: S. Akl and M. Newborn, 1977 (killers); J. Schaeffer, 1983 (history).
//!
//! Contract: ordering only permutes the moves of a node, so it changes an algorithm's work but
//! never its value.

use std::cmp::Reverse;

use super::Game;
use super::node::ONE_PLY;
use heddle::score::Depth;

/// Killer moves per ply.
const KILLERS: usize = 2;

/// The criteria that moves are sorted by, most important first. With none, the game's order stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordering {
    /// The transposition table's move first.
    pub tt_move: bool,
    /// Then by [`Game::promise`].
    pub promise: bool,
    /// Then the moves that were the last to cause a cutoff at this ply.
    pub killers: bool,
    /// Killers come from the same parent only: a node forgets those of the ply below. By default
    /// they last (Verhelst).
    pub local_killers: bool,
    /// Then by how often, and at what depth, a move has caused a cutoff anywhere.
    pub history: bool,
}

impl Ordering {
    /// All criteria.
    pub const ALL: Self =
        Self { tt_move: true, promise: true, killers: true, local_killers: false, history: true };
}

/// Sorts moves by the cutoffs it has seen.
pub(super) struct Orderer<M> {
    ordering: Ordering,
    killers: Vec<[Option<M>; KILLERS]>,
    history: Vec<u64>,
}

impl<M: Copy + Eq> Orderer<M> {
    /// An orderer that has seen no cutoff; `move_indices` is the game's [`Game::MOVE_INDICES`].
    pub(super) fn new(ordering: Ordering, move_indices: usize) -> Self {
        let indices = if ordering.history { move_indices } else { 0 };
        Self { ordering, killers: Vec::new(), history: vec![0; indices] }
    }

    /// Prepares for the children of a node at `ply`.
    pub(super) fn enter(&mut self, ply: usize) {
        if self.ordering.local_killers
            && let Some(killers) = self.killers.get_mut(ply + 1)
        {
            *killers = [None; KILLERS];
        }
    }

    /// Records that `m` has caused a cutoff. Moves that are sorted by their promise need no record.
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

    /// Sorts the best moves first; equal moves keep the game's order.
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
