//! What the workers of a rank have to tell the others.

use super::{Deepest, Filter, Outbox};
use crate::sync::Arc;
use crate::tt::{Packet, StoreHook};

/// The outboxes of a rank's workers.
#[derive(Debug)]
pub struct Outgoing {
    filter: Filter,
    outboxes: Vec<Outbox>,
}

impl Outgoing {
    /// Outboxes for `workers` workers, who put in them what `filter` lets pass.
    #[must_use]
    pub fn new(workers: usize, filter: Filter) -> Self {
        let outboxes = (0..workers).map(|_| Outbox::new(filter.batch)).collect();
        Self { filter, outboxes }
    }

    /// Gathers the deepest entries that each worker of a search stores, and puts them into its outbox
    /// whenever that is empty.
    #[must_use]
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn packet(key: u64, depth: u64) -> Packet {
        Packet { key, word: depth << 48 }
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
}
