//! The memory and the processors that the machine and its operating system allow the program.

#[cfg(target_os = "linux")]
mod cgroup;

use std::num::NonZero;

use crate::numa;
use crate::sync::thread;

/// The maximum number of threads that every machine accepts.
const MIN_THREAD_LIMIT: usize = 1024;
/// The largest transposition table, in MiB, if the machine's memory is unknown.
const DEFAULT_HASH_LIMIT: usize = 1 << 20;

/// Memory the program needs besides the transposition table, in bytes.
const RESERVE: u64 = 16 << 20;

/// The limits of this machine.
#[derive(Copy, Clone, Debug)]
pub struct Bounds {
    /// Size of the transposition table, in MiB.
    pub hash: usize,
    /// Number of workers.
    pub threads: usize,
}

/// The processors available to this process: those of the machine, restricted by its affinity and
/// by the quotas of its control groups, of either version and at every level. If the standard
/// library cannot tell, the number of processors online.
pub fn processors() -> usize {
    let counted = thread::available_parallelism().map_or_else(|_| num_cpus::get(), NonZero::get);
    // Of Windows' groups of processors, the standard library counts one.
    if cfg!(windows) { counted.max(numa::allowed().len()) } else { counted }
}

/// The largest number of threads allowed.
pub fn max_threads() -> usize {
    processors().max(MIN_THREAD_LIMIT)
}

/// The largest transposition table allowed, in MiB: the memory of this machine, or of the process's
/// control groups, less what the program needs.
pub fn max_hash() -> usize {
    let table = |bytes: u64| (bytes.saturating_sub(RESERVE) >> 20) as usize;
    memory().map_or(DEFAULT_HASH_LIMIT, table).max(1)
}

/// The memory this process may use, in bytes, if the system tells.
#[cfg(target_os = "linux")]
fn memory() -> Option<u64> {
    use std::path::Path;

    use procfs_core::{FromRead, Meminfo};

    let machine = Meminfo::from_file("/proc/meminfo").ok().map(|info| info.mem_total);
    let groups = cgroup::memory_limit(Path::new("/"));
    machine.into_iter().chain(groups).min()
}

/// The memory this process may use, in bytes, if the system tells.
#[cfg(not(target_os = "linux"))]
fn memory() -> Option<u64> {
    None
}

/// Both limits.
pub fn bounds() -> Bounds {
    Bounds { hash: max_hash(), threads: max_threads() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_into_the_memory_that_there_is() {
        let known = memory().map_or(DEFAULT_HASH_LIMIT, |bytes| (bytes >> 20) as usize);
        assert!((1..=known.max(1)).contains(&max_hash()));
        assert!(max_threads() >= processors());
    }
}
