//! Four slots in one cache line, and the choice of the entry to replace.

use super::entry::{AGES, Bound, Word};
use super::slot::Slot;
use crate::position::{Key, PackedMove};
use crate::score::Depth;

/// Slots of a cluster.
pub(super) const SLOTS: usize = 4;

/// An entry replaces one of the same key if it is shallower by less than this, in plies, since the
/// older one's window or bound may no longer be of use (Stockfish, `TTEntry::save`).
const SHALLOWER: Depth = 4;

/// The same for an entry of a principal variation, in further plies (Stockfish, ibid.).
const PV_BONUS: Depth = 2;

/// Plies by which an entry loses worth with every search since it was stored
/// (Stockfish, `TranspositionTable::probe`).
const AGE_PENALTY: Depth = 8;

/// The slots that share an index; the size of a cache line, so that a probe costs one miss.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Cluster([Slot; SLOTS]);

#[cfg(not(loom))]
const _: () = assert!(size_of::<Cluster>() == 64);

/// The result of probing a cluster, for a census.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// The slot that holds the key, and its word.
    pub found: Option<(usize, Word)>,
    /// The slots before it, or in the whole cluster, that hold another key.
    pub rejected: u64,
}

/// The effect of storing an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The slot was empty.
    Filled,
    /// The slot held the same key.
    Updated,
    /// The slot holds the same key and was left as it is.
    Kept,
    /// The slot held another key, from an earlier search.
    ReplacedOlder,
    /// The slot held another key, from the same search.
    ReplacedCurrent,
}

impl Cluster {
    /// The word stored under `key`, in the first slot that holds it.
    ///
    /// No branch depends on which slot that is: it would be mispredicted more often than not, and
    /// what follows could not begin before the memory answers.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Word> {
        let slots = self.0.iter().rev();
        let word = Word(slots.fold(Word::EMPTY.0, |word, slot| slot.load_or(key, word)));
        (word != Word::EMPTY).then_some(word)
    }

    /// [`probe`](Self::probe) with the details that a census counts.
    pub fn probe_counted(&self, key: Key) -> Probe {
        let mut rejected = 0;
        for (index, slot) in self.0.iter().enumerate() {
            let (found, data) = slot.read();
            if found == key {
                return Probe { found: Some((index, Word(data))), rejected };
            }
            rejected += u64::from(Word(data) != Word::EMPTY);
        }
        Probe { found: None, rejected }
    }

    /// Stores `new` under `key`: over the same key if it is there, else over the least valuable.
    /// Returns the slot and what was done to it.
    ///
    /// Other workers may write the same slots meanwhile. Each store is whole or a miss to readers,
    /// so at worst one of two entries is lost, or a key is stored twice.
    #[inline]
    pub fn store(&self, key: Key, new: Word) -> (usize, Stored) {
        let mut victim = (0, Word::EMPTY);
        let mut least = Depth::MAX;
        for (index, slot) in self.0.iter().enumerate() {
            let (found, data) = slot.read();
            let old = Word(data);
            if found == key && old != Word::EMPTY {
                let merged = merge(old, new);
                if merged == old {
                    return (index, Stored::Kept);
                }
                slot.store(key, merged.0);
                return (index, Stored::Updated);
            }
            let worth = worth(old, new.age());
            if worth < least {
                (victim, least) = ((index, old), worth);
            }
        }
        let (index, old) = victim;
        self.0[index].store(key, new.0);
        let stored = match old {
            Word::EMPTY => Stored::Filled,
            _ if old.age() == new.age() => Stored::ReplacedCurrent,
            _ => Stored::ReplacedOlder,
        };
        (index, stored)
    }

    /// The words of all slots.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        self.0.iter().map(|slot| Word(slot.read().1))
    }

    /// Empties every slot.
    pub fn clear(&self) {
        for slot in &self.0 {
            slot.store(0, Word::EMPTY.0);
        }
    }
}

/// The merger of two entries of the same position.
///
/// The new one, unless the old one is from the same search and clearly deeper, or has a score where
/// the new one has none. A known move is kept until there is a newer one.
fn merge(old: Word, new: Word) -> Word {
    let pv_bonus = if new.was_pv() { PV_BONUS } else { 0 };
    let deep_enough = new.depth() + pv_bonus + SHALLOWER > old.depth();
    let replaces = new.bound() == Some(Bound::Exact)
        || old.bound().is_none()
        || new.bound().is_some() && (new.age() != old.age() || deep_enough);
    let best = if new.best() == PackedMove::NONE { old.best() } else { new.best() };
    if replaces { new.with_best(best) } else { old.with_best(best) }
}

/// The worth of an entry to the search of age `now`, in plies; an empty slot is worth least.
fn worth(word: Word, now: u64) -> Depth {
    if word == Word::EMPTY {
        return Depth::MIN;
    }
    let searches_ago = (now + AGES - word.age()) % AGES;
    word.depth() - AGE_PENALTY * searches_ago as Depth
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::tt::Entry;

    fn entry(depth: Depth, bound: Bound) -> Entry {
        let best = PackedMove::from_bits(depth as u16 + 1);
        let score = Some((Score::new(depth), bound));
        Entry { best, score, eval: Some(Score::DRAW), depth, was_pv: false }
    }

    fn word(depth: Depth, bound: Bound, age: u64) -> Word {
        Word::pack(&entry(depth, bound), 0, age)
    }

    /// A cluster with keys 1 to 4 at these depths and ages.
    fn cluster(contents: [(Depth, u64); SLOTS]) -> Cluster {
        let cluster = Cluster::default();
        for (key, (depth, age)) in (1..).zip(contents) {
            cluster.store(key, word(depth, Bound::Lower, age));
        }
        cluster
    }

    #[test]
    fn an_empty_slot_is_filled_before_anything_is_replaced() {
        let cluster = cluster([(1, 0), (2, 0), (3, 0), (4, 0)]);
        assert!((1..=4).all(|key| cluster.probe(key).is_some()));
        assert_eq!(cluster.probe(5), None);
    }

    #[test]
    fn the_shallowest_is_replaced() {
        let cluster = cluster([(7, 0), (2, 0), (9, 0), (4, 0)]);
        cluster.store(5, word(0, Bound::Upper, 0));
        assert_eq!(cluster.probe(2), None);
        assert!([1, 3, 4, 5].iter().all(|&key| cluster.probe(key).is_some()));
    }

    #[test]
    fn age_weighs_against_depth() {
        // Two searches old at depth 20 is worth 4: more than depth 3 now, less than depth 5 now.
        let aged = cluster([(20, 0), (30, 2), (3, 2), (40, 2)]);
        aged.store(5, word(1, Bound::Upper, 2));
        assert!(aged.probe(1).is_some() && aged.probe(3).is_none());
        let aged = cluster([(20, 0), (30, 2), (5, 2), (40, 2)]);
        aged.store(5, word(1, Bound::Upper, 2));
        assert!(aged.probe(1).is_none() && aged.probe(3).is_some());
    }

    #[test]
    fn ages_wrap_around() {
        let aged = cluster([(20, AGES - 1), (30, 1), (5, 1), (40, 1)]);
        aged.store(5, word(1, Bound::Upper, 1));
        assert_eq!(aged.probe(1), None);
    }

    #[test]
    fn a_key_is_never_stored_twice() {
        let cluster = Cluster::default();
        for depth in 0..8 {
            cluster.store(7, word(depth, Bound::Exact, 0));
        }
        assert_eq!(cluster.words().filter(|&word| word != Word::EMPTY).count(), 1);
        assert_eq!(cluster.probe(7).map(Word::depth), Some(7));
    }

    #[test]
    fn a_clearly_deeper_entry_of_this_search_is_kept() {
        let deep = word(10, Bound::Lower, 3);
        let depth_after = |new| merge(deep, new).depth();
        assert_eq!(depth_after(word(6, Bound::Upper, 3)), 10);
        assert_eq!(depth_after(word(7, Bound::Upper, 3)), 7);
        assert_eq!(depth_after(word(1, Bound::Exact, 3)), 1);
        assert_eq!(depth_after(word(1, Bound::Upper, 4)), 1);
        let pv = Entry { was_pv: true, ..entry(5, Bound::Upper) };
        assert_eq!(depth_after(Word::pack(&pv, 0, 3)), 5);
    }

    #[test]
    fn a_known_move_outlives_an_entry_without_one() {
        let old = word(4, Bound::Lower, 0);
        let new = Word::pack(&Entry { best: PackedMove::NONE, ..entry(9, Bound::Upper) }, 0, 0);
        assert_eq!(merge(old, new).best(), old.best());
        assert_eq!(merge(old, new).depth(), 9);
    }

    #[test]
    fn a_newer_move_enters_a_deeper_entry() {
        let (old, new) = (word(20, Bound::Lower, 0), word(3, Bound::Lower, 0));
        assert_eq!(merge(old, new).best(), new.best());
        assert_eq!(merge(old, new).depth(), 20);
    }

    #[test]
    fn a_mere_evaluation_replaces_no_score() {
        let old = word(1, Bound::Lower, 0);
        let new = Word::pack(&Entry { score: None, ..entry(3, Bound::Lower) }, 0, 1);
        assert_eq!(merge(old, new).bound(), Some(Bound::Lower));
        assert_eq!(merge(new, old), old);
    }

    #[test]
    fn key_zero_is_a_key_like_any_other() {
        let cluster = Cluster::default();
        cluster.store(0, word(3, Bound::Exact, 0));
        assert_eq!(cluster.probe(0).map(Word::depth), Some(3));
        cluster.clear();
        assert_eq!(cluster.probe(0).and_then(|word| word.unpack(0)), None);
    }
}
