//! The deepest entries of a worker.

use super::Filter;
use crate::tt::Packet;

/// The deepest packets among those offered, each key once.
#[derive(Debug)]
pub struct Deepest {
    filter: Filter,
    packets: Vec<Packet>,
}

impl Deepest {
    /// None yet. Room for all that `filter` lets pass is allocated at once.
    #[must_use]
    pub fn new(filter: Filter) -> Self {
        Self { filter, packets: Vec::with_capacity(filter.batch) }
    }

    /// Keeps `packet` if it is deep enough: in place of an older one of its key, or where there is
    /// room, or in place of the shallowest. Returns whether it was kept.
    pub fn offer(&mut self, packet: Packet) -> bool {
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
    #[must_use]
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.packets.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::Key;
    use crate::score::Depth;

    fn packet(key: Key, depth: Depth) -> Packet {
        Packet { key, word: (depth as u64) << 48 }
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
