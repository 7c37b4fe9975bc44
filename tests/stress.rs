//! Real threads hammer one small table: every probe must be answered with what was stored under its
//! key. The same run with slots without the check shows that an error would be noticed.
//!
//! `HEDDLE_STRESS` sets the number of operations, ten million by default. A build with `--cfg
//! heddle_racy`, which only `make tsan-teeth` makes, has one more test, which contains a data race.

use heddle::position::{Key, PackedMove, mix};
use heddle::score::{Depth, Score};
use heddle::sync::{AtomicU64, Ordering::Relaxed, thread};
use heddle::tt::{Bound, Entry, Table};

const DEFAULT_OPERATIONS: u64 = 10_000_000;
const THREADS: u64 = 4;
/// Clusters of the table: so few that keys always compete for slots.
const CLUSTERS: usize = 4;
/// Keys in use: many more than slots.
const KEYS: u64 = 64;
/// One probe in about this many ages the table and reads `hashfull`.
const AGE_EVERY: u64 = 1 << 16;

/// The only entry ever stored under `key`.
fn pattern(key: Key) -> Entry {
    let bits = mix(!key);
    let bound = [Bound::Upper, Bound::Lower, Bound::Exact][(bits % 3) as usize];
    Entry {
        best: PackedMove::from_bits((bits >> 8) as u16 | 1),
        score: Some((Score::new(i32::from((bits >> 24) as i16) / 4), bound)),
        eval: Some(Score::new(i32::from((bits >> 40) as i16) / 4)),
        depth: Depth::from((bits >> 56) as u8),
        was_pv: bits & 1 == 1,
    }
}

/// Runs this many `operations`, each with a random number, spread over the threads. Returns how
/// many of them returned true.
fn hammer(operations: u64, operation: impl Fn(u64) -> bool + Sync) -> u64 {
    let run = |thread: u64| {
        let numbers = (0..operations / THREADS).map(|i| mix(i * THREADS + thread + 1));
        numbers.filter(|&number| operation(number)).count() as u64
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
        let counts = workers.into_iter().map(|worker| worker.join().expect("no operation panics"));
        counts.sum()
    })
}

fn operations() -> u64 {
    std::env::var("HEDDLE_STRESS").map_or(DEFAULT_OPERATIONS, |number| {
        number.replace('_', "").parse().expect("HEDDLE_STRESS is a number of operations")
    })
}

#[test]
fn the_table_answers_no_key_with_the_data_of_another() {
    let table = Table::with_clusters(CLUSTERS).unwrap();
    let hits = AtomicU64::new(0);
    let corrupt = hammer(operations(), |number| {
        let key = mix(number % KEYS);
        if number >> 32 & 1 == 0 {
            table.store(key, 0, pattern(key));
            return false;
        }
        if number.is_multiple_of(AGE_EVERY) {
            table.begin_search(); // two concurrent calls may count as one, which a search tolerates
            assert!(table.hashfull() <= 1000);
        }
        let Some(entry) = table.probe(key, 0) else { return false };
        if number % 1024 < 16 {
            hits.fetch_add(1, Relaxed);
        }
        entry != pattern(key)
    });
    let hits = hits.into_inner();
    println!("{} operations: {hits} hits noted, {corrupt} corrupt", operations());
    assert_eq!(corrupt, 0, "accepted entries that were never stored under their key");
    assert_ne!(hits, 0, "nothing was ever found");
}

/// A thread's operation on a slot shared by several keys: it stores a consistent pair or reads one.
/// True if what it reads under its key does not belong to it.
fn is_foreign(
    number: u64,
    read: impl Fn(usize) -> (u64, u64),
    store: impl Fn(usize, u64, u64),
) -> bool {
    let key = mix(number % KEYS);
    let index = key as usize % CLUSTERS;
    if number >> 32 & 1 == 0 {
        store(index, key, !key);
        return false;
    }
    let (found, data) = read(index);
    found == key && data != !key
}

/// The slot without its check.
#[derive(Default)]
struct Unchecked {
    key: AtomicU64,
    data: AtomicU64,
}

/// Torn entries are a matter of chance, so this continues until there is one; on a machine that
/// runs the threads one after another that may take long.
#[test]
fn without_the_check_some_entries_are_foreign() {
    const ROUNDS: usize = 1000;
    let slots: Vec<Unchecked> = (0..CLUSTERS).map(|_| Unchecked::default()).collect();
    let read = |index: usize| (slots[index].key.load(Relaxed), slots[index].data.load(Relaxed));
    let store = |index: usize, key, data| {
        slots[index].key.store(key, Relaxed);
        slots[index].data.store(data, Relaxed);
    };
    let round = || hammer(operations(), |number| is_foreign(number, read, store));
    let foreign = (0..ROUNDS).map(|_| round()).find(|&foreign| foreign > 0);
    println!("{} operations without the check: {} foreign", operations(), foreign.unwrap_or(0));
    assert_ne!(foreign, None, "the test cannot see a torn entry");
}

/// The slot without atomics: a data race for ThreadSanitizer to report.
#[cfg(heddle_racy)]
#[expect(unsafe_code, reason = "a data race needs it")]
mod racy {
    use std::cell::UnsafeCell;

    use super::*;

    #[derive(Default)]
    struct PlainSlot(UnsafeCell<(u64, u64)>);

    // SAFETY: none, on purpose: accesses are not synchronised.
    unsafe impl Sync for PlainSlot {}

    #[test]
    fn a_slot_without_atomics_is_reported() {
        const OPERATIONS: u64 = 10_000;
        let slots: Vec<PlainSlot> = (0..CLUSTERS).map(|_| PlainSlot::default()).collect();
        // SAFETY: the pointers are valid; the concurrent writes are the deliberate error.
        let read = |index: usize| unsafe { slots[index].0.get().read() };
        // SAFETY: as above.
        let store = |index: usize, key, data| unsafe { slots[index].0.get().write((key, data)) };
        hammer(OPERATIONS, |number| is_foreign(number, read, store));
    }
}
