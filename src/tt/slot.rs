//! One lockless table slot.
//!
//! Two words: `data`, and `check = key ^ data`. A writer stores them with two independent relaxed
//! stores; a reader accepts the pair only if it decodes to the key it asked for, so that a pair
//! torn between two writers reads as a miss (R. Hyatt and T. Mann, "A lock-less transposition table
//! implementation for parallel search chess engines", ICGA Journal 25(1), 2002).
//!
//! Relaxed is enough because the pair verifies itself: nothing else is published by it, and no
//! ordering of two stores would keep two writers from interleaving. What the check cannot exclude
//! is a third key, forged from one writer's check and another's data. It is as unlikely as any
//! 64-bit collision and, since decoding is total, costs no more than a wrong entry.

use std::hint::select_unpredictable;

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// One table slot. The default is empty: key 0 with data 0.
#[derive(Debug, Default)]
pub struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    /// The key and the data that the slot's two words stand for. If they are torn, the key is one
    /// that was never stored.
    #[inline]
    pub fn read(&self) -> (u64, u64) {
        let check = self.check.load(Relaxed);
        let data = self.data.load(Relaxed);
        (check ^ data, data)
    }

    /// The data of the slot if it holds `key`, else `other`, chosen without a branch.
    #[inline]
    pub fn load_or(&self, key: u64, other: u64) -> u64 {
        let (found, data) = self.read();
        select_unpredictable(found == key, data, other)
    }

    /// Overwrites the slot.
    #[inline]
    pub fn store(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Relaxed);
        self.data.store(data, Relaxed);
    }
}
