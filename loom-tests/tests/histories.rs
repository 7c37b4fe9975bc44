//! Entries of a history that several workers update at once.

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
    pull_all(&cell, steps);
    cell.get()
}

fn pull_all(cell: &Entry, steps: &[i32]) {
    for &step in steps {
        cell.pull(step);
    }
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

/// The steps of the first writer, and the one of the second.
const FIRST: [i32; 3] = [LIMIT / 2, -LIMIT / 4, LIMIT / 8];
const SECOND: i32 = -LIMIT / 3;

/// The value after a race of the two writers.
fn raced() -> i32 {
    let cell = Arc::new(Entry::default());
    let steps: [&'static [i32]; 2] = [&FIRST, &[SECOND]];
    join(steps.map(|steps| {
        let cell = Arc::clone(&cell);
        thread::spawn(move || pull_all(&cell, steps))
    }));
    cell.get()
}

/// A writer that is interrupted between its load and its store undoes what the other did meanwhile,
/// and no more: the result is one that the steps left would give.
#[test]
fn a_race_undoes_what_was_done_meanwhile_at_worst() {
    explore("history: 3 steps against 1", Bound::Exhaustive, || {
        let mut possible = vec![after(&FIRST)];
        for seen in 0..=FIRST.len() {
            for undone in seen..=FIRST.len() {
                possible.push(after(&[&FIRST[..seen], &[SECOND], &FIRST[undone..]].concat()));
            }
        }
        let value = raced();
        assert!(possible.contains(&value), "{value} is not the result of any steps");
    });
}

/// A step that changes nothing is not stored: a store would take the cache line from the other
/// workers, and could undo their steps.
#[test]
fn a_step_that_changes_nothing_undoes_nothing() {
    explore("history: an idle step against 1", Bound::Exhaustive, || {
        let cell = Arc::new(Entry::default());
        join([0, STEP].map(|step| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || {
                cell.pull(step);
            })
        }));
        assert_eq!(cell.get(), after(&[STEP]), "a step was undone");
    });
}

/// Not promised: all three steps can be lost to one.
#[test]
#[should_panic(expected = "more than one step lost")]
fn a_race_can_undo_several_steps() {
    explore("history: more than one step lost", Bound::Exhaustive, || {
        let undone = after(&[SECOND]);
        assert_ne!(raced(), undone, "more than one step lost");
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
