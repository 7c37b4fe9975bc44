//! From a worker to whoever carries its entries on, without a lock.
//!
//! One batch at a time: the worker fills an empty outbox, the carrier empties a full one, and the count
//! says whose turn it is. Neither waits: a worker that finds its last batch still there goes on
//! gathering, and tries again when it stores its next entry.
//!
//! The packets themselves are relaxed: the count orders them. Its release when the outbox is filled
//! publishes the packets to the carrier; its release when the outbox is emptied tells the worker that
//! they have been read, so that it does not write over them.

use crate::sync::{AtomicU64, Ordering};
use crate::tt::Packet;

/// One batch of packets between two threads.
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

    /// Hands `packets` over, as many as there is room for, unless the last ones have not been taken.
    /// Returns whether it did. Only the worker may call it.
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

    /// Calls `each` with every packet that waits and empties the outbox. Only the carrier may call it.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::thread;

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
}
