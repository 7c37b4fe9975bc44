//! The memory that workers share, as a recorder sees it: simulated caches.
//!
//! On a machine with many cores, a cache line that one core has written travels to each core that
//! reads it next. A search with a [`Recorder`] simulates a cache of unlimited size for each worker.
//! A read misses if another worker has written the line since this worker last had it. These are
//! the *coherence misses* (J. Hennessy and D. Patterson, "Computer Architecture"). A line that a
//! worker never had is no miss: its own memory would cost the same. In lockstep with turns of one
//! node the counts are the same on every machine.

use std::collections::HashMap;

use crate::sync::Mutex;

/// Bytes of a cache line.
const LINE: usize = 64;

macro_rules! structures {
    ($($variant:ident, $name:literal, $meaning:literal;)*) => {
        /// A structure that workers share, or may share.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum Structure {
            $(#[doc = $meaning] $variant),*
        }

        impl Structure {
            /// Every structure.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The explanation in reports.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }
        }
    };
}

structures! {
    Butterfly, "butterfly", "history of quiet moves by their squares";
    Continuation, "continuation", "history of quiet moves by the moves before";
    Correction, "correction", "errors of the evaluation";
    Capture, "capture", "history of captures";
    Pawn, "pawn", "history of quiet moves by the pawns";
    Table, "table", "transposition table";
    Board, "board", "what the workers note: nodes, opinions, effort";
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

    /// The line of a cell of `table`, as if the table began a line: where it really begins is the
    /// allocator's choice.
    #[inline]
    pub fn within<T: ?Sized, C>(table: &T, cell: &C) -> Self {
        let start = std::ptr::from_ref(table).addr();
        let offset = std::ptr::from_ref(cell).addr() - start;
        Self(start + offset / LINE * LINE)
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

/// The number of times that a line has been written, in this search.
type Version = u64;

#[derive(Debug, Default)]
struct Caches {
    /// The versions of the lines that have been written.
    current: HashMap<CacheLine, Version>,
    /// The version of a line that each worker had last.
    had: HashMap<(usize, CacheLine), Version>,
    misses: Misses,
}

/// Records the accesses of all workers of a search to the memory that they share.
#[derive(Debug, Default)]
pub struct Recorder(Mutex<Caches>);

impl Recorder {
    /// The misses so far.
    pub fn misses(&self) -> Misses {
        self.0.lock().misses
    }

    /// Worker number `worker` reads a line.
    #[cold]
    fn read(&self, worker: usize, structure: Structure, line: CacheLine) {
        let mut caches = self.0.lock();
        let current = caches.current.get(&line).copied().unwrap_or_default();
        let had = caches.had.insert((worker, line), current);
        caches.misses.0[structure as usize] += u64::from(had.is_some_and(|had| had < current));
    }

    /// Worker number `worker` writes a line, which it has read.
    #[cold]
    fn write(&self, worker: usize, line: CacheLine) {
        let mut caches = self.0.lock();
        let version = caches.current.entry(line).or_default();
        *version += 1;
        let version = *version;
        caches.had.insert((worker, line), version);
    }
}

/// One worker's access to the recorder. Without a recorder, each call is one predicted branch.
#[derive(Copy, Clone, Debug, Default)]
pub struct Observer<'a> {
    recorder: Option<&'a Recorder>,
    worker: usize,
}

impl<'a> Observer<'a> {
    /// The observer of worker number `worker`.
    pub fn new(recorder: Option<&'a Recorder>, worker: usize) -> Self {
        Self { recorder, worker }
    }

    /// There is a recorder.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    /// The worker reads a line.
    #[inline]
    pub fn read(&self, structure: Structure, line: CacheLine) {
        if let Some(recorder) = self.recorder {
            recorder.read(self.worker, structure, line);
        }
    }

    /// The worker writes a line, which it has read.
    #[inline]
    pub fn write(&self, line: CacheLine) {
        if let Some(recorder) = self.recorder {
            recorder.write(self.worker, line);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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

    fn observers<const WORKERS: usize>(recorder: &Recorder) -> [Observer<'_>; WORKERS] {
        std::array::from_fn(|worker| Observer::new(Some(recorder), worker))
    }

    /// The misses that `access` causes in the pawn history.
    fn missed(recorder: &Recorder, access: impl FnOnce()) -> u64 {
        let before = recorder.misses().of(Structure::Pawn);
        access();
        recorder.misses().of(Structure::Pawn) - before
    }

    static BYTES: [u8; 8] = [0; 8];

    /// Some distinct lines: no two bytes have the same address.
    fn line(index: usize) -> CacheLine {
        CacheLine::of(&BYTES[index])
    }

    #[test]
    fn a_read_misses_once_after_another_has_written() {
        let recorder = Recorder::default();
        let [one, two] = observers(&recorder);
        let [a, b] = [0, 1].map(line);
        let read = |by: Observer<'_>, line| missed(&recorder, || by.read(Structure::Pawn, line));
        assert_eq!([read(one, a), read(two, a), read(one, a)], [0, 0, 0], "nobody has written");
        one.write(a);
        assert_eq!([read(one, a), read(two, a), read(two, a)], [0, 1, 0]);
        two.write(a);
        two.write(a);
        assert_eq!([read(two, a), read(one, a), read(one, a)], [0, 1, 0]);
        assert_eq!([read(one, b), read(two, b)], [0, 0], "another line");
        assert_eq!(recorder.misses().of(Structure::Table), 0);
    }

    #[test]
    fn a_line_that_a_worker_never_had_is_no_miss() {
        let recorder = Recorder::default();
        let [one, two, three] = observers(&recorder);
        let read = |by: Observer<'_>, line| missed(&recorder, || by.read(Structure::Pawn, line));
        let a = line(0);
        one.write(a);
        assert_eq!(read(two, a), 0);
        two.write(a);
        assert_eq!(read(one, a), 1, "it wrote the line");
        assert_eq!(read(three, a), 0);
    }

    #[test]
    fn one_alone_misses_nothing() {
        let recorder = Recorder::default();
        let [one] = observers(&recorder);
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..1000 {
            let line = line(random.usize(0..BYTES.len()));
            one.read(Structure::Pawn, line);
            if random.bool() {
                one.write(line);
            }
        }
        assert_eq!(recorder.misses(), Misses::default());
    }
}
