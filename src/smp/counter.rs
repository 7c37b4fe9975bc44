//! Per-worker counters that any thread may sum.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// One cell per worker, each on its own cache lines. Only its owner writes a cell, so a plain load
/// and store replace a read-modify-write.
///
/// Relaxed is enough: a sum taken during the search is a lower bound under any ordering, and one
/// taken at rest is exact because the crew's lock publishes what the workers wrote.
#[derive(Debug)]
pub struct Counters(Box<[CachePadded<AtomicU64>]>);

impl Counters {
    /// One zeroed cell per worker.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect())
    }

    /// Adds `n` to the cell of worker `index`; only that worker may call it.
    #[inline]
    pub fn add(&self, index: usize, n: u64) {
        let cell = &self.0[index];
        cell.store(cell.load(Relaxed) + n, Relaxed);
    }

    /// The count of worker `index`: exact for the worker itself and once the workers are idle, a
    /// lower bound before that.
    #[must_use]
    pub fn get(&self, index: usize) -> u64 {
        self.0[index].load(Relaxed)
    }

    /// The sum over all workers: exact once they are idle, a lower bound before that.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|cell| cell.load(Relaxed)).sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_cells() {
        let counters = Counters::new(3);
        counters.add(0, 5);
        counters.add(2, 7);
        counters.add(2, 1);
        assert_eq!([0, 1, 2].map(|index| counters.get(index)), [5, 0, 8]);
        assert_eq!(counters.sum(), 13);
    }

    #[test]
    fn no_two_cells_share_a_cache_line() {
        const CACHE_LINE: usize = 64;
        let counters = Counters::new(2);
        let address = |index: usize| &raw const *counters.0[index] as usize;
        assert!(address(1) - address(0) >= CACHE_LINE);
    }
}
