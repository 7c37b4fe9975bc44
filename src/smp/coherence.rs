//! The cost of writing the same memory: misses in simulated caches.
//!
//! On a machine with many cores a line that one core has written must travel to each that reads it next. A
//! [`Directory`] counts how often: every worker has a cache of its own, without limit, and a read misses if another
//! worker has written the line since this one last had it. These are the *coherence misses* (J. Hennessy and
//! D. Patterson, "Computer Architecture"); a line that a worker never had is none, as it would be one with memory of
//! its own too. In lockstep with turns of one node the count is the same on every machine.
//!
//! The search tells an [`Observer`] what it reads and writes. That of the search that plays does nothing, so the
//! compiler leaves it out.

use std::collections::HashMap;

use crate::sync::{Arc, Mutex};

/// Bytes of a cache line.
const LINE: usize = 64;

/// A structure that workers share, or may share.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// The histories of quiet moves by their squares.
    Butterfly,
    /// The histories of quiet moves by the moves before.
    Continuation,
    /// The errors of the evaluation.
    Correction,
    /// The histories of captures.
    Capture,
    /// The histories of quiet moves by the pawns.
    Pawn,
    /// The transposition table.
    Table,
    /// The workers' notes: nodes, opinions, effort.
    Board,
}

impl Structure {
    /// Every structure.
    pub const ALL: [Self; 7] = [
        Self::Butterfly,
        Self::Continuation,
        Self::Correction,
        Self::Capture,
        Self::Pawn,
        Self::Table,
        Self::Board,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Butterfly => "butterfly",
            Self::Continuation => "continuation",
            Self::Correction => "correction",
            Self::Capture => "capture",
            Self::Pawn => "pawn",
            Self::Table => "table",
            Self::Board => "board",
        }
    }
}

/// A cache line, known by an address in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheLine(usize);

impl CacheLine {
    /// The line that begins with `first`.
    #[inline]
    pub fn of<T>(first: &T) -> Self {
        Self(std::ptr::from_ref(first).addr())
    }

    /// The line of a cell of `table`, as if the table began a line: where it really does is the allocator's choice.
    #[inline]
    pub fn within<T: ?Sized, C>(table: &T, cell: &C) -> Self {
        let start = std::ptr::from_ref(table).addr();
        let offset = std::ptr::from_ref(cell).addr() - start;
        Self(start + offset / LINE * LINE)
    }
}

/// Sees the accesses of one worker to memory that it may share.
pub trait Observer: Clone {
    /// The observer of worker number `worker` in the search of `directory`.
    fn new(directory: &Arc<Directory>, worker: usize) -> Self;
    /// The worker reads a line.
    #[inline]
    fn read(&self, _: Structure, _: CacheLine) {}
    /// The worker writes a line, which it has read.
    #[inline]
    fn write(&self, _: Structure, _: CacheLine) {}
}

/// Looks away: the search that plays.
#[derive(Copy, Clone, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn new(_: &Arc<Directory>, _: usize) -> Self {
        Self
    }
}

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

/// The cache of one worker.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: Arc<Directory>,
    worker: usize,
}

impl Observer for Cache {
    fn new(directory: &Arc<Directory>, worker: usize) -> Self {
        Self { directory: Arc::clone(directory), worker }
    }

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

#[cfg(all(test, not(loom)))]
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

    const A: CacheLine = CacheLine(0);
    const B: CacheLine = CacheLine(64);

    #[test]
    fn a_read_misses_once_after_another_has_written() {
        let (directory, [one, two]) = caches();
        let read = |cache: &Cache, line| missed(&directory, || cache.read(Structure::Pawn, line));
        let write = |cache: &Cache, line| cache.write(Structure::Pawn, line);
        assert_eq!([read(&one, A), read(&two, A), read(&one, A)], [0, 0, 0], "nobody has written");
        write(&one, A);
        assert_eq!([read(&one, A), read(&two, A), read(&two, A)], [0, 1, 0]);
        write(&two, A);
        write(&two, A);
        assert_eq!([read(&two, A), read(&one, A), read(&one, A)], [0, 1, 0]);
        assert_eq!([read(&one, B), read(&two, B)], [0, 0], "another line");
        assert_eq!(directory.misses().of(Structure::Table), 0);
    }

    #[test]
    fn a_line_that_a_worker_never_had_is_no_miss() {
        let (directory, [one, two, three]) = caches();
        one.write(Structure::Pawn, A);
        assert_eq!(missed(&directory, || two.read(Structure::Pawn, A)), 0);
        two.write(Structure::Pawn, A);
        assert_eq!(missed(&directory, || one.read(Structure::Pawn, A)), 1, "it wrote the line");
        assert_eq!(missed(&directory, || three.read(Structure::Pawn, A)), 0);
    }

    #[test]
    fn one_alone_misses_nothing() {
        let (directory, [one]) = caches();
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let line = CacheLine(LINE * random.usize(0..8));
            one.read(Structure::Pawn, line);
            if random.bool() {
                one.write(Structure::Pawn, line);
            }
        }
        assert_eq!(directory.misses(), Misses::default());
    }

    #[test]
    fn cells_within_a_line_of_their_table_share_it() {
        let table = [[0i16; 40]; 3];
        let cells = table.as_flattened();
        let line = |index: usize| CacheLine::within(&table, &cells[index]);
        assert_eq!(line(0), CacheLine::of(&table));
        assert_eq!(line(31), line(0));
        assert_eq!(line(32), line(63));
        assert_ne!(line(32), line(31));
        let all: std::collections::HashSet<_> = (0..cells.len()).map(line).collect();
        assert_eq!(all.len(), size_of_val(&table).div_ceil(LINE));
    }
}
