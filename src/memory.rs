//! Memory that may be refused.
//!
//! An allocation that fails ends the program. So whoever sets up threads, tables or networks, and
//! can still report a failure, calls [`check_headroom`] first: there must be room for what is made
//! now and for the small allocations of the searches to come.

use std::alloc::{Layout, handle_alloc_error};
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
pub fn zeroed<T: FromZeros>() -> Box<T> {
    T::new_box_zeroed().unwrap_or_else(|_| handle_alloc_error(Layout::new::<T>()))
}

/// Checks that `bytes` more are available now, by allocating and freeing them.
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
        assert_eq!(check_headroom(HEADROOM), Ok(()));
    }

    #[test]
    fn memory_is_zeroed() {
        assert_eq!(*zeroed::<[i16; 300_000]>(), [0; 300_000]);
    }
}
