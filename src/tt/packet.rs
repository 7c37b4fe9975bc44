//! An entry on its way from one table to another.
//!
//! It travels as two words, the whole key and the entry's word, so a table of any size on any
//! machine can take it. What arrives is treated like a word read from a slot: it is decoded totally
//! and its move is tested for legality before it is played.

use super::entry::{Entry, Word};
use super::table::Table;
use crate::position::Key;
use crate::score::Depth;

/// An entry with its key, its scores relative to its own node.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The position's key.
    pub key: Key,
    /// The entry's word; any 64 bits, as it may come from anywhere.
    pub word: u64,
}

/// Makes a listener for each worker's entries; nothing else in the search knows of a cluster. Each
/// worker calls it with its index at the start of a search, and the listener with every entry with
/// a score that it offers to the table.
pub type StoreHook = dyn Fn(usize) -> Box<dyn FnMut(Packet)> + Send + Sync;

impl Packet {
    /// The depth of the entry, in plies.
    pub fn depth(self) -> Depth {
        Word(self.word).depth()
    }
}

impl Table {
    /// The packet of an entry whose score is relative to a root `ply` plies above.
    pub fn packet(&self, key: Key, ply: usize, entry: &Entry) -> Packet {
        Packet { key, word: self.pack(entry, ply).0 }
    }

    /// Stores what another table sent as if a worker had found it now, unless it is no entry.
    pub fn receive(&self, packet: Packet) {
        if let Some(entry) = Entry::decode(packet.word, 0) {
            self.store(packet.key, 0, entry);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::position::PackedMove;
    use crate::score::Score;
    use crate::tt::Bound;

    fn entry(depth: Depth) -> Entry {
        Entry {
            best: PackedMove::from_bits(77),
            score: Some((Score::mate_in(12), Bound::Lower)),
            eval: Some(Score::new(-31)),
            depth,
            was_pv: true,
        }
    }

    #[test]
    fn an_entry_arrives_as_it_was_sent_at_any_ply() {
        let (from, to) = (Table::new(1).unwrap(), Table::with_clusters(3).unwrap());
        let packet = from.packet(99, 7, &entry(9));
        assert_eq!(packet.depth(), 9);
        to.receive(packet);
        from.store(99, 7, entry(9));
        for ply in [0, 5] {
            assert_eq!(to.probe(99, ply), from.probe(99, ply));
            assert!(to.probe(99, ply).is_some());
        }
    }

    #[test]
    fn what_arrives_has_the_age_of_the_receiver() {
        let (from, to) = (Table::new(1).unwrap(), Table::with_clusters(1).unwrap());
        (0..5).for_each(|_| from.begin_search());
        (0..2).for_each(|_| to.begin_search());
        to.receive(from.packet(1, 0, &entry(3)));
        assert_eq!(to.hashfull(), 250);
    }

    #[test]
    fn a_packet_replaces_by_the_same_rules_as_a_workers_entry() {
        let (from, to) = (Table::new(1).unwrap(), Table::with_clusters(1).unwrap());
        to.store(1, 0, entry(20));
        to.receive(from.packet(1, 0, &entry(2)));
        assert_eq!(to.probe(1, 0), Some(entry(20)));
    }

    proptest! {
        #[test]
        fn any_two_words_are_stored_or_dropped(key: u64, word: u64, ply in 0..64_usize) {
            let table = Table::with_clusters(1).unwrap();
            table.receive(Packet { key, word });
            prop_assert_eq!(table.probe(key, ply), Entry::decode(word, ply).filter(|_| word != 0));
        }
    }
}
