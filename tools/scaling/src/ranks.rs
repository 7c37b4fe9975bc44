//! Several machines, simulated in lockstep.
//!
//! Each rank has its own table, and the ranks form the ring of [`heddle::exchange`]: the outboxes and
//! relays are those that ship, only the network is replaced. Every so many rounds each rank sends one
//! message to the next, so a packet that goes three ranks far is three such steps late. Everything
//! happens within the turns of the workers, which makes it repeatable.

use heddle::exchange::{Filter, MESSAGE, Outbox, Relay, Transport};
use heddle::sync::{Arc, Mutex};
use heddle::tt::{Table, TableError};
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
    #[must_use]
    pub fn describe(&self) -> String {
        let Self { count, delay, batch, least_depth } = self;
        format!(
            "{count}, each with its own table; every {delay} rounds at most {batch} entries a worker, \
             from depth {least_depth}"
        )
    }
}

/// The ranks of one engine: its workers are divided evenly among them.
pub struct Simulated {
    ranks: Ranks,
    /// Workers of each rank.
    threads: usize,
    /// The tables of all ranks but the first, which uses the engine's.
    tables: Vec<Table>,
    /// One per worker.
    outboxes: Vec<Outbox>,
    ring: Mutex<Ring>,
}

/// The network.
struct Ring {
    /// The table of the first rank.
    first: Option<Arc<Table>>,
    relays: Vec<Relay>,
    /// The round in which the next messages are sent.
    next: u64,
}

impl Simulated {
    /// `workers` workers in ranks with empty tables of `hash` MiB.
    ///
    /// # Errors
    /// [`TableError`], if a table cannot be allocated.
    pub fn new(ranks: Ranks, workers: usize, hash: usize) -> Result<Self, TableError> {
        let tables = (1..ranks.count).map(|_| Table::new(hash)).collect::<Result<_, _>>()?;
        let relays = (0..ranks.count).map(|_| Relay::new(ranks.count, MESSAGE)).collect();
        Ok(Self {
            ranks,
            threads: workers.div_ceil(ranks.count),
            tables,
            outboxes: (0..workers).map(|_| Outbox::new(ranks.batch)).collect(),
            ring: Mutex::new(Ring { first: None, relays, next: ranks.delay }),
        })
    }

    /// Every rank sends a message to the next, which stores what is in it.
    fn step(&self, ring: &mut Ring) {
        for (worker, outbox) in self.outboxes.iter().enumerate() {
            let relay = &mut ring.relays[worker / self.threads];
            outbox.take(|packet| relay.add(packet));
        }
        let mut messages = vec![Vec::new(); self.ranks.count];
        for (relay, message) in ring.relays.iter_mut().zip(&mut messages) {
            relay.write(message);
        }
        for (from, message) in messages.iter().enumerate() {
            let to = (from + 1) % self.ranks.count;
            let own = to.checked_sub(1).map(|index| &self.tables[index]);
            let Some(table) = own.or(ring.first.as_deref()) else { continue };
            ring.relays[to].receive(message, |packet| table.receive(packet));
        }
    }
}

impl Transport for Simulated {
    fn filter(&self) -> Filter {
        Filter { least_depth: self.ranks.least_depth, batch: self.ranks.batch }
    }

    fn begin(&self, table: &Arc<Table>, workers: usize) {
        assert_eq!(workers, self.outboxes.len(), "made for this number of workers");
        let mut ring = self.ring.lock();
        ring.first = Some(Arc::clone(table));
        ring.next = self.ranks.delay;
        ring.relays.iter_mut().for_each(Relay::clear);
        self.outboxes.iter().for_each(|outbox| outbox.take(|_| ()));
        self.tables.iter().for_each(Table::begin_search);
    }

    fn table(&self, worker: usize) -> Option<&Table> {
        let rank = worker / self.threads;
        rank.checked_sub(1).map(|index| &self.tables[index])
    }

    fn send(&self, worker: usize, packets: &[heddle::tt::Packet]) -> bool {
        self.outboxes[worker].put(packets)
    }

    fn turn(&self, round: u64) {
        let mut ring = self.ring.lock();
        if round >= ring.next {
            ring.next = round + self.ranks.delay;
            self.step(&mut ring);
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
        let ranks = Simulated::new(RANKS, 6, 1).unwrap();
        let first = Arc::new(Table::new(1).unwrap());
        ranks.begin(&first, 6);
        let knows = |rank: usize| ranks.table(2 * rank).unwrap_or(&first).probe(9, 0).is_some();
        // From the second worker of the second rank.
        assert!(ranks.send(3, &[packet(&first, 9)]));
        assert!(!ranks.send(3, &[packet(&first, 8)]), "the first has not left");
        ranks.turn(3);
        assert_eq!([0, 1, 2].map(knows), [false; 3]);
        ranks.turn(4);
        assert_eq!([0, 1, 2].map(knows), [false, false, true]);
        ranks.turn(5);
        assert!(!knows(0), "the next message is not due");
        ranks.turn(8);
        assert_eq!([0, 1, 2].map(knows), [true, false, true]);
    }

    #[test]
    fn what_was_under_way_is_lost_with_the_search() {
        let ranks = Simulated::new(RANKS, 3, 1).unwrap();
        let first = Arc::new(Table::new(1).unwrap());
        ranks.begin(&first, 3);
        ranks.send(0, &[packet(&first, 9)]);
        ranks.begin(&first, 3);
        ranks.turn(4);
        assert!(ranks.table(1).unwrap().probe(9, 0).is_none());
    }
}
