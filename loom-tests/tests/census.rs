//! Counting table accesses: counts are exact at rest, and tags are right unless two workers write
//! one slot at the same time.

use heddle::position::{Key, PackedMove};
use heddle::score::{Depth, Score};
use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use heddle::tt::{Bound as ScoreBound, Census, Counting, Entry, Table};
use loom_tests::{Bound, explore, join};

fn entry(depth: Depth) -> Entry {
    let score = Some((Score::new(25), ScoreBound::Exact));
    Entry { best: PackedMove::NONE, score, eval: None, depth, was_pv: false }
}

/// A table and the census of two workers.
struct Counted {
    table: Table,
    census: Census,
}

impl Counted {
    fn new(clusters: usize) -> Arc<Self> {
        let table = Table::with_clusters(clusters).unwrap();
        let census = Census::new(&table, 2, Counting::Everything).unwrap();
        Arc::new(Self { table, census })
    }

    fn store(&self, worker: usize, key: Key, depth: Depth) {
        self.census.store(worker, &self.table, key, 0, entry(depth));
    }

    fn probe(&self, worker: usize, key: Key) -> bool {
        self.census.probe(worker, &self.table, key, 0).is_some()
    }

    /// A probe by `worker` finds `key` and attributes it to another worker.
    fn is_foreign(&self, worker: usize, key: Key) -> bool {
        let before = self.census.of(worker).foreign;
        assert!(self.probe(worker, key), "no entry");
        self.census.of(worker).foreign > before
    }

    fn spawn(self: &Arc<Self>, work: fn(&Self)) -> thread::JoinHandle<()> {
        let counted = Arc::clone(self);
        thread::spawn(move || work(&counted))
    }
}

#[test]
fn a_race_for_a_slot_loses_no_count() {
    explore("census: 2 workers, 1 slot", Bound::Preemptions(2), || {
        let counted = Counted::new(1);
        let workers = [
            counted.spawn(|c| {
                c.store(0, 1, 3);
                c.probe(0, 1);
            }),
            counted.spawn(|c| {
                c.store(1, 2, 3);
                c.probe(1, 1);
            }),
        ];
        join(workers);
        let counts = counted.census.sum();
        assert_eq!((counts.probes, counts.stores(), counts.filled), (2, 2, 2), "lost");
        assert!(counts.foreign <= counts.hits && counts.hits <= counts.probes, "{counts:?}");
        // Whatever tag the race has left, the next writer replaces it.
        counted.store(0, 1, 9);
        assert!(counted.is_foreign(1, 1) && !counted.is_foreign(0, 1), "the slot is lost");
    });
}

#[test]
fn a_slot_of_one_writer_has_its_tag() {
    explore("census: 2 workers, 2 slots", Bound::Exhaustive, || {
        const KEYS: [Key; 2] = [1, 1 << 63];
        let counted = Counted::new(2);
        join([
            counted.spawn(|c| c.store(0, KEYS[0], 3)),
            counted.spawn(|c| c.store(1, KEYS[1], 3)),
        ]);
        for (worker, key) in KEYS.into_iter().enumerate() {
            assert!(!counted.is_foreign(worker, key), "a tag is lost");
            assert!(counted.is_foreign(1 - worker, key), "a tag is lost");
        }
    });
}

/// What is not promised: when two workers write one slot, the entry of one may carry the other's
/// tag.
#[test]
#[should_panic(expected = "attributed to the wrong worker")]
fn a_race_for_a_slot_can_leave_the_wrong_tag() {
    explore("census: wrong tag after a race", Bound::Exhaustive, || {
        let counted = Counted::new(1);
        join([counted.spawn(|c| c.store(0, 1, 3)), counted.spawn(|c| c.store(1, 2, 3))]);
        if counted.table.probe(1, 0).is_some() {
            assert!(!counted.is_foreign(0, 1), "attributed to the wrong worker");
        }
    });
}

/// Mutant: the tags of two slots share a word.
#[test]
#[should_panic(expected = "a tag is lost")]
fn mutant_two_tags_in_a_word() {
    explore("census mutant: two tags in a word", Bound::Exhaustive, || {
        const TAG_BITS: usize = 16;
        let tags = Arc::new(AtomicU64::new(0));
        let workers = [0, 1].map(|worker: usize| {
            let tags = Arc::clone(&tags);
            thread::spawn(move || {
                let tag = (worker as u64 + 1) << (TAG_BITS * worker);
                tags.store(tags.load(Relaxed) | tag, Relaxed);
            })
        });
        join(workers);
        assert_eq!(tags.load(Relaxed), 2 << TAG_BITS | 1, "a tag is lost");
    });
}
