//! An entry of a history: a small number that is pulled one way or the other.

#[cfg(not(loom))]
use zerocopy::FromZeros;

use crate::sync::{AtomicI16, Ordering::Relaxed};

/// A number within ±`LIMIT`, which several workers may read and move at once.
///
/// A change is a relaxed load and a relaxed store, not one atomic step: of two workers that change it
/// at once, one may undo the other's change, which costs a little learning. Relaxed is enough, since
/// every stored value is computed from one within the limit and so is within it, whatever the race.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(FromZeros))]
#[repr(transparent)]
pub struct Cell<const LIMIT: i32>(AtomicI16);

impl<const LIMIT: i32> Cell<LIMIT> {
    /// The greatest absolute value.
    pub const LIMIT: i32 = LIMIT;

    /// The value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> i32 {
        self.0.load(Relaxed).into()
    }

    /// Sets the value to zero. Memory that has never been written stays so, and takes up nothing.
    pub fn clear(&self) {
        if self.get() != 0 {
            self.0.store(0, Relaxed);
        }
    }

    /// Moves the value towards the sign of `step` by gravity: the nearer to the limit, the less. True if that
    /// changed it. Source: Stockfish and Ethereal.
    #[inline]
    pub fn pull(&self, step: i32) -> bool {
        let step = step.clamp(-LIMIT, LIMIT);
        let old = self.get();
        let new = old + step - old * step.abs() / LIMIT;
        // A store that changes nothing would only take the cache line from the other workers.
        if new != old {
            self.0.store(new as i16, Relaxed);
        }
        new != old
    }
}

/// A table of entries at zero, whose memory is taken up when it is written.
#[cfg(not(loom))]
#[must_use]
pub fn table<T: FromZeros>() -> Box<T> {
    crate::memory::zeroed()
}

/// Sets all entries of a table that nobody else uses to zero, faster than one by one.
#[cfg(not(loom))]
pub fn zero<T: FromZeros>(table: &mut T) {
    table.zero();
}

/// No model searches, and loom's atomics are more than zeros.
#[cfg(loom)]
pub fn table<T>() -> Box<T> {
    unreachable!("no model searches")
}

/// There is no such table, see [`table`].
#[cfg(loom)]
pub fn zero<T>(_: &mut T) {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_every_value_within_its_limit() {
        const LIMIT: i32 = 16_384;
        let cell = Cell::<LIMIT>::default();
        for _ in 0..1000 {
            cell.pull(3000);
        }
        assert!(cell.get() > LIMIT * 9 / 10);
        assert!(cell.get() <= LIMIT);
        for _ in 0..1000 {
            cell.pull(-LIMIT * 2);
        }
        assert_eq!(cell.get(), -LIMIT);
    }
}
