//! What each worker does, for those who watch a search.
//!
//! Everything is read from the board and the census of the search, so a search that nobody watches
//! is the same.

use crate::position::{Move, PackedMove, Position};
use crate::smp::vote::{Ballot, Vote, vote};
use crate::tt::Counts;

use super::{Current, Engine};

/// What one worker does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The nodes it has searched.
    pub nodes: u64,
    /// The root move that it is searching; `None` before the first.
    pub current: Option<Current>,
    /// What it would vote for; `None` before it has completed an iteration.
    pub ballot: Option<Ballot<Move>>,
    /// Its accesses to the transposition table, if a census counts them.
    pub counts: Option<Counts>,
}

impl Engine {
    /// What each worker of the current or last search does in `position`, the root.
    pub fn views(&self, position: &Position) -> Vec<View> {
        let unpack = |bits| PackedMove::from_bits(bits).unpack(position);
        let nodes = self.run.board.worker_nodes();
        let view = |(index, (nodes, ballot)): (usize, (u64, Option<Ballot<u16>>))| View {
            nodes,
            current: self.run.board.current(index).and_then(|(depth, bits, move_count)| {
                unpack(bits).map(|m| Current { depth, m, move_count })
            }),
            ballot: ballot.and_then(|Ballot { choice, score, depth }| {
                unpack(choice).map(|choice| Ballot { choice, score, depth })
            }),
            counts: self.run.census.as_ref().map(|census| census.of(index)),
        };
        nodes.into_iter().zip(self.run.board.ballots()).enumerate().map(view).collect()
    }

    /// The vote as it would fall now, with the indices of the workers that have a say.
    pub fn vote_now(&self) -> (Vec<usize>, Vote) {
        let ballots = self.run.board.ballots();
        let voters = (0..ballots.len()).filter(|&index| ballots[index].is_some()).collect();
        (voters, vote(&ballots.into_iter().flatten().collect::<Vec<_>>()))
    }
}

#[cfg(not(miri))]
#[cfg(all(test, not(loom)))]
mod tests {
    use crate::engine::{Engine, Settings};
    use crate::position::Game;
    use crate::time::limits::Limits;
    use crate::tt::Counting;

    #[test]
    fn what_is_seen_at_the_end_is_what_was_found() {
        let mut engine = Engine::new(3, 1).unwrap();
        let game = Game::default();
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let settings =
            Settings { lockstep: true, census: Counting::Everything, ..Settings::default() };
        engine.start(&game, &limits, &settings, |_| {});
        let result = engine.result();
        let views = engine.views(game.position());
        assert_eq!(views.iter().map(|view| view.nodes).collect::<Vec<_>>(), engine.worker_nodes());
        for (view, outcome) in views.iter().zip(&result.outcomes) {
            let ballot = view.ballot.unwrap();
            assert_eq!(ballot.depth, outcome.depth);
            assert!(view.counts.unwrap().probes > 0 && view.current.is_some());
        }
        let best = views[0].ballot.unwrap();
        let line = &result.outcomes[0].lines[0];
        assert_eq!((best.choice, best.score), (line.moves[0], line.score));
        let (voters, vote) = engine.vote_now();
        assert_eq!((voters, vote.weights.len()), (vec![0, 1, 2], 3));
    }
}
