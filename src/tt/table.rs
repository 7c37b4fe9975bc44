//! From keys to clusters: index, age, size.
//!
//! Every access is relaxed: a slot verifies itself, and the age changes only while no worker runs,
//! published like everything else by the crew's lock.

use super::cluster::{Cluster, SLOTS, Stored};
use super::entry::{AGES, Entry, Word};
use super::memory::{self, ClusterMemory};
use super::prefetch::prefetch;
use crate::position::Key;
use crate::sync::{AtomicU64, Ordering::Relaxed};

const MEBIBYTE: usize = 1 << 20;

/// Clusters that [`Table::hashfull`] samples.
const SAMPLE: usize = 1000 / SLOTS;

/// Why a table cannot be allocated.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// It is larger than the machine's memory.
    #[error("a hash table of {mebibytes} MiB exceeds the {physical} MiB of this machine")]
    TooLarge {
        /// The size that was asked for.
        mebibytes: usize,
        /// The machine's memory in MiB.
        physical: usize,
    },
    /// The system does not grant the memory.
    #[error("cannot allocate a hash table of {mebibytes} MiB")]
    OutOfMemory {
        /// The size that was asked for.
        mebibytes: usize,
    },
}

/// The transposition table, shared by all workers.
#[derive(Debug)]
pub struct Table {
    clusters: ClusterMemory,
    age: AtomicU64,
}

impl Table {
    /// An empty table of `mebibytes` MiB (at least one), whose memory is not touched yet.
    pub fn new(mebibytes: usize) -> Result<Self, TableError> {
        let mebibytes = mebibytes.max(1);
        let bytes = mebibytes.saturating_mul(MEBIBYTE);
        match memory::physical() {
            Some(physical) if bytes > physical => {
                Err(TableError::TooLarge { mebibytes, physical: physical / MEBIBYTE })
            }
            _ => Self::with_clusters(bytes / size_of::<Cluster>())
                .ok_or(TableError::OutOfMemory { mebibytes }),
        }
    }

    /// An empty table of `clusters` clusters of four entries, for tests and models that need a
    /// crowded one; `None` if it cannot be allocated.
    pub fn with_clusters(clusters: usize) -> Option<Self> {
        Some(Self { clusters: ClusterMemory::new(clusters)?, age: AtomicU64::new(0) })
    }

    /// The entry stored under `key`, its score relative to a root `ply` plies above.
    #[inline]
    pub fn probe(&self, key: Key, ply: usize) -> Option<Entry> {
        self.locate(key).1.probe(key)?.unpack(ply)
    }

    /// Stores an entry under `key`; its score is relative to a root `ply` plies above. False if the
    /// table's own is worth more and stays as it is.
    #[inline]
    pub fn store(&self, key: Key, ply: usize, entry: Entry) -> bool {
        self.locate(key).1.store(key, self.pack(&entry, ply)).1 != Stored::Kept
    }

    /// The cluster of `key`, which is a cache line.
    #[inline]
    pub fn cluster(&self, key: Key) -> &(impl Sized + use<>) {
        self.locate(key).1
    }

    /// Fetches the cluster of `key` into the cache.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(self.locate(key).1);
    }

    /// Begins a new search: every entry is one search older. Called while no worker runs.
    pub fn begin_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// The permille of entries that the current search has written, from a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(SAMPLE)];
        let current = |word: &Word| *word != Word::EMPTY && word.age() == age;
        let written = sample.iter().flat_map(Cluster::words).filter(current).count();
        (written * 1000 / (sample.len() * SLOTS)) as u32
    }

    /// Empties part `part` of `parts`, so that workers can share the work. Called while no worker
    /// searches.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn clear_part(&self, part: usize, parts: usize) {
        assert!(part < parts, "part {part} of {parts}");
        // A table has fewer clusters than fit into 58 bits, and parts are threads: no overflow.
        let bound =
            |part: usize| (self.clusters.len() as u128 * part as u128 / parts as u128) as usize;
        for cluster in &self.clusters[bound(part)..bound(part + 1)] {
            cluster.clear();
        }
    }

    /// The size in MiB.
    pub fn mebibytes(&self) -> usize {
        self.clusters.len() * size_of::<Cluster>() / MEBIBYTE
    }

    pub(super) fn slots(&self) -> usize {
        self.clusters.len() * SLOTS
    }

    /// The word of an entry of this search, whose score is relative to a root `ply` plies above.
    #[inline]
    pub(super) fn pack(&self, entry: &Entry, ply: usize) -> Word {
        Word::pack(entry, ply, self.age.load(Relaxed))
    }

    /// The cluster of `key` and its index: the key, as a fraction of 2^64, of the number of
    /// clusters, which need not be a power of two (D. Lemire, "Fast random integer generation in an
    /// interval", 2019).
    #[inline]
    pub(super) fn locate(&self, key: Key) -> (usize, &Cluster) {
        let index = ((u128::from(key) * self.clusters.len() as u128) >> Key::BITS) as usize;
        (index, &self.clusters[index])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::PackedMove;
    use crate::score::{Depth, Score};
    use crate::tt::Bound;

    fn entry(depth: Depth) -> Entry {
        Entry {
            best: PackedMove::from_bits(0x1234),
            score: Some((Score::new(25), Bound::Exact)),
            eval: Some(Score::new(-7)),
            depth,
            was_pv: true,
        }
    }

    /// Keys that spread over the whole table.
    fn keys(count: u64) -> impl Iterator<Item = Key> {
        const GOLDEN_RATIO: Key = 0x9E37_79B9_7F4A_7C15;
        (1..=count).map(|i| i.wrapping_mul(GOLDEN_RATIO))
    }

    #[test]
    fn what_is_stored_is_found_under_its_key_alone() {
        let table = Table::new(1).unwrap();
        for key in keys(1000) {
            assert_eq!(table.probe(key, 0), None);
            table.store(key, 0, entry(5));
            assert_eq!(table.probe(key, 0), Some(entry(5)));
            assert_eq!(table.probe(key ^ 1, 0), None);
        }
    }

    #[test]
    fn scores_are_kept_relative_to_the_node() {
        let table = Table::with_clusters(1).unwrap();
        let mate = |ply| Entry { score: Some((Score::mate_in(ply), Bound::Exact)), ..entry(3) };
        table.store(1, 10, mate(13));
        assert_eq!(table.probe(1, 4), Some(mate(7)));
    }

    #[test]
    fn every_cluster_of_any_number_is_reached() {
        for clusters in [1, 3, 100] {
            let table = Table::with_clusters(clusters).unwrap();
            for key in keys(100 * clusters as u64) {
                table.store(key, 0, entry(1));
            }
            table.store(0, 0, entry(1));
            table.store(Key::MAX, 0, entry(1));
            assert!(table.clusters.iter().all(|c| c.words().all(|word| word != Word::EMPTY)));
        }
    }

    #[test]
    fn the_size_is_what_was_asked_for() {
        for mebibytes in [1, 2, 3, 17, 1000] {
            let table = Table::new(mebibytes).unwrap();
            assert_eq!(table.clusters.len() * size_of::<Cluster>(), mebibytes * MEBIBYTE);
            assert_eq!(table.mebibytes(), mebibytes);
        }
        assert_eq!(Table::new(0).unwrap().mebibytes(), 1);
    }

    #[test]
    fn a_table_too_large_for_the_machine_is_an_error() {
        assert!(Table::new(usize::MAX).is_err());
        #[cfg(unix)]
        {
            let error = Table::new(1 << 40).unwrap_err();
            assert!(
                matches!(error, TableError::TooLarge { mebibytes, .. } if mebibytes == 1 << 40)
            );
        }
    }

    #[test]
    fn hashfull_counts_the_entries_of_this_search() {
        let table = Table::with_clusters(50).unwrap();
        assert_eq!(table.hashfull(), 0);
        for key in keys(10_000) {
            table.store(key, 0, entry(1));
        }
        assert_eq!(table.hashfull(), 1000);
        table.begin_search();
        assert_eq!(table.hashfull(), 0);
        table.store(3, 0, entry(1));
        assert_eq!(table.hashfull(), 1000 / 200);
    }

    #[test]
    fn ages_begin_anew_after_the_last() {
        let table = Table::with_clusters(1).unwrap();
        for _ in 0..3 * AGES {
            table.begin_search();
            table.store(1, 0, entry(1));
            assert_eq!(table.hashfull(), 1000 / SLOTS as u32);
        }
    }

    #[test]
    fn an_entry_is_old_until_its_age_comes_again() {
        let table = Table::with_clusters(1).unwrap();
        table.store(1, 0, entry(1));
        for _ in 1..AGES {
            table.begin_search();
            assert_eq!(table.hashfull(), 0);
        }
    }

    #[test]
    fn the_parts_together_empty_the_table() {
        for (clusters, parts) in [(1, 1), (1, 3), (7, 3), (1000, 16)] {
            let table = Table::with_clusters(clusters).unwrap();
            for key in keys(100 * clusters as u64) {
                table.store(key, 0, entry(1));
            }
            let filled = || {
                table.clusters.iter().flat_map(Cluster::words).filter(|w| *w != Word::EMPTY).count()
            };
            let mut left = filled();
            for part in 0..parts {
                table.clear_part(part, parts);
                assert!(parts > clusters || filled() < left);
                left = filled();
            }
            assert_eq!(left, 0);
        }
    }

    #[test]
    fn a_prefetch_changes_nothing() {
        let table = Table::with_clusters(3).unwrap();
        table.store(9, 0, entry(2));
        for key in keys(10).chain([0, Key::MAX, 9]) {
            table.prefetch(key);
        }
        assert_eq!(table.probe(9, 0), Some(entry(2)));
    }
}
