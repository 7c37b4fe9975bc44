//! Counts that the models keep of what happens.

use heddle::smp::board::add;
use heddle::sync::{AtomicU64, Ordering::Relaxed};

/// A count for each worker.
pub struct Counters(Vec<AtomicU64>);

impl Counters {
    /// Zeros for `workers` workers.
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| AtomicU64::new(0)).collect())
    }

    /// Adds to the count of worker `index`. Only that worker may call it.
    pub fn add(&self, index: usize, n: u64) {
        add(&self.0[index], n);
    }

    /// The count of worker `index`.
    pub fn get(&self, index: usize) -> u64 {
        self.0[index].load(Relaxed)
    }

    /// The sum of all counts.
    pub fn sum(&self) -> u64 {
        (0..self.0.len()).map(|index| self.get(index)).sum()
    }
}
