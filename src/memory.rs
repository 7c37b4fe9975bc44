//! Fallible allocation.
//!
//! An ordinary allocation that fails aborts the program. Everything large is therefore allocated
//! here, when threads or tables are set up and a failure can still be reported. The small
//! allocations of a search cannot fail gracefully, so [`check_headroom`] makes sure beforehand that
//! there is room for them.

use std::io;

use memmap2::MmapMut;
use zerocopy::FromZeros;

/// Room that is always left for small allocations, in bytes: strings, messages, a network.
pub const HEADROOM: usize = 8 << 20;

/// The system refused the memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

impl From<OutOfMemory> for io::Error {
    fn from(_: OutOfMemory) -> Self {
        io::ErrorKind::OutOfMemory.into()
    }
}

/// A zeroed value. Pages of a large one are only allocated when they are written, on the memory of
/// the thread that writes them first.
///
/// # Errors
/// [`OutOfMemory`].
pub fn zeroed<T: FromZeros>() -> Result<Box<T>, OutOfMemory> {
    T::new_box_zeroed().map_err(|_| OutOfMemory)
}

/// `N` values, each created by `make`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn boxed<T, const N: usize>(make: impl FnMut() -> T) -> Result<Box<[T; N]>, OutOfMemory> {
    let mut values = reserved(N)?;
    values.resize_with(N, make);
    // The capacity is exact, so this allocates nothing.
    values.into_boxed_slice().try_into().map_err(|_| OutOfMemory)
}

/// An empty vector that holds `capacity` values without another allocation.
///
/// # Errors
/// [`OutOfMemory`].
pub fn reserved<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|_| OutOfMemory)?;
    Ok(values)
}

/// Checks that `bytes` more are available now, by allocating and freeing them.
///
/// # Errors
/// [`OutOfMemory`].
pub fn check_headroom(bytes: usize) -> Result<(), OutOfMemory> {
    MmapMut::map_anon(bytes).map(drop).map_err(|_| OutOfMemory)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// More than any machine has.
    const ABSURD: usize = 1 << 60;

    #[test]
    fn what_the_system_refuses_is_an_error() {
        assert_eq!(check_headroom(ABSURD), Err(OutOfMemory));
        assert_eq!(reserved::<u8>(ABSURD), Err(OutOfMemory));
        assert_eq!(check_headroom(HEADROOM), Ok(()));
    }

    #[test]
    fn memory_holds_what_was_asked_for() {
        assert_eq!(*zeroed::<[i16; 300_000]>().unwrap(), [0; 300_000]);
        let mut next = 0..;
        assert_eq!(*boxed::<i32, 3>(|| next.next().unwrap()).unwrap(), [0, 1, 2]);
        let mut values = reserved(7).unwrap();
        let start = values.as_ptr();
        values.extend([1; 7]);
        assert_eq!(values.as_ptr(), start);
    }
}
