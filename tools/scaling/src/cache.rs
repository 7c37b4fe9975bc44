//! Simulated caches: how often a worker reads a line that another has written since.
//!
//! Every worker has a cache of its own, without limit, and a read misses if another worker has written the line since
//! this one last had it. These are the *coherence misses* (J. Hennessy and D. Patterson, "Computer Architecture"); a
//! line that a worker never had is none, as it would be one with memory of its own too. In lockstep with turns of one
//! node the count is the same on every machine.

use std::collections::HashMap;

use heddle::search::Mode;
use heddle::smp::coherence::{CacheLine, Observer, Structure};
use heddle::sync::{Arc, Mutex};

/// Coherence misses by structure.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Misses([u64; Structure::ALL.len()]);

impl Misses {
    /// The misses in one structure.
    pub const fn of(&self, structure: Structure) -> u64 {
        self.0[structure as usize]
    }
}

/// How often a line has been written, in this search.
type Version = u64;

#[derive(Debug, Default)]
struct Caches {
    /// The versions of the lines that have been written.
    current: HashMap<CacheLine, Version>,
    /// The version of a line that each worker had last.
    had: HashMap<(usize, CacheLine), Version>,
    misses: Misses,
}

/// The caches of all workers in one search.
#[derive(Debug, Default)]
pub struct Directory(Mutex<Caches>);

impl Directory {
    /// The misses so far.
    pub fn misses(&self) -> Misses {
        self.0.lock().misses
    }
}

/// The cache of one worker, which observes its search.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: Arc<Directory>,
    worker: usize,
}

impl Cache {
    /// The cache of worker number `worker` in the search of `directory`.
    pub fn new(directory: &Arc<Directory>, worker: usize) -> Self {
        Self { directory: Arc::clone(directory), worker }
    }
}

impl Mode for Cache {}

impl Observer for Cache {
    fn read(&self, structure: Structure, line: CacheLine) {
        let mut caches = self.directory.0.lock();
        let current = caches.current.get(&line).copied().unwrap_or_default();
        let had = caches.had.insert((self.worker, line), current);
        caches.misses.0[structure as usize] += u64::from(had.is_some_and(|had| had < current));
    }

    fn write(&self, _: Structure, line: CacheLine) {
        let mut caches = self.directory.0.lock();
        let version = caches.current.entry(line).or_default();
        *version += 1;
        let version = *version;
        caches.had.insert((self.worker, line), version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caches<const WORKERS: usize>() -> (Arc<Directory>, [Cache; WORKERS]) {
        let directory = Arc::<Directory>::default();
        let caches = std::array::from_fn(|worker| Cache::new(&directory, worker));
        (directory, caches)
    }

    /// The misses that `access` causes in the pawn history.
    fn missed(directory: &Directory, access: impl FnOnce()) -> u64 {
        let before = directory.misses().of(Structure::Pawn);
        access();
        directory.misses().of(Structure::Pawn) - before
    }

    static BYTES: [u8; 8] = [0; 8];

    /// One of some lines: no two bytes have the same address.
    fn line(index: usize) -> CacheLine {
        CacheLine::of(&BYTES[index])
    }

    #[test]
    fn a_read_misses_once_after_another_has_written() {
        let (directory, [one, two]) = caches();
        let [a, b] = [0, 1].map(line);
        let read = |cache: &Cache, line| missed(&directory, || cache.read(Structure::Pawn, line));
        let write = |cache: &Cache, line| cache.write(Structure::Pawn, line);
        assert_eq!([read(&one, a), read(&two, a), read(&one, a)], [0, 0, 0], "nobody has written");
        write(&one, a);
        assert_eq!([read(&one, a), read(&two, a), read(&two, a)], [0, 1, 0]);
        write(&two, a);
        write(&two, a);
        assert_eq!([read(&two, a), read(&one, a), read(&one, a)], [0, 1, 0]);
        assert_eq!([read(&one, b), read(&two, b)], [0, 0], "another line");
        assert_eq!(directory.misses().of(Structure::Table), 0);
    }

    #[test]
    fn a_line_that_a_worker_never_had_is_no_miss() {
        let (directory, [one, two, three]) = caches();
        let a = line(0);
        one.write(Structure::Pawn, a);
        assert_eq!(missed(&directory, || two.read(Structure::Pawn, a)), 0);
        two.write(Structure::Pawn, a);
        assert_eq!(missed(&directory, || one.read(Structure::Pawn, a)), 1, "it wrote the line");
        assert_eq!(missed(&directory, || three.read(Structure::Pawn, a)), 0);
    }

    #[test]
    fn one_alone_misses_nothing() {
        let (directory, [one]) = caches();
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let line = line(random.usize(0..BYTES.len()));
            one.read(Structure::Pawn, line);
            if random.bool() {
                one.write(Structure::Pawn, line);
            }
        }
        assert_eq!(directory.misses(), Misses::default());
    }
}
