//! The way between the tables of several engines that search the same position.
//!
//! Each such engine is a *rank*: workers on one machine around a table of their own. The search
//! knows nothing of it: [`Outgoing`] listens to what each worker stores, through the engine's one
//! hook, gathers the deepest entries and puts them into the worker's [`Outbox`] without waiting. A
//! carrier takes them from there: MPI in `tools/cluster`, or a simulation in lockstep in
//! `tools/scaling`. Ranks form a ring, in which each [`Relay`]s what it hears to the next.

use std::cmp::Reverse;

use heddle::score::Depth;
use heddle::sync::{Arc, AtomicU64, Ordering};
use heddle::tt::{Packet, StoreHook};

/// The most packets in a message from rank to rank: 48 KiB with the number of their search.
pub const MESSAGE: usize = 2048;

/// The choice of the entries that a worker sends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The least depth of an entry that is sent, in plies.
    pub least_depth: Depth,
    /// The most entries that a worker gathers before they are taken; the deepest are kept.
    pub batch: usize,
}

impl Filter {
    /// A middle course: the simulation of `docs/cluster.md` tells little from much no better.
    pub const DEFAULT: Self = Self { least_depth: 3, batch: 16 };
}

/// The outboxes of a rank's workers.
#[derive(Debug)]
pub struct Outgoing {
    filter: Filter,
    outboxes: Vec<Outbox>,
}

impl Outgoing {
    /// Outboxes for `workers` workers, who put in them what `filter` lets pass.
    pub fn new(workers: usize, filter: Filter) -> Self {
        let outboxes = (0..workers).map(|_| Outbox::new(filter.batch)).collect();
        Self { filter, outboxes }
    }

    /// Gathers the deepest entries that each worker of a search stores, and puts them into its
    /// outbox whenever that is empty.
    pub fn hook(self: &Arc<Self>) -> Arc<StoreHook> {
        let outgoing = Arc::clone(self);
        Arc::new(move |worker| {
            let outgoing = Arc::clone(&outgoing);
            let mut deepest = Deepest::new(outgoing.filter);
            Box::new(move |packet| {
                // A worker without an outbox sends nothing.
                let outbox = outgoing.outboxes.get(worker);
                if deepest.offer(packet)
                    && outbox.is_some_and(|outbox| outbox.put(&deepest.packets))
                {
                    deepest.packets.clear();
                }
            })
        })
    }

    /// Calls `each` with whatever waits in the outboxes of all workers.
    pub fn take(&self, mut each: impl FnMut(Packet)) {
        self.outboxes.iter().for_each(|outbox| outbox.take(&mut each));
    }
}

/// The deepest packets among those offered, each key once.
#[derive(Debug)]
struct Deepest {
    filter: Filter,
    packets: Vec<Packet>,
}

impl Deepest {
    /// None yet. Room for all that `filter` lets pass is allocated at once.
    fn new(filter: Filter) -> Self {
        Self { filter, packets: Vec::with_capacity(filter.batch) }
    }

    /// Keeps `packet` if it is deep enough: in place of an older one of its key, or where there is
    /// room, or in place of the shallowest. Returns whether it was kept.
    fn offer(&mut self, packet: Packet) -> bool {
        if packet.depth() < self.filter.least_depth {
            return false;
        }
        if let Some(same) = self.packets.iter_mut().find(|kept| kept.key == packet.key) {
            *same = packet;
        } else if self.packets.len() < self.filter.batch {
            self.packets.push(packet);
        } else {
            let shallowest = self.packets.iter_mut().min_by_key(|kept| kept.depth());
            let Some(victim) = shallowest.filter(|kept| kept.depth() < packet.depth()) else {
                return false;
            };
            *victim = packet;
        }
        true
    }
}

/// One batch of packets on its way from a worker to whoever carries them on, without a lock.
///
/// The worker fills an empty outbox, the carrier empties a full one, and the count says whose turn
/// it is. Neither waits: a worker that finds its last batch still there goes on gathering, and
/// tries again when it stores its next entry.
///
/// The packets themselves are relaxed: the count orders them. Its release when the outbox is filled
/// publishes the packets to the carrier; its release when the outbox is emptied tells the worker
/// that they have been read, so that it does not write over them.
#[derive(Debug)]
pub struct Outbox {
    /// Packets that wait for the carrier; while there are none, the worker may write them.
    count: AtomicU64,
    /// The key and the word of each packet.
    packets: Box<[(AtomicU64, AtomicU64)]>,
}

impl Outbox {
    /// An empty one for at most `room` packets.
    pub fn new(room: usize) -> Self {
        Self { count: AtomicU64::new(0), packets: (0..room).map(|_| Default::default()).collect() }
    }

    /// Hands `packets` over, as many as there is room for, unless the last ones have not been
    /// taken. Returns whether it did. Only the worker may call it.
    pub fn put(&self, packets: &[Packet]) -> bool {
        // It pairs with the release in `take`: the last packets have been read.
        if self.count.load(Ordering::Acquire) != 0 {
            return false;
        }
        let mut count = 0;
        for ((key, word), packet) in self.packets.iter().zip(packets) {
            key.store(packet.key, Ordering::Relaxed);
            word.store(packet.word, Ordering::Relaxed);
            count += 1;
        }
        // It pairs with the acquire in `take`: the packets are there.
        self.count.store(count, Ordering::Release);
        true
    }

    /// Calls `each` with every packet that waits and empties the outbox. Only the carrier may call
    /// it.
    pub fn take(&self, mut each: impl FnMut(Packet)) {
        // It pairs with the release in `put`: the packets are there.
        let count = self.count.load(Ordering::Acquire);
        if count == 0 {
            return;
        }
        for (key, word) in self.packets.iter().take(count as usize) {
            each(Packet { key: key.load(Ordering::Relaxed), word: word.load(Ordering::Relaxed) });
        }
        // It pairs with the acquire in `put`: the packets have been read.
        self.count.store(0, Ordering::Release);
    }
}

/// Words of a packet in a message: key, word, and the ranks after the receiver that it is for.
const WORDS: usize = 3;

/// A rank's place in the ring: what waits there to be sent to the next.
///
/// Every rank sends to the next one alone: what its own workers have found, and what it has heard
/// from the rank before it. A packet counts the ranks that it has still to reach, so it passes each
/// of them once. All links carry the same load, and a rank sends as many messages with sixty ranks
/// as with two.
///
/// The packets that wait are bounded: the deepest are kept.
#[derive(Debug)]
pub struct Relay {
    ranks: u64,
    room: usize,
    /// Each with the ranks that it is for.
    waiting: Vec<(Packet, u64)>,
}

impl Relay {
    /// The place of one of `ranks` ranks, whose messages hold at most `room` packets.
    pub fn new(ranks: usize, room: usize) -> Self {
        Self { ranks: ranks as u64, room, waiting: Vec::new() }
    }

    /// Adds what a worker of this rank has found, for all other ranks.
    pub fn add(&mut self, packet: Packet) {
        self.push(packet, self.ranks.saturating_sub(1));
    }

    /// Takes in a message of the rank before this one: calls `store` with every packet, and keeps
    /// those that go further. Any words are a message.
    pub fn receive(&mut self, message: &[u64], mut store: impl FnMut(Packet)) {
        for words in message.chunks_exact(WORDS) {
            let packet = Packet { key: words[0], word: words[1] };
            store(packet);
            // Never back to where it came from, whatever the message says.
            self.push(packet, words[2].min(self.ranks.saturating_sub(2)));
        }
    }

    /// Moves what waits to the end of `message`: the deepest packets, as many as a message may
    /// hold.
    pub fn write(&mut self, message: &mut Vec<u64>) {
        self.prune();
        let words = |(packet, ranks): (Packet, u64)| [packet.key, packet.word, ranks - 1];
        message.extend(self.waiting.drain(..).flat_map(words));
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Forgets what waits.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    fn push(&mut self, packet: Packet, ranks: u64) {
        if ranks == 0 {
            return;
        }
        self.waiting.push((packet, ranks));
        // Now and then only, since it looks at everything.
        if self.waiting.len() >= 2 * self.room.max(1) {
            self.prune();
        }
    }

    /// Drops what a message has no room for.
    fn prune(&mut self) {
        if self.waiting.len() > self.room {
            // Ties are broken by the key, so that a simulation can be repeated.
            let order = |(packet, _): &(Packet, u64)| (Reverse(packet.depth()), packet.key);
            self.waiting.sort_unstable_by_key(order);
            self.waiting.truncate(self.room);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod exchange_tests {
    use super::*;
    use heddle::position::Key;
    use heddle::sync::thread;

    fn packet(key: Key, depth: Depth) -> Packet {
        Packet { key, word: (depth as u64) << 48 }
    }

    fn waiting(outgoing: &Outgoing) -> Vec<u64> {
        let mut keys = Vec::new();
        outgoing.take(|packet| keys.push(packet.key));
        keys.sort_unstable();
        keys
    }

    #[test]
    fn what_waits_for_the_carrier_is_the_deepest() {
        let outgoing = Arc::new(Outgoing::new(2, Filter { least_depth: 3, batch: 2 }));
        let hook = outgoing.hook();
        let (mut first, mut second) = (hook(0), hook(1));
        first(packet(1, 2));
        assert!(waiting(&outgoing).is_empty(), "too shallow");
        first(packet(2, 3));
        second(packet(3, 3));
        // The outbox is full from here on.
        [(4, 5), (5, 4), (6, 9)].into_iter().for_each(|(key, depth)| first(packet(key, depth)));
        assert_eq!(waiting(&outgoing), [2, 3]);
        first(packet(7, 6));
        assert_eq!(waiting(&outgoing), [6, 7]);
    }

    #[test]
    fn nothing_is_gathered_from_search_to_search() {
        let outgoing = Arc::new(Outgoing::new(1, Filter { least_depth: 0, batch: 4 }));
        let hook = outgoing.hook();
        let mut worker = hook(0);
        [1, 2].into_iter().for_each(|key| worker(packet(key, 3)));
        assert_eq!(waiting(&outgoing), [1]);
        hook(0)(packet(3, 3));
        assert_eq!(waiting(&outgoing), [3]);
        hook(1)(packet(4, 3));
        assert!(waiting(&outgoing).is_empty(), "nobody has an outbox for it");
    }

    fn kept(deepest: &Deepest) -> Vec<(Key, Depth)> {
        let mut kept: Vec<_> =
            deepest.packets.iter().map(|packet| (packet.key, packet.depth())).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn the_deepest_are_kept() {
        let mut deepest = Deepest::new(Filter { least_depth: 3, batch: 2 });
        for (key, depth) in [(1, 3), (2, 2), (3, 8), (4, 5), (5, 5), (6, 4)] {
            deepest.offer(packet(key, depth));
        }
        assert_eq!(kept(&deepest), [(3, 8), (4, 5)]);
    }

    #[test]
    fn a_position_is_kept_once_as_it_was_stored_last() {
        let mut deepest = Deepest::new(Filter { least_depth: 1, batch: 2 });
        for (key, depth) in [(1, 6), (2, 7), (1, 4)] {
            assert!(deepest.offer(packet(key, depth)));
        }
        assert_eq!(kept(&deepest), [(1, 4), (2, 7)]);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let mut deepest = Deepest::new(Filter { least_depth: 0, batch: 0 });
        assert!(!deepest.offer(packet(1, 9)));
    }

    fn packets(keys: std::ops::Range<u64>) -> Vec<Packet> {
        keys.map(|key| Packet { key, word: !key }).collect()
    }

    fn taken(outbox: &Outbox) -> Vec<Packet> {
        let mut taken = Vec::new();
        outbox.take(|packet| taken.push(packet));
        taken
    }

    #[test]
    fn a_batch_is_taken_once_and_makes_room_for_the_next() {
        let outbox = Outbox::new(4);
        assert!(taken(&outbox).is_empty());
        assert!(outbox.put(&packets(0..3)));
        assert!(!outbox.put(&packets(3..4)), "the first has not been taken");
        assert_eq!(taken(&outbox), packets(0..3));
        assert!(taken(&outbox).is_empty());
        assert!(outbox.put(&packets(3..9)));
        assert_eq!(taken(&outbox), packets(3..7), "what there is room for");
    }

    #[test]
    fn every_packet_put_is_taken_once_whole_and_in_order() {
        const PACKETS: u64 = 100_000;
        let outbox = Outbox::new(3);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut next = 0;
                while next < PACKETS {
                    if outbox.put(&packets(next..next + 2)) {
                        next += 2;
                    }
                }
            });
            let mut expected = 0;
            while expected < PACKETS {
                outbox.take(|packet| {
                    assert_eq!(packet, Packet { key: expected, word: !expected });
                    expected += 1;
                });
            }
        });
    }

    /// One step of the ring: everybody sends, then everybody receives. Notes who has heard what.
    fn step(ring: &mut [Relay], heard: &mut Vec<(usize, u64)>) {
        let messages: Vec<Vec<u64>> = ring
            .iter_mut()
            .map(|relay| {
                let mut message = Vec::new();
                relay.write(&mut message);
                message
            })
            .collect();
        let ranks = ring.len();
        for (from, message) in messages.iter().enumerate() {
            let to = (from + 1) % ranks;
            ring[to].receive(message, |packet| heard.push((to, packet.key)));
        }
    }

    #[test]
    fn every_other_rank_hears_a_packet_once() {
        for ranks in [1, 2, 3, 5] {
            let mut ring: Vec<_> = (0..ranks).map(|_| Relay::new(ranks, 100)).collect();
            for (rank, relay) in ring.iter_mut().enumerate() {
                relay.add(packet(rank as u64, 4));
            }
            let mut heard = Vec::new();
            (0..3 * ranks).for_each(|_| step(&mut ring, &mut heard));
            heard.sort_unstable();
            let others = |rank| (0..ranks as u64).filter(move |&key| key != rank as u64);
            let expected: Vec<_> =
                (0..ranks).flat_map(|rank| others(rank).map(move |key| (rank, key))).collect();
            assert_eq!(heard, expected);
            assert!(ring.iter().all(Relay::is_empty));
        }
    }

    #[test]
    fn a_message_holds_the_deepest() {
        let mut relay = Relay::new(2, 3);
        for key in 0..50 {
            relay.add(packet(key, (key * 7 % 50) as Depth));
        }
        let (mut message, mut heard) = (Vec::new(), Vec::new());
        relay.write(&mut message);
        Relay::new(2, 3).receive(&message, |packet| heard.push(packet.depth()));
        assert_eq!(heard, [49, 48, 47]);
    }

    #[test]
    fn no_message_travels_for_ever() {
        let mut ring: Vec<_> = (0..3).map(|_| Relay::new(3, 10)).collect();
        ring[0].receive(&[1, 2, u64::MAX, 5, 6, 0, 7], |_| {});
        let mut heard = Vec::new();
        (0..9).for_each(|_| step(&mut ring, &mut heard));
        assert_eq!(heard, [(1, 1)]);
        ring[0].add(packet(1, 1));
        ring[0].clear();
        assert!(ring[0].is_empty());
    }
}
