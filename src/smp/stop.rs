//! The stop flag.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicBool, Ordering::Relaxed};

/// Asks every worker to return soon.
///
/// Every search has a flag of its own, and nobody lowers it, so a stop is never lost and never
/// leaks into the next search. The flag carries no data, so relaxed is enough: the crew's lock
/// publishes the results.
///
/// Every worker reads it at every node, so it has cache lines of its own: whatever else is written
/// nearby would take them away each time.
#[derive(Debug, Default)]
pub struct StopFlag(CachePadded<AtomicBool>);

impl StopFlag {
    /// Asks the workers to stop; may be called at any time, any number of times.
    pub fn raise(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether a stop has been requested.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Relaxed)
    }
}
