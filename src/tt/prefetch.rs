//! A hint to the processor that an address is about to be read.

#![cfg_attr(
    all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(loom, miri))),
    expect(unsafe_code, reason = "a prefetch is an intrinsic or an instruction")
)]

/// Fetches the cache line of `target`: a hint, with no other effect.
#[inline]
pub fn prefetch<T>(target: &T) {
    let address = std::ptr::from_ref(target);
    #[cfg(test)]
    counted::record(address.addr(), size_of::<T>());
    #[cfg(all(target_arch = "x86_64", not(any(loom, miri))))]
    // SAFETY: every x86-64 has SSE, and a prefetch of any address is without effect on the program.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(any(loom, miri))))]
    // SAFETY: a prefetch of any address is without effect on registers, flags and memory.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{0}]",
            in(reg) address,
            options(nostack, preserves_flags, readonly),
        );
    }
    #[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), loom, miri))]
    let _ = address;
}

#[cfg(test)]
pub use counted::fetched;

/// A count of prefetches, for tests.
#[cfg(test)]
mod counted {
    use std::cell::RefCell;

    /// The address and the size of each target.
    type Fetched = Vec<(usize, usize)>;

    thread_local! {
        /// What this thread fetches, if a test has asked.
        static FETCHED: RefCell<Option<Fetched>> = const { RefCell::new(None) };
    }

    pub fn record(address: usize, size: usize) {
        FETCHED.with_borrow_mut(|fetched| {
            if let Some(fetched) = fetched {
                fetched.push((address, size));
            }
        });
    }

    /// What this thread fetches while `act` runs.
    pub fn fetched(act: impl FnOnce()) -> Fetched {
        FETCHED.set(Some(Vec::new()));
        act();
        FETCHED.take().unwrap_or_default()
    }
}
