//! The memory of a table: zeroed, aligned to huge pages, and untouched until it is used.
//!
//! A table is far larger than what the TLB covers with small pages, and probes are random, so huge
//! pages save most of them a page walk. On Unix the memory comes from `mmap`, whose zeroed pages take
//! up memory only once they are written, on Windows from `VirtualAlloc`, elsewhere from the allocator.
//!
//! Under loom it is a vector: loom's atomics have identities and so cannot be made of zero bits, and
//! no model depends on where a table lies.

use std::ops::Deref;

use super::cluster::Cluster;

/// Clusters, empty at first and freed on drop, shared between threads like a slice of them.
#[derive(Debug)]
pub(super) struct ClusterMemory(raw::ClusterMemory);

impl ClusterMemory {
    /// `clusters` empty clusters, or `None` if the system does not grant the memory.
    pub fn new(clusters: usize) -> Option<Self> {
        raw::ClusterMemory::new(clusters).map(Self)
    }
}

impl Deref for ClusterMemory {
    type Target = [Cluster];

    #[inline]
    fn deref(&self) -> &[Cluster] {
        self.0.clusters()
    }
}

/// Gives memory that the allocator keeps for later back to the system, if that can be asked for.
///
/// The GNU C library raises the size from which allocations are mapped, and returned, by
/// themselves with each of them that is freed; what lies below others stays, up to gigabytes.
pub fn release_unused() {
    imp::release_unused();
}

/// Makes all threads allocate from one arena, since the allocator would give each its own. To be called
/// before there are threads.
///
/// The GNU C library reserves 64 MiB of addresses for an arena. Where that fails it tries again with every
/// allocation, and for a moment may take all that is left, so that other threads' allocations fail.
/// Threads that search allocate little: they need no arena.
pub fn share_arena() {
    imp::share_arena();
}

/// The machine's physical memory in bytes, if the system says.
pub(super) fn physical() -> Option<usize> {
    imp::physical()
}

/// Clusters in memory of the system's.
#[cfg(not(any(loom, miri)))]
#[expect(unsafe_code, reason = "what the system grants is raw")]
mod raw {
    use std::ptr::NonNull;
    use std::slice;

    use super::{Cluster, imp};

    #[derive(Debug)]
    pub struct ClusterMemory {
        base: NonNull<Cluster>,
        clusters: usize,
    }

    // SAFETY: a `ClusterMemory` owns its memory alone, and clusters may go from thread to thread.
    unsafe impl Send for ClusterMemory where Cluster: Send {}
    // SAFETY: a shared `ClusterMemory` gives out shared clusters and nothing else.
    unsafe impl Sync for ClusterMemory where Cluster: Sync {}

    impl ClusterMemory {
        pub fn new(clusters: usize) -> Option<Self> {
            // No slice is empty here, or larger than `isize::MAX` bytes, which 32 bits could reach.
            let is_possible = |&bytes: &usize| bytes > 0 && isize::try_from(bytes).is_ok();
            let bytes = clusters.checked_mul(size_of::<Cluster>()).filter(is_possible)?;
            Some(Self { base: imp::allocate(bytes)?.cast(), clusters })
        }

        #[inline]
        pub fn clusters(&self) -> &[Cluster] {
            // SAFETY: the memory is aligned to a cluster at least, holds `clusters` of them and lives as
            // long as `self`; zero bits are an empty cluster, which is atomics alone; it is never
            // borrowed mutably.
            unsafe { slice::from_raw_parts(self.base.as_ptr(), self.clusters) }
        }
    }

    impl Drop for ClusterMemory {
        fn drop(&mut self) {
            let bytes = self.clusters * size_of::<Cluster>();
            // SAFETY: `new` allocated so many bytes there and left them to `self`, whose borrows are over.
            unsafe { imp::free(self.base.cast(), bytes) };
        }
    }
}

#[cfg(all(windows, not(any(loom, miri))))]
#[path = "memory/windows.rs"]
mod imp;

#[cfg(all(unix, not(any(loom, miri))))]
#[expect(unsafe_code, reason = "mapped memory is raw")]
mod imp {
    use std::ptr::{self, NonNull};

    /// The size of a huge page where they are most common: x86-64, and aarch64 with 4 KiB pages.
    const HUGE_PAGE: usize = 2 << 20;

    /// Zeroed memory for `bytes` bytes, aligned to huge pages.
    pub fn allocate(bytes: usize) -> Option<NonNull<u8>> {
        // A little more than is needed, so that an aligned piece lies within; the rest is unmapped.
        let reserved = bytes.checked_add(HUGE_PAGE)?;
        let start = map(reserved)?;
        let before = start.addr().get().next_multiple_of(HUGE_PAGE) - start.addr().get();
        // SAFETY: `before` is less than HUGE_PAGE, hence within the mapping.
        let base = unsafe { start.add(before) };
        let end = bytes.next_multiple_of(page_size());
        // SAFETY: both pieces are whole pages of the new mapping that nobody has seen, and lie
        // outside of `base..base + end`, where `end` is at most HUGE_PAGE - before + bytes.
        unsafe {
            unmap(start, before);
            unmap(base.add(end), reserved.next_multiple_of(page_size()) - before - end);
        }
        advise(base, end);
        Some(base)
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// It is all that [`allocate`] has returned for so many bytes, and is not used again.
    pub unsafe fn free(base: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { unmap(base, bytes.next_multiple_of(page_size())) };
    }

    /// New zeroed pages for `bytes` bytes.
    fn map(bytes: usize) -> Option<NonNull<u8>> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing else.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// Unmaps `bytes` bytes of whole pages.
    ///
    /// # Safety
    /// They are part of a mapping from [`map`] and are not used again.
    unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        if bytes > 0 {
            // SAFETY: the caller's. A failure would only keep the pages, as nothing else is there.
            unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
        }
    }

    /// Asks for huge pages; where there are none, small ones do.
    fn advise(start: NonNull<u8>, bytes: usize) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: the advice concerns our own mapping and changes no content.
        unsafe {
            libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _ = (start, bytes);
    }

    fn page_size() -> usize {
        // SAFETY: `sysconf` only reads.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(size).expect("every Unix tells its page size")
    }

    pub fn release_unused() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: the allocator takes its own locks, and what is allocated is not touched.
        unsafe {
            libc::malloc_trim(0);
        }
    }

    pub fn share_arena() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: the allocator takes its own locks, and what is allocated is not touched.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }

    pub fn physical() -> Option<usize> {
        // SAFETY: `sysconf` only reads.
        let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
        let pages = usize::try_from(pages).ok().filter(|&pages| pages > 0)?;
        Some(pages.saturating_mul(page_size()))
    }
}

#[cfg(all(not(any(unix, windows)), not(any(loom, miri))))]
#[expect(unsafe_code, reason = "the allocator's memory is raw")]
mod imp {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use super::Cluster;

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, align_of::<Cluster>()).ok()
    }

    /// Zeroed memory for `bytes` bytes, which are some, aligned to a cluster.
    pub fn allocate(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) })
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// It is all that [`allocate`] has returned for so many bytes, and is not used again.
    pub unsafe fn free(base: NonNull<u8>, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: the caller's: it was allocated with this layout.
            unsafe { dealloc(base.as_ptr(), layout) };
        }
    }

    pub fn release_unused() {}

    pub fn share_arena() {}

    pub fn physical() -> Option<usize> {
        None
    }
}

#[cfg(any(loom, miri))]
mod raw {
    use super::Cluster;

    #[derive(Debug)]
    pub struct ClusterMemory(Vec<Cluster>);

    impl ClusterMemory {
        pub fn new(clusters: usize) -> Option<Self> {
            (clusters > 0).then(|| Self((0..clusters).map(|_| Cluster::default()).collect()))
        }

        pub fn clusters(&self) -> &[Cluster] {
            &self.0
        }
    }
}

#[cfg(any(loom, miri))]
mod imp {
    pub fn release_unused() {}

    pub fn share_arena() {}

    pub fn physical() -> Option<usize> {
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tt::entry::Word;

    #[test]
    fn new_memory_is_empty_and_can_be_written_to_its_ends() {
        // Less than a page, not a whole number of pages, and more than a huge page.
        for clusters in [1, 100, 40_000] {
            let memory = ClusterMemory::new(clusters).unwrap();
            assert_eq!(memory.len(), clusters);
            assert!(memory.iter().flat_map(Cluster::words).all(|word| word == Word::EMPTY));
            for cluster in [&memory[0], &memory[clusters - 1]] {
                cluster.store(7, Word(9));
                assert_eq!(cluster.probe(7), Some(Word(9)));
            }
        }
    }

    #[test]
    fn more_than_the_address_space_is_refused() {
        assert!(ClusterMemory::new(usize::MAX).is_none());
        assert!(ClusterMemory::new(usize::MAX / size_of::<Cluster>()).is_none());
        assert!(ClusterMemory::new(0).is_none());
    }

    #[cfg(all(unix, not(miri)))]
    #[test]
    fn a_mapping_begins_at_a_huge_page() {
        let memory = ClusterMemory::new(1).unwrap();
        assert_eq!(memory.as_ptr().addr() % (2 << 20), 0);
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn pages_take_up_memory_only_once_written() {
        fn resident_kib() -> usize {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        }
        const MEBIBYTES: usize = 1024;
        let before = resident_kib();
        let memory = ClusterMemory::new(MEBIBYTES << 20 >> 6).unwrap();
        assert_eq!(memory.len() * size_of::<Cluster>(), MEBIBYTES << 20);
        assert!(resident_kib() < before + MEBIBYTES * 1024 / 2);
    }
}
