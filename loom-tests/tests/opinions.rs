//! What the workers make of the root moves: the move that each prefers, and the nodes of each.
#![cfg(loom)]

use heddle::smp::opinions::Opinions;
use heddle::smp::tally::Tally;
use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use loom_tests::{Bound, explore, join};

/// More iterations than any worker completes here.
const MOST: i32 = 100;

/// A worker prefers move 1 from iteration 1 and move 20 from iteration 20 on.
const OPINIONS: [i32; 2] = [1, 20];

/// The iterations for which a move has been kept at iteration 30: never those of the other move.
fn is_whole(kept: impl Fn(u16) -> f64) -> bool {
    let [first, second] = OPINIONS.map(|since| kept(since as u16));
    [0.0, 30.0].contains(&first) && [0.0, 11.0].contains(&second)
}

#[test]
fn an_opinion_is_whole() {
    explore("opinions: 1 worker, 1 reader", Bound::Exhaustive, || {
        let opinions = Arc::new(Opinions::new(1));
        let held = Arc::clone(&opinions);
        let worker = thread::spawn(move || {
            OPINIONS.iter().for_each(|&since| held.set(0, since as u16, since));
        });
        assert!(is_whole(|choice| opinions.kept(choice, 30, MOST)), "torn");
        worker.join().unwrap();
        assert_eq!(OPINIONS.map(|since| opinions.kept(since as u16, 30, MOST)), [0.0, 11.0]);
    });
}

/// Mutant: the move and the iteration are in words of their own.
#[test]
#[should_panic(expected = "torn")]
fn mutant_in_two_words() {
    explore("opinions mutant: two words", Bound::Exhaustive, || {
        let words = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let held = Arc::clone(&words);
        let worker = thread::spawn(move || {
            for since in OPINIONS {
                held[0].store(since as u64, Relaxed);
                held[1].store(since as u64, Relaxed);
            }
        });
        let kept = |choice: u16| {
            let [preferred, since] = [0, 1].map(|i| words[i].load(Relaxed));
            let is_preferred = preferred == u64::from(choice) && since > 0;
            if is_preferred { (31 - since as i32).into() } else { 0.0 }
        };
        assert!(is_whole(kept), "torn");
        worker.join().unwrap();
    });
}

#[test]
fn no_node_is_lost() {
    explore("tally: 2 workers, 1 reader", Bound::ExhaustiveIfLong(3), || {
        let tally = Arc::new(Tally::new([1, 2]));
        let workers = [1, 2].map(|choice| {
            let tally = Arc::clone(&tally);
            thread::spawn(move || {
                tally.add(1, 1);
                tally.add(choice, 1);
            })
        });
        assert!((0.0..=1.0).contains(&tally.share(1)), "more than all");
        join(workers);
        assert_eq!(tally.share(1), 0.75, "lost");
    });
}

/// Mutant: the new count is computed and stored instead of added.
#[test]
#[should_panic(expected = "lost")]
fn mutant_stored_instead_of_added() {
    explore("tally mutant: stored", Bound::Exhaustive, || {
        let cell = Arc::new(AtomicU64::new(0));
        let workers = [1, 1].map(|nodes| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.store(cell.load(Relaxed) + nodes, Relaxed))
        });
        join(workers);
        assert_eq!(cell.load(Relaxed), 2, "lost");
    });
}
