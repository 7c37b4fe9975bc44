//! The memory of a table: zeroed, aligned to huge pages, and untouched until it is used.
//!
//! A table is far larger than what the TLB covers with small pages, and probes are random, so huge
//! pages save most of them a page walk. The system's zeroed pages take up memory only once they are
//! written; on Windows large ones take it up at once.
//!
//! Under loom it is a vector: loom's atomics have identities and so cannot be made of zero bits,
//! and no model depends on where a table lies.

use std::ops::Deref;

use super::cluster::Cluster;

/// Gives memory that the allocator keeps for later back to the system, if that can be asked for.
///
/// The GNU C library raises the size from which allocations are mapped, and returned, by
/// themselves with each of them that is freed; what lies below others stays, up to gigabytes.
pub fn release_unused() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(any(loom, miri))))]
    #[expect(unsafe_code, reason = "the allocator is C's")]
    // SAFETY: the allocator takes its own locks, and what is allocated is not touched.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Makes all threads allocate from one arena, since the allocator would give each its own. To be
/// called before there are threads.
///
/// The GNU C library reserves 64 MiB of addresses for an arena. Where that fails it tries again
/// with every allocation, and for a moment may take all that is left, so that other threads'
/// allocations fail. Threads that search allocate little: they need no arena.
pub fn share_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(any(loom, miri))))]
    #[expect(unsafe_code, reason = "the allocator is C's")]
    // SAFETY: the allocator takes its own locks, and what is allocated is not touched.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// The machine's physical memory in bytes, if the system says.
pub(super) fn physical() -> Option<usize> {
    imp::physical()
}

/// Clusters, empty at first and freed on drop, shared between threads like a slice of them.
#[cfg(not(any(loom, miri)))]
#[derive(Debug)]
pub(super) struct ClusterMemory {
    pages: imp::Pages,
    clusters: usize,
}

#[cfg(not(any(loom, miri)))]
impl ClusterMemory {
    /// `clusters` empty clusters, or `None` if the system does not grant the memory.
    pub fn new(clusters: usize) -> Option<Self> {
        // No slice is larger than `isize::MAX` bytes, which 32 bits could reach.
        let is_possible = |&bytes: &usize| bytes > 0 && isize::try_from(bytes).is_ok();
        let bytes = clusters.checked_mul(size_of::<Cluster>()).filter(is_possible)?;
        Some(Self { pages: imp::Pages::new(bytes)?, clusters })
    }
}

#[cfg(not(any(loom, miri)))]
impl Deref for ClusterMemory {
    type Target = [Cluster];

    #[inline]
    #[expect(unsafe_code, reason = "what the system grants is raw")]
    fn deref(&self) -> &[Cluster] {
        // SAFETY: the pages are aligned to a cluster at least, hold `clusters` of them and live as
        // long as `self`; zero bits are an empty cluster, which is atomics alone; it is never
        // borrowed mutably.
        unsafe { std::slice::from_raw_parts(self.pages.base().cast(), self.clusters) }
    }
}

#[cfg(all(windows, not(any(loom, miri))))]
#[path = "windows.rs"]
mod imp;

#[cfg(not(any(windows, loom, miri)))]
mod imp {
    use memmap2::{MmapMut, MmapRaw};

    /// The size of a huge page where they are most common: x86-64, and aarch64 with 4 KiB pages.
    const HUGE_PAGE: usize = 2 << 20;

    /// Zeroed pages.
    #[derive(Debug)]
    pub struct Pages {
        map: MmapRaw,
        /// The offset of the first huge page.
        offset: usize,
    }

    impl Pages {
        /// Pages for `bytes` bytes.
        pub fn new(bytes: usize) -> Option<Self> {
            let map = MmapMut::map_anon(bytes.checked_add(HUGE_PAGE)?).ok().map(MmapRaw::from)?;
            let offset = map.as_ptr().align_offset(HUGE_PAGE);
            // Small pages do if there are no huge ones.
            #[cfg(target_os = "linux")]
            let _ = map.advise_range(memmap2::Advice::HugePage, offset, bytes);
            Some(Self { map, offset })
        }

        #[inline]
        pub fn base(&self) -> *const u8 {
            self.map.as_ptr().wrapping_add(self.offset)
        }
    }

    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the system's calls are C's")]
    pub fn physical() -> Option<usize> {
        // SAFETY: `sysconf` only reads.
        let number = |name| usize::try_from(unsafe { libc::sysconf(name) }).ok();
        let (pages, size) = (number(libc::_SC_PHYS_PAGES)?, number(libc::_SC_PAGESIZE)?);
        pages.checked_mul(size).filter(|&bytes| bytes > 0)
    }

    #[cfg(not(unix))]
    pub fn physical() -> Option<usize> {
        None
    }
}

#[cfg(any(loom, miri))]
#[derive(Debug)]
pub(super) struct ClusterMemory(Vec<Cluster>);

#[cfg(any(loom, miri))]
impl ClusterMemory {
    pub fn new(clusters: usize) -> Option<Self> {
        (clusters > 0).then(|| Self((0..clusters).map(|_| Cluster::default()).collect()))
    }
}

#[cfg(any(loom, miri))]
impl Deref for ClusterMemory {
    type Target = [Cluster];

    fn deref(&self) -> &[Cluster] {
        &self.0
    }
}

#[cfg(any(loom, miri))]
mod imp {
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

    /// The flags of the mapping of `address`: two letters each, as `proc_pid_smaps(5)` lists them.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn flags(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps");
        let range = |line: &str| {
            let (first, end) = line.split(' ').next()?.split_once('-')?;
            let number = |hex| usize::from_str_radix(hex, 16).ok();
            Some(number(first)?..number(end)?)
        };
        let is_here = |line: &&str| range(line).is_some_and(|range| range.contains(&address));
        let maps = maps.expect("a process may read its own mappings");
        let rest = maps.lines().skip_while(|line| !is_here(line));
        rest.filter_map(|line| line.strip_prefix("VmFlags:")).next().unwrap_or_default().to_owned()
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn huge_pages_are_asked_for() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return println!("skipped: the system has no huge pages to ask for");
        }
        let memory = ClusterMemory::new(1).unwrap();
        let flags = flags(memory.as_ptr().addr());
        assert!(flags.split(' ').any(|flag| flag == "hg"), "{flags}");
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
