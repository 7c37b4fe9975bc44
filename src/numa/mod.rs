//! Machines whose memory is divided into nodes, each near some of the processors, which share one
//! or more caches.
//!
//! On such a machine a thread that wanders from node to node finds its own memory on another node,
//! several times as far away. So workers are bound to nodes ([`Binding`]), and what belongs to one
//! is allocated by its own thread, for the system places a page near the processor that writes it
//! first. The transposition table is spread over the nodes the same way, page by page, as the
//! workers fill it. Source: Stockfish's `NumaPolicy` (2024).
//!
//! Within a node a line that one worker has written travels far if the reader is at another
//! last-level cache. So those at one cache stay there and share their histories with each other
//! alone. Source: Stockfish's `BundledL3Policy` (2026).

mod binding;
mod topology;
#[cfg(any(test, all(windows, target_pointer_width = "64")))]
mod windows;

pub use binding::{Binding, NumaPolicy};
pub use topology::{MemoryNode, Topology};

pub use imp::{allowed, bind};
use imp::{machine, topology};

#[cfg(any(target_os = "linux", target_os = "android"))]
mod imp {
    use std::path::Path;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::Topology;

    /// The processors on which this thread may run, by number; none if the system does not say.
    pub fn allowed() -> Vec<usize> {
        let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        (0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect()
    }

    /// The processors of this machine, by number, whether this thread may run there or not; none if
    /// the system does not say.
    pub fn machine() -> Vec<usize> {
        Topology::online(Path::new("/"))
    }

    /// The machine, restricted to `processors`, of which there is at least one.
    pub fn topology(processors: &[usize]) -> Topology {
        Topology::read(Path::new("/"), processors)
    }

    /// Binds this thread to `processors`. Where the system refuses, the thread goes on unbound: it
    /// is slower, not wrong.
    pub fn bind(processors: &[usize]) {
        let mut set = CpuSet::new();
        for &processor in processors.iter().filter(|&&processor| processor < CpuSet::MAX_CPU) {
            set.set(processor);
        }
        let _ = sched_setaffinity(None, &set);
    }
}

#[cfg(all(windows, target_pointer_width = "64"))]
use windows as imp;

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    all(windows, target_pointer_width = "64")
)))]
mod imp {
    use super::Topology;

    /// None: the system does not say where this thread may run.
    pub fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub fn machine() -> Vec<usize> {
        Vec::new()
    }

    pub fn topology(processors: &[usize]) -> Topology {
        Topology { processors: processors.len(), cores: processors.len(), ..Topology::default() }
    }

    /// Leaves this thread to the system.
    pub fn bind(_: &[usize]) {}
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_bound_thread_may_run_there_alone() {
        let before = allowed();
        assert!(!before.is_empty());
        let after = std::thread::spawn(move || {
            bind(&before[..1]);
            (before[..1].to_vec(), allowed())
        });
        let (asked, after) = after.join().unwrap();
        assert_eq!(after, asked);
    }

    #[test]
    fn what_the_system_refuses_changes_nothing() {
        let before = allowed();
        bind(&[]);
        bind(&[usize::MAX]);
        assert_eq!(allowed(), before);
    }
}
