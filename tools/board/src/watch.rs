//! What the workers of a search do: a row for each, and the vote.

use std::time::Instant;

use heddle::engine::{SearchResult, Settings, View};
use heddle::position::{Move, Position};
use heddle::smp::vote::{Ballot, Vote};
use heddle::time::limits::Limits;
use heddle::tt::Counting;

use crate::desk::{Client, Desk};
use crate::protocol::{Refusal, Threads, Watch, Winner, Worker};
use crate::rules;
use crate::search::{Order, Running};
use crate::turns::Turns;

impl Desk {
    /// Serves `watch`. A search in lockstep begins with an empty memory, so that it is the same
    /// every time.
    ///
    /// # Errors
    /// A refusal.
    pub fn watch(
        &mut self,
        client: &Client,
        id: u64,
        watch: &Watch,
        start: Instant,
    ) -> Result<(), Refusal> {
        let game = rules::game(id, &watch.game)?;
        self.resize(id, watch.size)?;
        let limits =
            Limits { depth: watch.depth, infinite: watch.depth.is_none(), ..Limits::default() };
        let turns =
            watch.lockstep.as_ref().map(|lockstep| Turns::new(self.engine.threads(), lockstep));
        if turns.is_some() {
            self.engine.clear();
        }
        let lockstep = turns.is_some();
        let census = if lockstep { Counting::Everything } else { Counting::Sample };
        let settings = Settings { census, lockstep, ..Settings::default() };
        let order = Order { settings, is_watched: true, turns, ..Order::new(game, limits) };
        self.search(client, id, order, start);
        Ok(())
    }

    /// What the workers do, or what they have found.
    pub fn threads(&self, running: &Running, result: Option<&SearchResult>) -> Threads {
        let position = running.order.game.position();
        let views = self.engine.views(position);
        let (ballots, vote) = match result {
            Some(result) => (found_ballots(result), result.vote.clone()),
            None => {
                let ballots = views.iter().map(|view| view.ballot).collect();
                (ballots, spread(self.engine.vote_now(), views.len()))
            }
        };
        let each = running.order.settings.census.weight();
        let rows = views.iter().zip(&ballots).zip(&vote.weights);
        let workers =
            rows.map(|((view, ballot), weight)| worker(view, *ballot, *weight, position, each));
        Threads {
            id: running.id,
            work: running.work(self.engine.totals()),
            line: running.line(),
            workers: workers.collect(),
            vote: winner(&ballots, &vote, position),
            turns: running.order.turns.as_ref().map(Turns::seen),
        }
    }
}

/// The ballots of the workers at the end of a search.
fn found_ballots(result: &SearchResult) -> Vec<Option<Ballot<Move>>> {
    let ballot = |outcome: &heddle::search::Outcome| {
        let line = outcome.lines.first().filter(|_| outcome.depth > 0)?;
        Some(Ballot { choice: line.moves[0], score: line.score, depth: outcome.depth })
    };
    result.outcomes.iter().map(ballot).collect()
}

/// A vote of some of `workers` workers as one of all.
fn spread((voters, vote): (Vec<usize>, Vote), workers: usize) -> Vote {
    let mut weights = vec![None; workers];
    for (&voter, weight) in voters.iter().zip(vote.weights) {
        weights[voter] = weight;
    }
    Vote { winner: voters.get(vote.winner).copied().unwrap_or(0), weights }
}

fn winner(ballots: &[Option<Ballot<Move>>], vote: &Vote, position: &Position) -> Option<Winner> {
    let ballot = ballots.get(vote.winner).copied().flatten()?;
    let voting = ballots.iter().zip(&vote.weights).filter(|(_, weight)| weight.is_some());
    Some(Winner {
        worker: vote.winner,
        best: position.san(ballot.choice),
        weight: vote.weights[vote.winner],
        of: voting.filter_map(|(ballot, _)| *ballot).map(|b| i64::from(b.depth)).sum(),
    })
}

/// A row; each counted access stands for `each`.
fn worker(
    view: &View,
    ballot: Option<Ballot<Move>>,
    weight: Option<i64>,
    position: &Position,
    each: u64,
) -> Worker {
    let counts = view.counts.unwrap_or_default();
    Worker {
        nodes: view.nodes,
        depth: view.current.map(|current| current.depth),
        current: view.current.map(|current| position.san(current.m)),
        move_count: view.current.map(|current| current.move_count),
        best: ballot.map(|ballot| position.san(ballot.choice)),
        scored: ballot.map(|ballot| rules::scored(ballot.score, ballot.depth, position)),
        weight,
        hits: each * counts.hits,
        foreign: each * counts.foreign,
    }
}
