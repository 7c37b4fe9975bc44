//! A rank's place in the ring.
//!
//! Every rank sends to the next one alone: what its own workers have found, and what it has heard from
//! the rank before it. A packet counts the ranks that it has still to reach, so it passes each of them
//! once. All links carry the same load, and a rank sends as many messages with sixty ranks as with two.
//!
//! What waits to be sent is bounded: the deepest are kept.

use std::cmp::Reverse;

use crate::tt::Packet;

/// Words of a packet in a message: key, word, and the ranks after the receiver that it is for.
const WORDS: usize = 3;

/// What waits at one rank to be sent to the next.
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

    /// Moves what waits to the end of `message`: the deepest packets, as many as a message may hold.
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
mod tests {
    use super::*;

    /// A packet of that depth.
    fn packet(key: u64, depth: u64) -> Packet {
        Packet { key, word: depth << 48 }
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
            relay.add(packet(key, key * 7 % 50));
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
