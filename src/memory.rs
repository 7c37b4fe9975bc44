//! Memory that can be refused.
//!
//! An ordinary allocation that fails aborts the program. Whatever is large is therefore allocated here,
//! when threads or tables are set and a refusal can still be an error. The small allocations of a
//! search cannot fail gracefully, so [`check_headroom`] makes sure beforehand that there is room for them.

use std::io;

use memmap2::MmapMut;
use zerocopy::FromZeros;

/// Room that is always left for small allocations, in bytes: strings, messages, a network.
pub const HEADROOM: usize = 8 << 20;

/// The system refuses the memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

impl From<OutOfMemory> for io::Error {
    fn from(_: OutOfMemory) -> Self {
        io::ErrorKind::OutOfMemory.into()
    }
}

/// A zeroed value. A large one takes up room only once it is written, on the memory of the thread
/// that writes it first.
///
/// # Errors
/// [`OutOfMemory`].
pub fn zeroed<T: FromZeros>() -> Result<Box<T>, OutOfMemory> {
    T::new_box_zeroed().map_err(|_| OutOfMemory)
}

/// `N` values of `make`.
///
/// # Errors
/// [`OutOfMemory`].
pub fn boxed<T, const N: usize>(make: impl FnMut() -> T) -> Result<Box<[T; N]>, OutOfMemory> {
    let mut values = reserved(N)?;
    values.resize_with(N, make);
    // The capacity is exact, so that nothing is allocated here.
    values.into_boxed_slice().try_into().map_err(|_| OutOfMemory)
}

/// An empty vector that takes `capacity` values without another allocation.
///
/// # Errors
/// [`OutOfMemory`].
pub fn reserved<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity).map_err(|_| OutOfMemory)?;
    Ok(values)
}

/// Checks that `bytes` more could be had now, by taking them from the system and giving them back.
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
