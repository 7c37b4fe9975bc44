//! What this machine and its system grant the program: memory and processors.

use std::num::NonZero;

use crate::sync::thread;

/// Threads that may be asked for on any machine.
const MIN_THREAD_LIMIT: usize = 1024;
/// The largest table where the memory of the machine is not known, in MiB.
const DEFAULT_HASH_LIMIT: usize = 1 << 20;

/// Memory that the program needs beside the table, in bytes.
const RESERVE: u64 = 16 << 20;

/// The most that this machine can give.
#[derive(Copy, Clone, Debug)]
pub struct Bounds {
    /// Size of the transposition table, in MiB.
    pub hash: usize,
    /// Workers.
    pub threads: usize,
}

/// The processors that this process may use at a time: those of the machine, less what its affinity and
/// the quotas of its control groups, of either version and at every level, take away; where the standard
/// library cannot tell, those that are online.
#[must_use]
pub fn processors() -> usize {
    thread::available_parallelism().map_or_else(|_| num_cpus::get(), NonZero::get)
}

/// The largest number of threads that may be asked for.
#[must_use]
pub fn max_threads() -> usize {
    processors().max(MIN_THREAD_LIMIT)
}

/// The largest table that may be asked for, in MiB: what the memory of this machine, or of the control
/// groups that the process is in, leaves beside the program.
#[must_use]
pub fn max_hash() -> usize {
    let table = |bytes: u64| (bytes.saturating_sub(RESERVE) >> 20) as usize;
    memory().map_or(DEFAULT_HASH_LIMIT, table).max(1)
}

/// The memory that this process may use, in bytes, if the system says.
#[cfg(target_os = "linux")]
fn memory() -> Option<u64> {
    use std::path::Path;

    use procfs_core::{FromRead, Meminfo};

    let machine = Meminfo::from_file("/proc/meminfo").ok().map(|info| info.mem_total);
    let groups = super::cgroup::memory_limit(Path::new("/"));
    machine.into_iter().chain(groups).min()
}

/// The memory that this process may use, in bytes, if the system says.
#[cfg(not(target_os = "linux"))]
fn memory() -> Option<u64> {
    None
}

/// Both limits.
#[must_use]
pub fn bounds() -> Bounds {
    Bounds { hash: max_hash(), threads: max_threads() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_into_the_memory_that_there_is() {
        assert!((1..=DEFAULT_HASH_LIMIT).contains(&max_hash()));
        assert!(max_threads() >= processors());
    }
}
