//! A hint to the processor that an address is about to be read.

#![cfg_attr(
    all(any(target_arch = "x86_64", target_arch = "aarch64"), not(any(loom, miri))),
    expect(unsafe_code, reason = "a prefetch is an intrinsic or an instruction")
)]

/// Fetches the cache line of `target`: a hint, with no other effect.
#[inline]
pub fn prefetch<T>(target: &T) {
    let address = std::ptr::from_ref(target);
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
