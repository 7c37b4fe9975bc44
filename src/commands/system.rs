//! What this machine and its system grant the program: memory and processors.

/// Threads that may be asked for on any machine.
const MIN_THREAD_LIMIT: usize = 1024;
/// The largest table where the memory of the machine is not known, in MiB.
const DEFAULT_HASH_LIMIT: usize = 1 << 20;
/// The most that this machine can give.
#[derive(Copy, Clone, Debug)]
pub struct Bounds {
    /// Size of the transposition table, in MiB.
    pub hash: usize,
    /// Workers.
    pub threads: usize,
}

/// The largest number of threads that may be asked for.
#[must_use]
pub fn max_threads() -> usize {
    num_cpus::get().max(MIN_THREAD_LIMIT)
}

/// The largest table that may be asked for, in MiB: what memory this machine, or the control
/// group that the process runs in, has.
#[must_use]
pub fn max_hash() -> usize {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kib| kib >> 10)
    });
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse::<usize>().ok().map(|bytes| bytes >> 20));
    machine.into_iter().chain(group).min().unwrap_or(DEFAULT_HASH_LIMIT).max(1)
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
        assert!(max_threads() >= num_cpus::get());
    }
}
