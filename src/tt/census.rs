//! Optional counts of what happens at the table.
//!
//! An entry has no bits to spare for its writer, so a [`Census`] keeps a tag for every slot beside
//! the table: the worker that wrote it last. It is for measurements: no decision depends on it, and
//! a search without a census pays one test per access.
//!
//! Everything is relaxed. A worker counts in cells of its own, as on the
//! [`Board`](crate::smp::board::Board). A tag is a word of its own, written after its slot: two
//! workers that write one slot at once may leave the entry of one with the tag of the other, and a
//! reader may come between an entry and its tag. Then hits are attributed to the wrong worker until
//! the slot is written again, and nothing else happens. A slot that only one worker writes has the
//! right tag, and so has every slot in lockstep.

use std::collections::TryReserveError;

use crossbeam_utils::CachePadded;

use super::cluster::{Probe, SLOTS, Stored};
use super::entry::Entry;
use super::table::Table;
use crate::position::Key;
use crate::smp::board::add;
use crate::sync::{Arc, AtomicU16, AtomicU64, Ordering::Relaxed};

/// The number of times that each thing has happened.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts<T = u64> {
    /// Probes.
    pub probes: T,
    /// Probes that found an entry.
    pub hits: T,
    /// Hits on an entry that another worker wrote, in this search or in an earlier one with a
    /// census.
    pub foreign: T,
    /// Slots read by a probe that held another key. Almost all of them hold another position of the
    /// same cluster; a slot torn by a race looks the same but is rare. So this shows how crowded
    /// the clusters are.
    pub rejected: T,
    /// Moves from entries that were not legal in the position: two positions have the same key, or
    /// a race forged the entry. This is the visible part of what gets past the check.
    pub illegal: T,
    /// Entries stored in an empty slot.
    pub filled: T,
    /// Entries stored over one of the same position, or merged into it.
    pub updated: T,
    /// Entries not stored, since the one of the same position is worth more and would not change.
    pub kept: T,
    /// Entries stored over one of another position from an earlier search.
    pub replaced_older: T,
    /// Entries stored over one of another position from this search.
    pub replaced_current: T,
}

impl Counts {
    /// All attempts to store an entry.
    pub fn stores(&self) -> u64 {
        self.filled + self.updated + self.kept + self.replaced_older + self.replaced_current
    }

    /// Adds what a worker has counted so far.
    fn plus(self, row: &Counts<AtomicU64>) -> Self {
        let sum = |sum: u64, cell: &AtomicU64| sum + cell.load(Relaxed);
        Self {
            probes: sum(self.probes, &row.probes),
            hits: sum(self.hits, &row.hits),
            foreign: sum(self.foreign, &row.foreign),
            rejected: sum(self.rejected, &row.rejected),
            illegal: sum(self.illegal, &row.illegal),
            filled: sum(self.filled, &row.filled),
            updated: sum(self.updated, &row.updated),
            kept: sum(self.kept, &row.kept),
            replaced_older: sum(self.replaced_older, &row.replaced_older),
            replaced_current: sum(self.replaced_current, &row.replaced_current),
        }
    }
}

/// The accesses that a census counts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// None: there is no census.
    #[default]
    Nothing,
    /// Those to one key in [`SAMPLE`], which costs the search almost nothing.
    Sample,
    /// All.
    Everything,
}

/// The keys of which [`Counting::Sample`] counts one.
const SAMPLE: u64 = 16;
/// The first bit of a key by which a sample is drawn: higher bits choose the cluster.
const SAMPLE_SHIFT: u32 = 32;

impl Counting {
    /// The accesses that each counted one stands for.
    pub fn weight(self) -> u64 {
        if self == Self::Sample { SAMPLE } else { 1 }
    }
}

/// Counts the accesses of one search's workers to one table.
#[derive(Debug)]
pub struct Census {
    /// The worker that wrote each slot last, as a tag; 0 if that was not counted.
    owners: Arc<Vec<AtomicU16>>,
    rows: Box<[CachePadded<Counts<AtomicU64>>]>,
    counting: Counting,
}

impl Census {
    /// A census of `workers` workers at `table`, whose present entries count as nobody's. An entry
    /// of a sample is stored and found by counted accesses alone, so its tag is as true as in a
    /// census of everything.
    ///
    /// # Errors
    /// If there is no memory for the tags, an eighth of the table's.
    ///
    /// # Panics
    /// If there are more than 65,535 workers, which is all that tags can name.
    pub fn new(table: &Table, workers: usize, counting: Counting) -> Result<Self, TryReserveError> {
        assert!(workers <= usize::from(u16::MAX), "a tag cannot name {workers} workers");
        let mut owners = Vec::new();
        owners.try_reserve_exact(table.slots())?;
        owners.extend((0..table.slots()).map(|_| AtomicU16::new(0)));
        Ok(Self::begin(Arc::new(owners), workers, counting))
    }

    /// A census of the next search at the same table.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self::begin(Arc::clone(&self.owners), self.rows.len(), self.counting)
    }

    fn begin(owners: Arc<Vec<AtomicU16>>, workers: usize, counting: Counting) -> Self {
        Self { owners, rows: (0..workers).map(|_| CachePadded::default()).collect(), counting }
    }

    /// The accesses that it counts.
    pub fn counting(&self) -> Counting {
        self.counting
    }

    /// Whether accesses to this key are counted.
    #[inline]
    pub fn counts(&self, key: Key) -> bool {
        match self.counting {
            Counting::Nothing => false,
            Counting::Sample => (key >> SAMPLE_SHIFT).is_multiple_of(SAMPLE),
            Counting::Everything => true,
        }
    }

    /// [`Table::probe`] by worker `worker`, counted.
    #[cold]
    pub fn probe(&self, worker: usize, table: &Table, key: Key, ply: usize) -> Option<Entry> {
        let (index, cluster) = table.locate(key);
        let Probe { found, rejected } = cluster.probe_counted(key);
        let row = &self.rows[worker];
        add(&row.probes, 1);
        add(&row.rejected, rejected);
        let (slot, word) = found?;
        let entry = word.unpack(ply)?;
        add(&row.hits, 1);
        let owner = self.owners[index * SLOTS + slot].load(Relaxed);
        let is_foreign = owner != 0 && owner != tag(worker);
        add(&row.foreign, is_foreign.into());
        Some(entry)
    }

    /// [`Table::store`] by worker `worker`, counted.
    #[cold]
    pub fn store(&self, worker: usize, table: &Table, key: Key, ply: usize, entry: Entry) -> bool {
        let (index, cluster) = table.locate(key);
        let (slot, stored) = cluster.store(key, table.pack(&entry, ply));
        let row = &self.rows[worker];
        let counter = match stored {
            Stored::Filled => &row.filled,
            Stored::Updated => &row.updated,
            Stored::Kept => &row.kept,
            Stored::ReplacedOlder => &row.replaced_older,
            Stored::ReplacedCurrent => &row.replaced_current,
        };
        add(counter, 1);
        let is_stored = stored != Stored::Kept;
        if is_stored {
            self.owners[index * SLOTS + slot].store(tag(worker), Relaxed);
        }
        is_stored
    }

    /// Counts a move, found by worker `worker`, that is not legal.
    pub fn note_illegal(&self, worker: usize) {
        add(&self.rows[worker].illegal, 1);
    }

    /// The counts of all workers: exact once they are idle, a lower bound before that.
    pub fn sum(&self) -> Counts {
        self.rows.iter().fold(Counts::default(), |sum, row| sum.plus(row))
    }

    /// The counts of worker `worker`, as exact as the sum.
    pub fn of(&self, worker: usize) -> Counts {
        Counts::default().plus(&self.rows[worker])
    }
}

fn tag(worker: usize) -> u16 {
    (worker + 1) as u16
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::PackedMove;
    use crate::score::{Depth, Score};
    use crate::tt::Bound;

    fn entry(depth: Depth, bound: Bound) -> Entry {
        let best = PackedMove::NONE;
        Entry { best, score: Some((Score::new(5), bound)), eval: None, depth, was_pv: false }
    }

    /// One cluster and a census of two workers.
    fn small() -> (Table, Census) {
        let table = Table::with_clusters(1).expect("64 bytes are free");
        let census = Census::new(&table, 2, Counting::Everything).expect("8 bytes are free");
        (table, census)
    }

    #[test]
    fn every_kind_of_store_is_told_apart() {
        let (table, census) = small();
        let store = |key, depth| census.store(0, &table, key, 0, entry(depth, Bound::Lower));
        assert!((1..=4).all(|key| store(key, 9)));
        assert!(store(1, 12), "deeper");
        assert!(!store(1, 3), "much shallower");
        assert!(store(5, 2), "over the shallowest of this search");
        table.begin_search();
        assert!(store(6, 2), "over an entry of the last search");
        let counts = census.sum();
        let expected = Counts {
            filled: 4,
            updated: 1,
            kept: 1,
            replaced_older: 1,
            replaced_current: 1,
            ..Counts::default()
        };
        assert_eq!((counts, counts.stores()), (expected, 8));
        assert_eq!((census.of(0), census.of(1)), (expected, Counts::default()));
    }

    #[test]
    fn a_sample_leaves_keys_out() {
        let (table, all) = small();
        let keys = || (0..2 * SAMPLE).map(|key| key << SAMPLE_SHIFT);
        assert!(keys().all(|key| all.counts(key)));
        let sample = Census::new(&table, 1, Counting::Sample).unwrap();
        assert_eq!(keys().filter(|&key| sample.counts(key)).count(), 2);
        assert_eq!(sample.renewed().counting(), Counting::Sample);
    }

    #[test]
    fn what_a_probe_passes_by_is_rejected() {
        let (table, census) = small();
        for key in 1..=3 {
            census.store(0, &table, key, 0, entry(1, Bound::Exact));
        }
        assert!(census.probe(0, &table, 3, 0).is_some()); // two before it
        assert!(census.probe(0, &table, 9, 0).is_none()); // three, and an empty slot
        let counts = census.sum();
        assert_eq!((counts.probes, counts.hits, counts.rejected), (2, 1, 5));
    }

    #[test]
    fn an_entry_belongs_to_its_last_writer() {
        let (table, census) = small();
        table.store(7, 0, entry(1, Bound::Exact));
        let foreign = |worker| {
            let before = census.of(worker);
            assert!(census.probe(worker, &table, 7, 0).is_some());
            census.of(worker).foreign - before.foreign
        };
        assert_eq!([foreign(0), foreign(1)], [0, 0], "written before it was counted");
        census.store(1, &table, 7, 0, entry(2, Bound::Exact));
        assert_eq!([foreign(0), foreign(1)], [1, 0]);
        census.store(0, &table, 7, 0, entry(3, Bound::Exact));
        assert_eq!([foreign(0), foreign(1)], [0, 1]);
        census.store(1, &table, 7, 0, Entry { score: None, ..entry(1, Bound::Exact) });
        assert_eq!([foreign(0), foreign(1)], [0, 1], "what was not stored is nobody's");
        let next = census.renewed();
        assert!(next.probe(1, &table, 7, 0).is_some());
        assert_eq!((next.sum().hits, next.sum().foreign), (1, 1));
    }

    #[test]
    fn counting_changes_no_answer() {
        let tables = [(); 2].map(|()| Table::with_clusters(3).unwrap());
        let census = Census::new(&tables[1], 1, Counting::Everything).unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let key = random.u64(..).wrapping_mul(random.u64(1..8));
            let entry = entry(random.i32(0..20), Bound::Lower);
            tables[0].store(key, 0, entry);
            census.store(0, &tables[1], key, 0, entry);
            let key = if random.bool() { key } else { random.u64(..) };
            assert_eq!(tables[0].probe(key, 0), census.probe(0, &tables[1], key, 0));
        }
        let counts = census.sum();
        assert_eq!((counts.probes, counts.stores(), counts.filled), (10_000, 10_000, 12));
        assert!(counts.hits > 4000 && counts.foreign == 0, "{counts:?}");
    }
}
