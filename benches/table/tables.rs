//! The tables that are compared.
//!
//! All but the shipped table lie in the same kind of memory, one cluster of four slots per cache
//! line, and search it in the same way. Locks are stored separately, on cache lines of their own,
//! so that the tables differ only in locking.

use std::hint::{black_box, select_unpredictable};
use std::sync::atomic::Ordering::Relaxed;

use crossbeam_utils::CachePadded;
use heddle::position::PackedMove;
use heddle::score::Score;
use heddle::tt::{Bound, Entry, Table};
use parking_lot::{Mutex, RwLock};

use super::memory::{Cluster, SLOTS};

const SHARDS: usize = 1024;

/// A table of words. The results of a probe are computed and discarded.
pub trait Words: Sync {
    fn probe(&self, key: u64);
    fn store(&self, key: u64, data: u64);
    fn prefetch(&self, _key: u64) {}
}

impl Words for Table {
    #[inline]
    fn probe(&self, key: u64) {
        black_box(Self::probe(self, key, 0));
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        let entry = Entry {
            best: PackedMove::from_bits(data as u16),
            score: Some((Score::new(12), Bound::Lower)),
            eval: Some(Score::new(34)),
            depth: 5,
            was_pv: false,
        };
        Self::store(self, key, 0, entry);
    }
}

/// The shipped table as a search uses it: clusters are prefetched a little before they are probed.
pub struct Prefetched<'a>(pub &'a Table);

impl Words for Prefetched<'_> {
    #[inline]
    fn probe(&self, key: u64) {
        Words::probe(self.0, key);
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        Words::store(self.0, key, data);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }
}

/// The index of the cluster for `key`.
#[inline]
fn index(clusters: &[Cluster], key: u64) -> usize {
    ((u128::from(key) * clusters.len() as u128) >> u64::BITS) as usize
}

/// Raw memory: a probe reads the two words of one slot, a store writes one of them back.
pub struct Bare<'a>(pub &'a [Cluster]);

impl Words for Bare<'_> {
    #[inline]
    fn probe(&self, key: u64) {
        let [check, data] = &self.0[index(self.0, key)][key as usize % SLOTS];
        black_box((check.load(Relaxed), data.load(Relaxed)));
    }

    #[inline]
    fn store(&self, key: u64, _: u64) {
        let [check, data] = &self.0[index(self.0, key)][key as usize % SLOTS];
        black_box(check.load(Relaxed));
        data.store(data.load(Relaxed), Relaxed);
    }
}

/// Slots whose first word is the key or, with `CHECK`, the check word of the shipped table.
pub struct Slots<'a, const CHECK: bool>(pub &'a [Cluster]);

impl<const CHECK: bool> Slots<'_, CHECK> {
    /// Key and data of every slot in the cluster of `key`.
    #[inline]
    fn read(&self, key: u64) -> [(u64, u64); SLOTS] {
        self.0[index(self.0, key)].each_ref().map(|[check, data]| {
            let (check, data) = (check.load(Relaxed), data.load(Relaxed));
            (if CHECK { check ^ data } else { check }, data)
        })
    }
}

impl<const CHECK: bool> Words for Slots<'_, CHECK> {
    #[inline]
    fn probe(&self, key: u64) {
        black_box(
            self.read(key)
                .into_iter()
                .rev()
                .fold(0, |word, (found, data)| select_unpredictable(found == key, data, word)),
        );
    }

    /// Stores to the slot that holds the key, or else to one chosen by its low bits.
    #[inline]
    fn store(&self, key: u64, new: u64) {
        let own = self.read(key).iter().position(|slot| slot.0 == key);
        let [check, data] = &self.0[index(self.0, key)][own.unwrap_or(key as usize % SLOTS)];
        check.store(if CHECK { key ^ new } else { key }, Relaxed);
        data.store(new, Relaxed);
    }
}

/// The slots in equal shards, with a mutex for each.
pub struct Sharded<'a> {
    slots: &'a Slots<'a, false>,
    locks: Vec<CachePadded<Mutex<()>>>,
}

impl<'a> Sharded<'a> {
    pub fn new(slots: &'a Slots<'a, false>) -> Self {
        Self { slots, locks: (0..SHARDS).map(|_| CachePadded::new(Mutex::new(()))).collect() }
    }

    fn lock(&self, key: u64) -> &Mutex<()> {
        &self.locks[index(self.slots.0, key) % SHARDS]
    }
}

impl Words for Sharded<'_> {
    #[inline]
    fn probe(&self, key: u64) {
        let _guard = self.lock(key).lock();
        self.slots.probe(key);
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        let _guard = self.lock(key).lock();
        self.slots.store(key, data);
    }
}

/// The slots behind a single lock, which admits several readers.
pub struct Locked<'a> {
    slots: &'a Slots<'a, false>,
    lock: RwLock<()>,
}

impl<'a> Locked<'a> {
    pub fn new(slots: &'a Slots<'a, false>) -> Self {
        Self { slots, lock: RwLock::new(()) }
    }
}

impl Words for Locked<'_> {
    #[inline]
    fn probe(&self, key: u64) {
        let _guard = self.lock.read();
        self.slots.probe(key);
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        let _guard = self.lock.write();
        self.slots.store(key, data);
    }
}
