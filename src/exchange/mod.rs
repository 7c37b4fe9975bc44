//! The way between the tables of several engines that search the same position.
//!
//! Each such engine is a *rank*: workers on one machine around a table of their own. The search knows nothing of
//! it: [`Outgoing`] listens to what each worker stores, through the engine's one hook, gathers the deepest
//! entries and puts them into the worker's [`Outbox`] without waiting. A carrier takes them from there: MPI in
//! `tools/cluster`, or a simulation in lockstep in `tools/scaling`. Ranks form a ring, in which each [`Relay`]s
//! what it hears to the next.

mod outbox;
mod relay;

pub use outbox::Outbox;
pub use relay::Relay;

use crate::score::Depth;
use crate::sync::Arc;
use crate::tt::{Packet, StoreHook};

/// The most packets in a message from rank to rank: 48 KiB with the number of their search.
pub const MESSAGE: usize = 2048;

/// What a worker sends.
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

    /// Gathers the deepest entries that each worker of a search stores, and puts them into its outbox
    /// whenever that is empty.
    pub fn hook(self: &Arc<Self>) -> Arc<StoreHook> {
        let outgoing = Arc::clone(self);
        Arc::new(move |worker| {
            let outgoing = Arc::clone(&outgoing);
            let mut deepest = Deepest::new(outgoing.filter);
            Box::new(move |packet| {
                if deepest.offer(packet) && outgoing.put(worker, deepest.packets()) {
                    deepest.clear();
                }
            })
        })
    }

    /// Calls `each` with whatever waits in the outboxes of all workers.
    pub fn take(&self, mut each: impl FnMut(Packet)) {
        self.outboxes.iter().for_each(|outbox| outbox.take(&mut each));
    }

    /// Keeps nothing of a worker without an outbox.
    fn put(&self, worker: usize, packets: &[Packet]) -> bool {
        self.outboxes.get(worker).is_some_and(|outbox| outbox.put(packets))
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

    /// What has been kept, in no particular order.
    fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.packets.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::Key;

    fn packet(key: Key, depth: Depth) -> Packet {
        Packet { key, word: (depth as u64) << 48 }
    }

    fn taken(outgoing: &Outgoing) -> Vec<u64> {
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
        assert!(taken(&outgoing).is_empty(), "too shallow");
        first(packet(2, 3));
        second(packet(3, 3));
        // The outbox is full from here on.
        [(4, 5), (5, 4), (6, 9)].into_iter().for_each(|(key, depth)| first(packet(key, depth)));
        assert_eq!(taken(&outgoing), [2, 3]);
        first(packet(7, 6));
        assert_eq!(taken(&outgoing), [6, 7]);
    }

    #[test]
    fn nothing_is_gathered_from_search_to_search() {
        let outgoing = Arc::new(Outgoing::new(1, Filter { least_depth: 0, batch: 4 }));
        let hook = outgoing.hook();
        let mut worker = hook(0);
        [1, 2].into_iter().for_each(|key| worker(packet(key, 3)));
        assert_eq!(taken(&outgoing), [1]);
        hook(0)(packet(3, 3));
        assert_eq!(taken(&outgoing), [3]);
        hook(1)(packet(4, 3));
        assert!(taken(&outgoing).is_empty(), "nobody has an outbox for it");
    }

    fn kept(deepest: &Deepest) -> Vec<(Key, Depth)> {
        let mut kept: Vec<_> =
            deepest.packets().iter().map(|packet| (packet.key, packet.depth())).collect();
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
        deepest.clear();
        assert!(deepest.packets().is_empty());
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
}
