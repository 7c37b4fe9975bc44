//! What loom itself (0.7.2) can and cannot see. If one of these tests fails after an update, loom
//! has changed, and the README and the facade should be reviewed.

use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;

use heddle::sync::{Arc, AtomicU64 as Announced};
use loom::sync::atomic::{AtomicU64, Ordering, Ordering::*, fence};
use loom::thread;
use loom_tests::{Bound, explore};

/// Store buffering: two threads store to one atomic each and load the other's; both find zero.
fn store_buffering(order: Ordering, fenced: bool) {
    let (x, y) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let run = move |mine: &AtomicU64, other: &AtomicU64| {
        mine.store(1, order);
        if fenced {
            fence(SeqCst);
        }
        other.load(order)
    };
    let (x2, y2) = (Arc::clone(&x), Arc::clone(&y));
    let other = thread::spawn(move || run(&x2, &y2));
    let mine = run(&y, &x);
    assert!(other.join().unwrap() + mine > 0, "both zero");
}

/// A false alarm: the language forbids this outcome.
#[test]
#[should_panic(expected = "both zero")]
fn seqcst_accesses_are_taken_for_acquire_and_release() {
    explore("loom: store buffering, SeqCst accesses", Bound::Exhaustive, || {
        store_buffering(SeqCst, false);
    });
}

#[test]
fn seqcst_fences_are_understood() {
    explore("loom: store buffering, SeqCst fences", Bound::Exhaustive, || {
        store_buffering(Relaxed, true);
    });
}

/// A missed bug: the language allows both loads to find the store that follows the other.
#[test]
fn load_buffering_is_not_explored() {
    explore("loom: load buffering", Bound::Exhaustive, || {
        let (x, y) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (x2, y2) = (Arc::clone(&x), Arc::clone(&y));
        let other = thread::spawn(move || {
            let seen = x2.load(Relaxed);
            y2.store(1, Relaxed);
            seen
        });
        let seen = y.load(Relaxed);
        x.store(1, Relaxed);
        assert!(other.join().unwrap() + seen < 2);
    });
}

/// The values that a load can see while another thread loads and then stores 1.
fn seen_values<A: Send + Sync + 'static>(
    name: &'static str,
    new: impl Fn() -> A + Send + Sync + 'static,
    load: fn(&A) -> u64,
    store: fn(&A),
) -> BTreeSet<u64> {
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let noted = Arc::clone(&seen);
    explore(name, Bound::Exhaustive, move || {
        let atomic = Arc::new(new());
        let other = {
            let atomic = Arc::clone(&atomic);
            thread::spawn(move || {
                load(&atomic);
                store(&atomic);
            })
        };
        noted.lock().unwrap().insert(load(&atomic));
        other.join().unwrap();
    });
    seen.lock().unwrap().clone()
}

/// A missed order (tokio-rs/loom#166, #392); this is why the facade announces its loads.
#[test]
fn a_load_before_a_store_hides_the_store() {
    let seen = seen_values(
        "loom: load and store, bare",
        || AtomicU64::new(0),
        |atomic| atomic.load(Relaxed),
        |atomic| atomic.store(1, Relaxed),
    );
    assert_eq!(seen, BTreeSet::from([0]));
}

#[test]
fn announced_loads_hide_nothing() {
    let seen = seen_values(
        "loom: load and store, announced",
        || Announced::new(0),
        |atomic| atomic.load(Relaxed),
        |atomic| atomic.store(1, Relaxed),
    );
    assert_eq!(seen, BTreeSet::from([0, 1]));
}

/// The outcomes of tokio-rs/loom#166: a redundant load must not remove any of them.
fn outcomes(redundant_load: bool) -> BTreeSet<(u64, u64)> {
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let noted = Arc::clone(&seen);
    explore("loom: a redundant load, announced", Bound::Exhaustive, move || {
        let entry = Arc::new((Announced::new(0), Announced::new(0)));
        let writer = {
            let entry = Arc::clone(&entry);
            thread::spawn(move || {
                entry.0.store(1, Relaxed);
                entry.1.store(1, Relaxed);
                entry.1.store(0, Relaxed);
                if redundant_load {
                    entry.0.load(Relaxed);
                }
                entry.0.store(0, Relaxed);
            })
        };
        let pair = (entry.1.load(Relaxed), entry.0.load(Relaxed));
        writer.join().unwrap();
        noted.lock().unwrap().insert(pair);
    });
    seen.lock().unwrap().clone()
}

#[test]
fn a_redundant_announced_load_takes_no_outcome_away() {
    assert_eq!(outcomes(true), outcomes(false));
}

/// Two words under a sequence number, read while they are being written.
fn sequence_lock(publish: Ordering, fenced: bool) {
    let words = Arc::new([AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)]);
    let writer = {
        let words = Arc::clone(&words);
        thread::spawn(move || {
            words[0].store(1, Relaxed);
            if fenced {
                fence(Release);
            }
            words[1].store(7, Relaxed);
            words[2].store(7, Relaxed);
            words[0].store(2, publish);
        })
    };
    let before = words[0].load(if fenced { Acquire } else { Relaxed });
    let (a, b) = (words[1].load(Relaxed), words[2].load(Relaxed));
    if fenced {
        fence(Acquire);
    }
    if before.is_multiple_of(2) && words[0].load(Relaxed) == before {
        assert_eq!(a, b, "torn");
    }
    writer.join().unwrap();
}

/// Loom does explore weak memory: without fences a sequence lock tears.
#[test]
#[should_panic(expected = "torn")]
fn a_relaxed_sequence_lock_tears() {
    explore("loom: sequence lock, relaxed", Bound::Exhaustive, || sequence_lock(Relaxed, false));
}

#[test]
fn a_fenced_sequence_lock_holds() {
    explore("loom: sequence lock, fenced", Bound::Exhaustive, || sequence_lock(Release, true));
}
