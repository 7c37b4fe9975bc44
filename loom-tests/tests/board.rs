//! The board: the move that each worker prefers, and the nodes of each root move. The nodes of each
//! worker are in `counters`.

use heddle::smp::board::Board;
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
    explore("board: an opinion, 1 worker, 1 reader", Bound::Exhaustive, || {
        let board = Arc::new(Board::new(1, []));
        let held = Arc::clone(&board);
        let worker = thread::spawn(move || {
            OPINIONS.iter().for_each(|&since| held.prefer(0, since as u16, since));
        });
        assert!(is_whole(|choice| board.kept(choice, 30, MOST)), "torn");
        worker.join().unwrap();
        assert_eq!(OPINIONS.map(|since| board.kept(since as u16, 30, MOST)), [0.0, 11.0]);
    });
}

/// Mutant: the move and the iteration are in words of their own.
#[test]
#[should_panic(expected = "torn")]
fn mutant_in_two_words() {
    explore("board mutant: an opinion in two words", Bound::Exhaustive, || {
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
    explore("board: nodes by move, 2 workers, 1 reader", Bound::ExhaustiveIfLong(3), || {
        let board = Arc::new(Board::new(2, [1, 2]));
        let workers = [1, 2].map(|choice| {
            let board = Arc::clone(&board);
            thread::spawn(move || {
                board.spend(1, 1);
                board.spend(choice, 1);
            })
        });
        assert!((0.0..=1.0).contains(&board.share(1)), "more than all");
        join(workers);
        assert_eq!(board.share(1), 0.75, "lost");
    });
}

/// Mutant: the new count is computed and stored instead of added.
#[test]
#[should_panic(expected = "lost")]
fn mutant_stored_instead_of_added() {
    explore("board mutant: nodes stored", Bound::Exhaustive, || {
        let cell = Arc::new(AtomicU64::new(0));
        let workers = [1, 1].map(|nodes| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || cell.store(cell.load(Relaxed) + nodes, Relaxed))
        });
        join(workers);
        assert_eq!(cell.load(Relaxed), 2, "lost");
    });
}
