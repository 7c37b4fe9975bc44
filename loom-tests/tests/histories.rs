//! Entries of a history that several workers update at once.
#![cfg(loom)]

use heddle::search::{Cell, HISTORY_LIMIT};
use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use loom_tests::{Bound, explore, join};

/// As in the histories of moves; that of corrections differs in this alone.
const LIMIT: i32 = HISTORY_LIMIT;
/// An entry.
type Entry = Cell<LIMIT>;
/// The largest step that gravity allows.
const STEP: i32 = LIMIT;

/// The value after some steps, applied one after the other.
fn after(steps: &[i32]) -> i32 {
    let cell = Entry::default();
    steps.iter().for_each(|&step| cell.pull(step));
    cell.get()
}

#[test]
fn an_entry_stays_within_its_limit() {
    explore("history: 2 writers, 1 reader", Bound::ExhaustiveIfLong(3), || {
        let cell = Arc::new(Entry::default());
        let writers = [STEP, STEP / 2].map(|step| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                cell.pull(step);
                cell.pull(step);
            })
        });
        assert!(cell.get().abs() <= LIMIT, "out of bounds");
        join(writers);
        assert!(cell.get().abs() <= LIMIT, "out of bounds");
    });
}

/// A step may be lost, but the result is always one that some sequence of the steps would give.
#[test]
fn a_race_loses_a_step_at_worst() {
    explore("history: 2 writers", Bound::Exhaustive, || {
        const STEPS: [i32; 2] = [LIMIT / 2, -LIMIT / 4];
        let cell = Arc::new(Entry::default());
        let writers = STEPS.map(|step| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.pull(step))
        });
        join(writers);
        let [a, b] = STEPS;
        let possible = [&[a, b][..], &[b, a], &[a], &[b]].map(after);
        assert!(possible.contains(&cell.get()), "{} is not the result of any steps", cell.get());
    });
}

/// Mutant: the change is added atomically, so that no step is lost, but was computed beforehand.
#[test]
#[should_panic(expected = "out of bounds")]
fn mutant_change_added() {
    explore("history mutant: change added", Bound::Exhaustive, || {
        let cell = Arc::new(AtomicU64::new(0));
        let value = |word: u64| word as i64 as i32;
        let writers = [STEP, STEP].map(|step| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                let old = value(cell.load(Relaxed));
                let change = step - old * step.abs() / LIMIT;
                cell.fetch_add(i64::from(change) as u64, Relaxed);
            })
        });
        join(writers);
        assert!(value(cell.load(Relaxed)).abs() <= LIMIT, "out of bounds");
    });
}
