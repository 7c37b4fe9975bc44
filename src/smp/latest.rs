//! A worker's latest result, for any thread to read.

use crate::sync::Mutex;

/// A cell that one thread writes and any thread reads. Every reader sees a whole value, and the
/// last one written if this lock or the pool's orders the write before the read.
///
/// A value changes only a few times per search, so a lock-free cell would gain nothing.
#[derive(Debug, Default)]
pub struct Latest<T>(Mutex<T>);

impl<T: Clone> Latest<T> {
    /// Replaces the value.
    pub fn set(&self, value: T) {
        *self.0.lock() = value;
    }

    /// The last value.
    pub fn get(&self) -> T {
        self.0.lock().clone()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_read_any_number_of_times() {
        let cell = Latest::<Vec<u8>>::default();
        assert!(cell.get().is_empty());
        cell.set(vec![1]);
        cell.set(vec![2, 3]);
        assert_eq!([cell.get(), cell.get()], [vec![2, 3], vec![2, 3]]);
    }
}
