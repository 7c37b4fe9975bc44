//! A stop ends the search it is meant for, whenever it arrives, and no other.
#![cfg(loom)]

use heddle::smp::counter::Counters;
use heddle::smp::pool::{Job, Pool};
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, thread};
use loom_tests::{Bound, explore};

/// A search that never ends by itself.
fn endless(stop: &Arc<StopFlag>) -> Job {
    let stop = Arc::clone(stop);
    Arc::new(move |_| {
        while !stop.is_raised() {
            thread::yield_now();
        }
    })
}

/// A stop at any time after `start` ends the search, even before a worker has begun.
#[test]
fn a_stop_is_never_lost() {
    explore("stop: at any time after start", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let pool = Pool::new(1).unwrap();
        stop.clear();
        pool.start(endless(&stop));
        stop.raise();
        pool.wait();
    });
}

/// The main worker raises the flag when it is done; the owner raises it too, twice.
#[test]
fn a_worker_and_the_owner_stop_at_the_same_time() {
    explore("stop: raised by worker and owner", Bound::MoreIfLong(2, 3), || {
        let stop = Arc::new(StopFlag::default());
        let pool = Pool::new(2).unwrap();
        stop.clear();
        let (flag, wait) = (Arc::clone(&stop), endless(&stop));
        pool.start(Arc::new(move |index| if index == 0 { flag.raise() } else { wait(index) }));
        stop.raise();
        stop.raise();
        pool.wait();
        assert!(stop.is_raised());
    });
}

/// A job that records whether the flag is raised when it begins.
fn noting(stop: &Arc<StopFlag>, leaks: &Arc<Counters>) -> Job {
    let (stop, leaks) = (Arc::clone(stop), Arc::clone(leaks));
    Arc::new(move |index| leaks.add(index, u64::from(stop.is_raised())))
}

/// After a stop every worker finds the flag raised, until the owner clears it.
#[test]
fn a_stop_reaches_every_worker() {
    explore("stop: reaches both workers", Bound::MoreIfLong(2, 3), || {
        let stop = Arc::new(StopFlag::default());
        let seen = Arc::new(Counters::new(2));
        let pool = Pool::new(2).unwrap();
        stop.clear();
        pool.start(noting(&stop, &seen));
        stop.raise();
        pool.start(noting(&stop, &seen));
        pool.wait();
        assert!((0..2).all(|index| [1, 2].contains(&seen.get(index))), "a stop was lost");
    });
}

/// A stop before, during or after the first search does not affect the second.
#[test]
fn a_stop_does_not_leak_into_the_next_search() {
    explore("stop: 2 searches", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let leaks = Arc::new(Counters::new(1));
        let pool = Pool::new(1).unwrap();
        stop.raise();
        stop.clear();
        pool.start(endless(&stop));
        stop.raise();
        pool.wait();
        stop.raise();
        stop.clear();
        pool.start(noting(&stop, &leaks));
        pool.wait();
        assert_eq!(leaks.sum(), 0, "a stop leaked");
    });
}

/// Mutant: nobody clears the flag.
#[test]
#[should_panic(expected = "a stop leaked")]
fn mutant_never_cleared() {
    explore("stop mutant: never cleared", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let leaks = Arc::new(Counters::new(1));
        let pool = Pool::new(1).unwrap();
        stop.raise();
        pool.start(noting(&stop, &leaks));
        pool.wait();
        drop(pool);
        assert_eq!(leaks.sum(), 0, "a stop leaked");
    });
}

// The mutants below hang; loom reports that as a model that takes too many steps. They use threads
// of their own, because a pool dropped while the model fails would wait for its workers.

/// Mutant: the worker clears the flag when it begins.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_by_the_worker() {
    explore("stop mutant: worker clears the flag", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let search = endless(&stop);
        let flag = Arc::clone(&stop);
        let worker = thread::spawn(move || {
            flag.clear();
            search(0);
        });
        stop.raise();
        worker.join().unwrap();
    });
}

/// Mutant: the owner clears the flag after starting the workers, one of which may already be done.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_after_the_start() {
    explore("stop mutant: cleared after the start", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let flag = Arc::clone(&stop);
        let main = thread::spawn(move || flag.raise());
        let search = endless(&stop);
        let helper = thread::spawn(move || search(1));
        stop.clear();
        main.join().unwrap();
        helper.join().unwrap();
    });
}

/// Mutant: one worker clears the flag when it ends, before another has seen it.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_at_the_end() {
    explore("stop mutant: cleared at the end", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let searches = [endless(&stop), endless(&stop)];
        let flag = Arc::clone(&stop);
        let [first, second] = searches;
        let first = thread::spawn(move || {
            first(0);
            flag.clear();
        });
        let second = thread::spawn(move || second(1));
        stop.raise();
        first.join().unwrap();
        second.join().unwrap();
    });
}

/// Mutant: the main worker finishes without telling the helpers.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_end_untold() {
    explore("stop mutant: end untold", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let search = endless(&stop);
        let main = thread::spawn(|| {});
        let helper = thread::spawn(move || search(1));
        main.join().unwrap();
        helper.join().unwrap();
    });
}
