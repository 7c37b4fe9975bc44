//! Several machines, simulated in lockstep.
//!
//! Each rank is an engine with its own table, histories and threads, and the ranks form the ring of
//! [`heddle_exchange`]: the outboxes and relays are those that ship, only the network is replaced.
//! It takes turns like a worker, after all of them. Every `delay` rounds each rank sends one
//! message to the next, so a packet that goes three ranks far is three such steps late. Everything
//! happens within turns, which makes it repeatable.

use heddle::engine::{Engine, EngineError, Event, SearchResult, Settings};
use heddle::eval::nnue::network::Network;
use heddle::position::Game;
use heddle::search::Outcome;
use heddle::smp::stop::StopFlag;
use heddle::smp::turnstile::Turnstile;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::tt::Table;
use heddle_exchange::{Filter, MESSAGE, Outgoing, Relay};
use serde::Serialize;

/// Several ranks and how they are connected.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// Their number.
    pub count: usize,
    /// Rounds between two messages.
    pub delay: u64,
    /// The most entries that a worker sends with each.
    pub batch: usize,
    /// The least depth of such an entry, in plies.
    pub least_depth: i32,
}

impl Ranks {
    /// As a person would describe them.
    pub fn describe(&self) -> String {
        let Self { count, delay, batch, least_depth } = self;
        format!(
            "{count}, each with its own table; every {delay} rounds at most {batch} entries per worker, \
             from depth {least_depth}"
        )
    }
}

/// The engines of several ranks, which search as one.
pub struct Machines {
    ranks: Ranks,
    /// One per rank. The main worker of the first ends the search.
    engines: Vec<Engine>,
    /// Rounds of the last search.
    rounds: u64,
}

impl Machines {
    /// An engine of one thread for each rank, with a table of `hash` MiB, that evaluates with
    /// `network`, or with the classical evaluation if there is none.
    ///
    /// # Errors
    /// [`EngineError`], if a table cannot be allocated.
    pub fn new(
        ranks: Ranks,
        hash: usize,
        network: Option<&Arc<Network>>,
    ) -> Result<Self, EngineError> {
        let engine = |_| {
            let mut engine = Engine::new(1, hash)?;
            engine.set_network(network.cloned());
            Ok::<_, EngineError>(engine)
        };
        let engines = (0..ranks.count).map(engine).collect::<Result<_, _>>()?;
        Ok(Self { ranks, engines, rounds: 0 })
    }

    /// Divides `threads` threads among the ranks.
    ///
    /// # Errors
    /// [`EngineError`], if they cannot be started.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        let each = threads.div_ceil(self.ranks.count);
        let mut changed = self.engines.iter_mut().filter(|engine| engine.threads() != each);
        changed.try_for_each(|engine| engine.set_threads(each))
    }

    /// Clears everything that is known.
    pub fn clear(&mut self) {
        self.engines.iter_mut().for_each(Engine::clear);
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.engines.iter().map(Engine::nodes).sum()
    }

    /// Rounds of the last search.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The permille of the first rank's table that is filled.
    pub fn hashfull(&self) -> u32 {
        self.engines[0].hashfull()
    }

    /// Searches in lockstep, without a clock, until the main worker has reached the limits or
    /// `cancel` is raised. A limit of nodes is shared out evenly.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        cancel: &StopFlag,
    ) -> Outcome {
        let workers = self.engines.iter().map(Engine::threads).sum();
        let turnstile = Arc::new(Turnstile::new(workers + 1, settings.quantum));
        let mut network = Simulation::new(self.ranks, &mut self.engines);
        let finished = Arc::<StopFlag>::default();
        let nodes = limits.nodes.map(|nodes| nodes.div_ceil(self.ranks.count as u64));
        let mut first = 0;
        for engine in &mut self.engines {
            let is_first = first == 0;
            // The others search until they are told to stop, or have searched their share.
            let (depth, mate) = if is_first { (limits.depth, limits.mate) } else { (None, None) };
            let limits = Limits { nodes, depth, mate, ..limits.clone() };
            let settings = Settings { first_worker: first, ..settings.clone() };
            engine.set_turnstile(Arc::clone(&turnstile));
            let finished = Arc::clone(&finished);
            engine.start(game, &limits, &settings, move |event| {
                if is_first && matches!(event, Event::Finished(_)) {
                    finished.raise();
                }
            });
            first += engine.threads();
        }
        {
            let _turn = turnstile.enter(workers);
            while !finished.is_raised() && !cancel.is_raised() {
                network.step(turnstile.rounds());
                turnstile.yield_turn(workers);
            }
            self.rounds = turnstile.rounds();
            self.engines.iter().for_each(Engine::stop);
        }
        let outcomes = self.engines.iter().flat_map(|engine| engine.result().outcomes).collect();
        let SearchResult { mut outcomes, vote } = SearchResult::new(outcomes);
        outcomes.swap_remove(vote.winner)
    }
}

/// The network, for one search.
struct Simulation {
    delay: u64,
    /// The round in which the next messages are sent.
    next: u64,
    /// One per rank.
    stations: Vec<Station>,
}

/// A rank's end of the network.
struct Station {
    table: Arc<Table>,
    outgoing: Arc<Outgoing>,
    relay: Relay,
}

impl Simulation {
    /// Connects the engines of `ranks`, in place of what connected them before.
    fn new(ranks: Ranks, engines: &mut [Engine]) -> Self {
        let filter = Filter { least_depth: ranks.least_depth, batch: ranks.batch };
        let station = |engine: &mut Engine| {
            let outgoing = Arc::new(Outgoing::new(engine.threads(), filter));
            engine.set_store_hook(Some(outgoing.hook()));
            let relay = Relay::new(ranks.count, MESSAGE);
            Station { table: Arc::clone(engine.table()), outgoing, relay }
        };
        let stations = engines.iter_mut().map(station).collect();
        Self { delay: ranks.delay, next: ranks.delay, stations }
    }

    /// Carries the messages that are due in round `round`.
    fn step(&mut self, round: u64) {
        if round >= self.next {
            self.next = round + self.delay;
            self.carry();
        }
    }

    /// Every rank sends a message to the next, which stores what is in it.
    fn carry(&mut self) {
        let send = |Station { outgoing, relay, .. }: &mut Station| {
            outgoing.take(|packet| relay.add(packet));
            let mut message = Vec::new();
            relay.write(&mut message);
            message
        };
        let messages: Vec<_> = self.stations.iter_mut().map(send).collect();
        for (from, message) in messages.iter().enumerate() {
            let to = (from + 1) % self.stations.len();
            let Station { table, relay, .. } = &mut self.stations[to];
            relay.receive(message, |packet| table.receive(packet));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::position::PackedMove;
    use heddle::score::Score;
    use heddle::tt::{Bound, Entry, Packet};

    const RANKS: Ranks = Ranks { count: 3, delay: 4, batch: 8, least_depth: 1 };

    fn packet(table: &Table, key: u64) -> Packet {
        let score = Some((Score::DRAW, Bound::Exact));
        let entry = Entry { best: PackedMove::NONE, score, eval: None, depth: 5, was_pv: false };
        table.packet(key, 0, &entry)
    }

    #[test]
    fn an_entry_reaches_the_ranks_one_after_the_other() {
        let mut machines = Machines::new(RANKS, 1, None).unwrap();
        machines.set_threads(6).unwrap();
        let mut network = Simulation::new(RANKS, &mut machines.engines);
        let tables: Vec<_> = machines.engines.iter().map(|e| Arc::clone(e.table())).collect();
        let knows = || [0, 1, 2].map(|rank: usize| tables[rank].probe(9, 0).is_some());
        // From the second worker of the second rank.
        network.stations[1].outgoing.hook()(1)(packet(&tables[1], 9));
        network.step(3);
        assert_eq!(knows(), [false; 3]);
        network.step(4);
        assert_eq!(knows(), [false, false, true]);
        network.step(5);
        assert_eq!(knows(), [false, false, true], "the next message is not due");
        network.step(8);
        assert_eq!(knows(), [true, false, true]);
    }

    #[test]
    fn what_was_under_way_is_lost_with_the_search() {
        let mut machines = Machines::new(RANKS, 1, None).unwrap();
        let network = Simulation::new(RANKS, &mut machines.engines);
        let first = Arc::clone(machines.engines[0].table());
        network.stations[0].outgoing.hook()(0)(packet(&first, 9));
        Simulation::new(RANKS, &mut machines.engines).step(RANKS.delay);
        assert!(machines.engines[1].table().probe(9, 0).is_none());
    }

    #[test]
    fn every_rank_searches_its_share_and_a_cancelled_search_is_answered() {
        let mut machines = Machines::new(RANKS, 1, None).unwrap();
        machines.set_threads(3).unwrap();
        let limits = Limits { nodes: Some(30_000), ..Limits::default() };
        let settings = Settings { lockstep: true, quantum: 64, ..Settings::default() };
        let (game, cancel) = (Game::default(), StopFlag::default());
        let outcome = machines.search(&game, &limits, &settings, &cancel);
        assert!(outcome.depth > 1);
        let nodes: Vec<_> = machines.engines.iter().map(Engine::nodes).collect();
        assert!(nodes.iter().all(|&nodes| nodes <= 10_000), "{nodes:?}");
        assert_eq!(nodes[0], 10_000);
        cancel.raise();
        assert!(!machines.search(&game, &limits, &settings, &cancel).lines.is_empty());
    }
}
