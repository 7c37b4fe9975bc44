//! The table with several writers: replacement, age, clearing, and resizing.

use heddle::position::{Key, PackedMove};
use heddle::score::{Depth, Score};
use heddle::smp::crew::Crew;
use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use heddle::tt::{Bound as ScoreBound, Entry, Table};
use loom_tests::{Bound, Counters, explore, join};

/// What every model stores under a key; each field determines the key.
fn entry(key: Key, depth: Depth) -> Entry {
    Entry {
        best: PackedMove::from_bits(key as u16 + 1000),
        score: Some((Score::new(key as i32 * 10), ScoreBound::Lower)),
        eval: Some(Score::new(key as i32 * 100)),
        depth,
        was_pv: false,
    }
}

/// The table answers `key` with what was stored under it, or with nothing.
fn assert_own(table: &Table, key: Key, depth: Depth) {
    let read = table.probe(key, 0);
    assert!(read.is_none_or(|read| read == entry(key, depth)), "{key}: foreign {read:?}");
}

fn write(table: &Arc<Table>, key: Key, depth: Depth) -> thread::JoinHandle<()> {
    let table = Arc::clone(table);
    thread::spawn(move || {
        table.store(key, 0, entry(key, depth));
    })
}

/// One cluster that holds keys 1 to 4 at these depths.
fn cluster(depths: [Depth; 4]) -> Arc<Table> {
    let table = Table::with_clusters(1).unwrap();
    for (key, depth) in (1..).zip(depths) {
        table.store(key, 0, entry(key, depth));
    }
    Arc::new(table)
}

/// Two writers compete for the same victim while a reader probes all three keys.
#[test]
fn two_writers_replace_the_same_entry() {
    explore("table: 2 writers, 1 victim, 1 reader", Bound::Preemptions(2), || {
        let table = cluster([1, 9, 9, 9]);
        let writers = [5, 6].map(|key| write(&table, key, 5));
        assert_own(&table, 5, 5);
        assert_own(&table, 1, 1);
        join(writers);
        for key in [5, 6] {
            assert_own(&table, key, 5);
        }
        for key in 2..=4 {
            assert_eq!(table.probe(key, 0), Some(entry(key, 9)), "a deeper entry was lost");
        }
        // Whatever the race left behind, the slot can be used again.
        table.store(7, 0, entry(7, 6));
        assert_eq!(table.probe(7, 0), Some(entry(7, 6)), "the slot is lost");
    });
}

#[test]
fn two_writers_fill_an_empty_cluster() {
    explore("table: 2 writers, empty cluster", Bound::MoreIfLong(2, 3), || {
        let table = Arc::new(Table::with_clusters(1).unwrap());
        let writers = [5, 6].map(|key| write(&table, key, 5));
        assert_own(&table, 5, 5);
        join(writers);
        for key in [5, 6] {
            assert_own(&table, key, 5);
            table.store(key, 0, entry(key, 5));
            assert_eq!(table.probe(key, 0), Some(entry(key, 5)), "the slot is lost");
        }
    });
}

/// Two writers of one key: a probe finds either entry, whole, or none.
#[test]
fn two_writers_of_the_same_key() {
    explore("table: 2 writers of one key, 1 reader", Bound::MoreIfLong(2, 3), || {
        let table = cluster([3, 9, 9, 9]);
        let writers = [4, 5].map(|depth| write(&table, 1, depth));
        let whole = |read: Option<Entry>| {
            read.is_none() || [3, 4, 5].iter().any(|&depth| read == Some(entry(1, depth)))
        };
        assert!(whole(table.probe(1, 0)), "torn");
        join(writers);
        assert!(whole(table.probe(1, 0)), "torn");
    });
}

/// The main thread reads `hashfull` while a worker fills the table.
#[test]
fn hashfull_is_read_while_entries_are_written() {
    explore("table: hashfull while written", Bound::MoreIfLong(3, 4), || {
        let table = Arc::new(Table::with_clusters(1).unwrap());
        let writer = {
            let table = Arc::clone(&table);
            thread::spawn(move || [1, 2].map(|key| table.store(key, 0, entry(key, 3))))
        };
        let seen = table.hashfull();
        assert!([0, 250, 500].contains(&seen), "{seen}");
        writer.join().unwrap();
        assert_eq!(table.hashfull(), 500);
    });
}

/// An entry written while the age changes belongs to the old search or to the new one.
#[test]
fn the_age_changes_while_an_entry_is_written() {
    explore("table: age while written", Bound::Exhaustive, || {
        let table = Arc::new(Table::with_clusters(1).unwrap());
        let writer = write(&table, 1, 3);
        table.begin_search();
        writer.join().unwrap();
        assert_eq!(table.probe(1, 0), Some(entry(1, 3)), "lost");
        let seen = table.hashfull();
        assert!([0, 250].contains(&seen), "{seen}");
    });
}

/// After a search the workers clear the table, each its own part.
#[test]
fn a_cleared_table_is_empty() {
    explore("table: cleared by the crew", Bound::MoreIfLong(2, 3), || {
        let table = Arc::new(Table::with_clusters(2).unwrap());
        let crew = Crew::<()>::new(2).unwrap();
        let searched = Arc::clone(&table);
        crew.start(move |index, ()| {
            let key = index as Key + 1;
            searched.store(key, 0, entry(key, 3));
        });
        let cleared = Arc::clone(&table);
        crew.start(move |part, ()| cleared.clear_part(part, 2));
        crew.wait();
        assert!((1..=2).all(|key| table.probe(key, 0).is_none()), "not empty");
    });
}

/// Between two searches another table replaces the first: nothing of the old one is seen.
#[test]
fn another_table_takes_the_place_of_the_first() {
    explore("table: resized between searches", Bound::ExhaustiveIfLong(3), || {
        let crew = Crew::<()>::new(1).unwrap();
        let hits = Arc::new(Counters::new(2));
        for depth in [3, 5] {
            let (table, hits) = (Arc::new(Table::with_clusters(1).unwrap()), Arc::clone(&hits));
            crew.start(move |_, ()| {
                hits.add(0, u64::from(table.probe(1, 0).is_some()));
                table.store(1, 0, entry(1, depth));
                hits.add(1, u64::from(table.probe(1, 0) == Some(entry(1, depth))));
            });
        }
        crew.wait();
        assert_eq!(
            [hits.get(0), hits.get(1)],
            [0, 2],
            "hits in the old table, hits in the new one"
        );
    });
}

/// Mutant: an entry is two words without a check, in a cluster of two.
#[derive(Default)]
struct Unchecked([(AtomicU64, AtomicU64); 2]);

impl Unchecked {
    fn probe(&self, key: u64) -> Option<u64> {
        let slot = self.0.iter().find(|slot| slot.0.load(Relaxed) == key)?;
        Some(slot.1.load(Relaxed))
    }
    fn store(&self, key: u64, data: u64) {
        let free = self.0.iter().find(|slot| [0, key].contains(&slot.0.load(Relaxed)));
        let slot = free.unwrap_or(&self.0[0]);
        slot.0.store(key, Relaxed);
        slot.1.store(data, Relaxed);
    }
}

#[test]
#[should_panic(expected = "foreign")]
fn mutant_without_the_check() {
    explore("table mutant: no XOR", Bound::Preemptions(2), || {
        let table = Arc::new(Unchecked::default());
        let writers = [5, 6].map(|key| {
            let table = Arc::clone(&table);
            thread::spawn(move || table.store(key, key * 10))
        });
        join(writers);
        for key in [5, 6] {
            assert!(table.probe(key).is_none_or(|data| data == key * 10), "foreign");
        }
    });
}

/// Mutant: the table is cleared while a worker still stores.
#[test]
#[should_panic(expected = "not empty")]
fn mutant_cleared_during_the_search() {
    explore("table mutant: cleared too early", Bound::Exhaustive, || {
        let table = Arc::new(Table::with_clusters(1).unwrap());
        let writer = write(&table, 1, 3);
        table.clear_part(0, 1);
        writer.join().unwrap();
        assert!(table.probe(1, 0).is_none(), "not empty");
    });
}

/// Two keys in two clusters, which two workers clear as `part_of` says; returns how many are left.
fn left_after_clearing(part_of: fn(usize) -> usize, waits: bool) -> usize {
    let table = Arc::new(Table::with_clusters(2).unwrap());
    let keys = [1, 1 << 63];
    for key in keys {
        table.store(key, 0, entry(key % 1000, 3));
    }
    let crew = Crew::<()>::new(2).unwrap();
    let cleared = Arc::clone(&table);
    crew.start(move |index, ()| cleared.clear_part(part_of(index), 2));
    if waits {
        crew.wait();
    }
    let left = keys.iter().filter(|&&key| table.probe(key, 0).is_some()).count();
    drop(crew); // first: if the model fails, it would wait forever
    left
}

#[test]
fn every_part_is_cleared() {
    explore("table: both parts cleared", Bound::Preemptions(2), || {
        assert_eq!(left_after_clearing(|index| index, true), 0, "not empty");
    });
}

/// Mutant: both workers clear the same part.
#[test]
#[should_panic(expected = "not empty")]
fn mutant_one_part_cleared_twice() {
    explore("table mutant: one part cleared twice", Bound::Preemptions(2), || {
        assert_eq!(left_after_clearing(|_| 0, true), 0, "not empty");
    });
}

/// Mutant: the next search begins before the clearing has ended.
#[test]
#[should_panic(expected = "not empty")]
fn mutant_clearing_not_awaited() {
    explore("table mutant: clearing not awaited", Bound::Preemptions(2), || {
        assert_eq!(left_after_clearing(|index| index, false), 0, "not empty");
    });
}

/// Mutant: two threads raise the age, with a load and a store as shipped.
#[test]
#[should_panic(expected = "an age was lost")]
fn mutant_aged_by_two() {
    explore("table mutant: aged by two threads", Bound::Exhaustive, || {
        const AGES: usize = 32;
        let table = Arc::new(Table::with_clusters(1).unwrap());
        table.store(1, 0, entry(1, 3));
        let other = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.begin_search())
        };
        table.begin_search();
        other.join().unwrap();
        // After two ages, the remaining steps of the cycle lead back to the entry's age.
        (2..AGES).for_each(|_| table.begin_search());
        assert_eq!(table.hashfull(), 250, "an age was lost");
    });
}
