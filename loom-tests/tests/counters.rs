//! Counters are exact at rest, monotone before that, and a lower bound throughout.

use heddle::smp::board::Board;
use heddle::smp::crew::Crew;
use heddle::sync::{Arc, AtomicU64, Ordering::Relaxed, thread};
use loom_tests::{Bound, explore, join};

#[test]
fn a_sum_is_monotone_and_exact_at_rest() {
    explore("counters: 2 owners, 1 reader", Bound::ExhaustiveIfLong(3), || {
        let board = Arc::new(Board::new(2, []));
        let owners = [0, 1].map(|index| {
            let board = Arc::clone(&board);
            thread::spawn(move || {
                board.count_node(index);
                board.count_node(index);
            })
        });
        let (first, second) = (board.nodes(), board.nodes());
        assert!(first <= second && second <= 4, "not monotone");
        join(owners);
        assert_eq!(board.nodes(), 4, "lost");
    });
}

#[test]
fn every_job_counts_from_zero() {
    explore("counters: new ones for each job", Bound::MoreIfLong(2, 3), || {
        let crew = Crew::<()>::new(2).unwrap();
        for _ in 0..2 {
            let board = Arc::new(Board::new(2, []));
            let counted = Arc::clone(&board);
            crew.start(move |index, ()| counted.count_tb_hits(index, 5));
            crew.wait();
            assert_eq!(board.tb_hits(), 10, "not exact at rest");
        }
    });
}

/// Mutant: two workers share a cell.
#[test]
#[should_panic(expected = "lost")]
fn mutant_with_a_shared_cell() {
    explore("counters mutant: a shared cell", Bound::Exhaustive, || {
        let board = Arc::new(Board::new(1, []));
        let owners = [0, 1].map(|_| {
            let board = Arc::clone(&board);
            thread::spawn(move || board.count_node(0))
        });
        join(owners);
        assert_eq!(board.nodes(), 2, "lost");
    });
}

/// Mutant: the next job keeps the counters of the previous one.
#[test]
#[should_panic(expected = "not exact at rest")]
fn mutant_kept_for_the_next_job() {
    explore("counters mutant: kept for the next job", Bound::Exhaustive, || {
        let board = Arc::new(Board::new(1, []));
        let crew = Crew::<()>::new(1).unwrap();
        for _ in 0..2 {
            let counted = Arc::clone(&board);
            crew.start(move |index, ()| counted.count_tb_hits(index, 5));
            crew.wait();
            assert_eq!(board.tb_hits(), 5, "not exact at rest");
        }
    });
}

/// Mutant: a cell is zeroed before the new value is written.
#[test]
#[should_panic(expected = "not monotone")]
fn mutant_zeroed_before_the_new_number() {
    explore("counters mutant: zeroed in between", Bound::Exhaustive, || {
        let cell = Arc::new(AtomicU64::new(1));
        let counted = Arc::clone(&cell);
        let owner = thread::spawn(move || {
            let before = counted.load(Relaxed);
            counted.store(0, Relaxed);
            counted.store(before + 1, Relaxed);
        });
        let (first, second) = (cell.load(Relaxed), cell.load(Relaxed));
        owner.join().unwrap();
        assert!(first <= second, "not monotone");
    });
}

/// Mutant: the sum is treated as exact before all workers have returned.
#[test]
#[should_panic(expected = "not exact at rest")]
fn mutant_summed_before_the_wait() {
    explore("counters mutant: summed before the wait", Bound::Preemptions(2), || {
        let board = Arc::new(Board::new(2, []));
        let crew = Crew::<()>::new(2).unwrap();
        let counted = Arc::clone(&board);
        crew.start(move |index, ()| counted.count_tb_hits(index, 5));
        let sum = board.tb_hits();
        drop(crew);
        assert_eq!(sum, 10, "not exact at rest");
    });
}
