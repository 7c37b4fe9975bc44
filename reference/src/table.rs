//! The transposition table and its replacement policies.
//!
//! Text: lecture notes "Transposition Table", *replacement policy*; the two-tier policy is
//! D. M. Breuker, J. W. H. M. Uiterwijk, H. J. van den Herik, "Replacement Schemes for
//! Transposition Tables", 1994.
//!
//! Contract: [`Table::probe`] returns an entry only for the very key it was stored under. All
//! policies have the same buckets of two, so they differ only in what they replace.

use std::collections::HashMap;

use super::Window;
use heddle::score::{Depth, Score};

/// Slots in a bucket.
const WAYS: usize = 2;

/// Which entry of a bucket a new position replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The one in the slot that the key selects, always.
    #[default]
    Always,
    /// The one in the slot that the key selects, unless it is another position's and deeper.
    DepthPreferred,
    /// The one written first.
    Fifo,
    /// The one not written or read for the longest time.
    Lru,
    /// One slot holds the deepest entry, the other the latest of the rest.
    TwoTier,
}

/// The depth an entry needs to replace a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthRule {
    /// At least the search's: the rule of the texts.
    #[default]
    AtLeast,
    /// Exactly the search's, so that the table does not change the value of a fixed-depth search.
    Equal,
}

/// Which stored values replace a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutoffRule {
    /// An exact value, a lower bound of at least beta, an upper bound of at most alpha: the rule of
    /// the texts.
    #[default]
    Bounds,
    /// Only an exact value inside the window, which the TalkChess thread asks about.
    ExactInside,
}

/// How to build and use a table.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableOptions {
    /// Capacity in positions.
    pub capacity: usize,
    /// The replacement policy.
    pub policy: Policy,
    /// The depth an entry needs.
    pub depth_rule: DepthRule,
    /// Which entries cut off.
    pub cutoff_rule: CutoffRule,
    /// Keep the lower and the upper bound of a position, if they are of the same depth (Plaat and
    /// others); by default the later one replaces the other.
    pub both_bounds: bool,
    /// Narrow the window to the stored bounds where they do not cut off ("adjusting the alpha-beta
    /// window from the hash table", Letouzey).
    pub narrows_window: bool,
}

/// What is stored about a position. The value and what it means are an interval: the texts' exact
/// value is both of its ends, their lower and upper bounds have the other end at infinity.
#[derive(Clone, Copy, Debug)]
pub struct Entry<M> {
    /// The whole key.
    pub key: u64,
    /// The depth of the search, in quarter plies.
    pub depth: Depth,
    /// The value is at least this; mate scores count from this position.
    pub lower: Score,
    /// The value is at most this; mate scores count from this position.
    pub upper: Score,
    /// The best move, or the one that caused the cutoff.
    pub best_move: Option<M>,
}

impl<M> Entry<M> {
    /// The stored value, if it replaces a search with this window.
    pub fn settles(&self, window: Window, rule: CutoffRule) -> Option<Score> {
        let is_exact = self.lower == self.upper;
        if rule == CutoffRule::ExactInside {
            return (is_exact && window.contains(self.lower)).then_some(self.lower);
        }
        if is_exact || self.lower >= window.beta {
            Some(self.lower)
        } else {
            (self.upper <= window.alpha).then_some(self.upper)
        }
    }
}

/// An entry and the time it was last written, or under LRU also read.
type Way<M> = Option<(Entry<M>, u64)>;

/// A table with a fixed number of slots. Buckets never written to take no memory.
pub struct Table<M> {
    buckets: HashMap<u64, [Way<M>; WAYS]>,
    size: u64,
    policy: Policy,
    now: u64,
}

impl<M: Copy> Table<M> {
    /// An empty table.
    pub fn new(options: TableOptions) -> Self {
        let size = options.capacity.div_ceil(WAYS).max(1) as u64;
        Self { buckets: HashMap::new(), size, policy: options.policy, now: 0 }
    }

    /// The entry stored under `key`.
    pub fn probe(&mut self, key: u64) -> Option<Entry<M>> {
        self.now += 1;
        let (now, lru) = (self.now, self.policy == Policy::Lru);
        let bucket = self.bucket(key);
        let slots = self.buckets.get_mut(&bucket)?;
        let (entry, used) = slots.iter_mut().flatten().find(|s| s.0.key == key)?;
        if lru {
            *used = now;
        }
        Some(*entry)
    }

    /// The same without counting as a use.
    pub fn peek(&self, key: u64) -> Option<Entry<M>> {
        let slots = self.buckets.get(&self.bucket(key))?;
        slots.iter().flatten().find(|s| s.0.key == key).map(|s| s.0)
    }

    /// Stores `entry` where the policy says, or not at all. A position never has two entries.
    pub fn store(&mut self, entry: Entry<M>) {
        self.now += 1;
        let bucket = self.bucket(entry.key);
        let slots = self.buckets.entry(bucket).or_insert([None; WAYS]);
        let same = slots.iter().position(|s| s.is_some_and(|s| s.0.key == entry.key));
        let empty = || slots.iter().position(Option::is_none);
        let index = match self.policy {
            Policy::Always => Some(slot_index(entry.key)),
            Policy::DepthPreferred => {
                let index = slot_index(entry.key);
                slots[index]
                    .is_none_or(|s| s.0.key == entry.key || s.0.depth <= entry.depth)
                    .then_some(index)
            }
            Policy::Fifo | Policy::Lru => same.or_else(empty).or_else(|| oldest(slots)),
            Policy::TwoTier => {
                let deeper = slots[0].is_none_or(|s| s.0.depth <= entry.depth);
                if same.is_none() && deeper {
                    slots[1] = slots[0];
                }
                same.or(Some(usize::from(!deeper)))
            }
        };
        if let Some(index) = index {
            slots[index] = Some((entry, self.now));
        }
    }

    fn bucket(&self, key: u64) -> u64 {
        ((u128::from(key) * u128::from(self.size)) >> u64::BITS) as u64
    }
}

/// The slot that the key's low bits select; its high bits select the bucket.
fn slot_index(key: u64) -> usize {
    key as usize % WAYS
}

/// The slot with the earliest time.
fn oldest<M>(slots: &[Way<M>; WAYS]) -> Option<usize> {
    (0..WAYS).min_by_key(|&i| slots[i].as_ref().map_or(0, |s| s.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(policy: Policy) -> Table<u8> {
        Table::new(TableOptions { capacity: WAYS, policy, ..TableOptions::default() })
    }

    fn entry(key: u64, depth: Depth) -> Entry<u8> {
        Entry { key, depth, lower: Score::DRAW, upper: Score::DRAW, best_move: None }
    }

    /// The keys that survive storing `stored` and then 6, having read 2 in between.
    fn survivors(policy: Policy, stored: &[(u64, Depth)], last: Depth) -> Vec<u64> {
        let mut table = table(policy);
        for &(key, depth) in stored {
            table.store(entry(key, depth));
        }
        let _ = table.probe(2);
        table.store(entry(6, last));
        [1, 2, 4, 6].into_iter().filter(|&key| table.peek(key).is_some()).collect()
    }

    #[test]
    fn each_policy_drops_another_entry() {
        let stored = [(2, 9), (1, 5)];
        assert_eq!(survivors(Policy::Always, &stored, 1), [1, 6]);
        assert_eq!(survivors(Policy::DepthPreferred, &stored, 1), [1, 2]);
        assert_eq!(survivors(Policy::DepthPreferred, &stored, 9), [1, 6]);
        assert_eq!(survivors(Policy::Fifo, &stored, 1), [1, 6]);
        assert_eq!(survivors(Policy::Lru, &stored, 1), [2, 6]);
        assert_eq!(survivors(Policy::TwoTier, &stored, 1), [2, 6]);
        assert_eq!(survivors(Policy::TwoTier, &stored, 10), [2, 6]);
    }

    #[test]
    fn a_position_is_stored_once() {
        for policy in [Policy::Always, Policy::Fifo, Policy::Lru, Policy::TwoTier] {
            let mut table = table(policy);
            table.store(entry(2, 3));
            table.store(entry(2, 4));
            table.store(entry(1, 1));
            assert_eq!(table.peek(2).map(|e| e.depth), Some(4), "{policy:?}");
            assert!(table.peek(1).is_some(), "{policy:?}");
        }
    }
}
