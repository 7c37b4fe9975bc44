//! A stop ends the search it is meant for, whenever it arrives, and no other: every search has a
//! flag of its own.

use heddle::smp::crew::Crew;
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, AtomicBool, Ordering::Relaxed, thread};
use loom_tests::{Bound, Counters, explore};

/// A search that never ends by itself.
fn endless(is_raised: impl Fn() -> bool) {
    while !is_raised() {
        thread::yield_now();
    }
}

/// A stop at any time after `start` ends the search, even before a worker has begun.
#[test]
fn a_stop_is_never_lost() {
    explore("stop: at any time after start", Bound::Exhaustive, || {
        let stop = Arc::new(StopFlag::default());
        let crew = Crew::<()>::new(1).unwrap();
        let flag = Arc::clone(&stop);
        crew.start(move |_, ()| endless(|| flag.is_raised()));
        stop.raise();
        crew.wait();
    });
}

/// The main worker raises the flag when it is done; the owner raises it too, twice.
#[test]
fn a_worker_and_the_owner_stop_at_the_same_time() {
    explore("stop: raised by worker and owner", Bound::MoreIfLong(2, 3), || {
        let stop = Arc::new(StopFlag::default());
        let crew = Crew::<()>::new(2).unwrap();
        let flag = Arc::clone(&stop);
        crew.start(
            move |index, ()| {
                if index == 0 { flag.raise() } else { endless(|| flag.is_raised()) }
            },
        );
        stop.raise();
        stop.raise();
        crew.wait();
        assert!(stop.is_raised());
    });
}

/// Starts a search whose workers record whether its flag is raised when they begin.
fn start_noting(crew: &Crew<()>, stop: &Arc<StopFlag>, raised: &Arc<Counters>) {
    let (stop, raised) = (Arc::clone(stop), Arc::clone(raised));
    crew.start(move |index, ()| raised.add(index, u64::from(stop.is_raised())));
}

/// After a stop every worker finds the flag raised.
#[test]
fn a_stop_reaches_every_worker() {
    explore("stop: reaches both workers", Bound::MoreIfLong(2, 3), || {
        let stop = Arc::new(StopFlag::default());
        let seen = Arc::new(Counters::new(2));
        let crew = Crew::new(2).unwrap();
        start_noting(&crew, &stop, &seen);
        stop.raise();
        start_noting(&crew, &stop, &seen);
        crew.wait();
        assert!((0..2).all(|index| [1, 2].contains(&seen.get(index))), "a stop was lost");
    });
}

/// Two searches, the first of them stopped. `flag` makes the flag of the second from that of the
/// first.
fn two_searches(flag: fn(&Arc<StopFlag>) -> Arc<StopFlag>) {
    let first = Arc::new(StopFlag::default());
    let leaks = Arc::new(Counters::new(1));
    let crew = Crew::<()>::new(1).unwrap();
    let stop = Arc::clone(&first);
    crew.start(move |_, ()| endless(|| stop.is_raised()));
    first.raise();
    start_noting(&crew, &flag(&first), &leaks);
    // The owner may stop the first once more.
    first.raise();
    drop(crew);
    assert_eq!(leaks.sum(), 0, "a stop leaked");
}

/// A stop before, during or after the end of the first search does not affect the second.
#[test]
fn a_stop_does_not_leak_into_the_next_search() {
    explore("stop: 2 searches", Bound::ExhaustiveIfLong(4), || two_searches(|_| Arc::default()));
}

/// Mutant: the second search begins with the flag of the first.
#[test]
#[should_panic(expected = "a stop leaked")]
fn mutant_kept_for_the_next_search() {
    explore("stop mutant: kept for the next search", Bound::Exhaustive, || {
        two_searches(Arc::clone)
    });
}

// The mutants below hang; loom reports that as a model that takes too many steps. They use threads
// of their own, because a crew dropped while the model fails would wait for its workers. They clear
// one flag that all searches have, which `StopFlag` cannot.

fn search(flag: &Arc<AtomicBool>) {
    endless(|| flag.load(Relaxed));
}

/// Mutant: the worker clears the flag when it begins.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_by_the_worker() {
    explore("stop mutant: worker clears the flag", Bound::Exhaustive, || {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let worker = thread::spawn(move || {
            flag.store(false, Relaxed);
            search(&flag);
        });
        stop.store(true, Relaxed);
        worker.join().unwrap();
    });
}

/// Mutant: the owner clears the flag after starting the workers, one of which may already be done.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_after_the_start() {
    explore("stop mutant: cleared after the start", Bound::Exhaustive, || {
        let stop = Arc::new(AtomicBool::new(false));
        let [main, helper] = [0, 1].map(|_| Arc::clone(&stop));
        let main = thread::spawn(move || main.store(true, Relaxed));
        let helper = thread::spawn(move || search(&helper));
        stop.store(false, Relaxed);
        main.join().unwrap();
        helper.join().unwrap();
    });
}

/// Mutant: one worker clears the flag when it ends, before another has seen it.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_cleared_at_the_end() {
    explore("stop mutant: cleared at the end", Bound::Exhaustive, || {
        let stop = Arc::new(AtomicBool::new(false));
        let [first, second] = [0, 1].map(|_| Arc::clone(&stop));
        let first = thread::spawn(move || {
            search(&first);
            first.store(false, Relaxed);
        });
        let second = thread::spawn(move || search(&second));
        stop.store(true, Relaxed);
        first.join().unwrap();
        second.join().unwrap();
    });
}

/// Mutant: the main worker finishes without telling the helpers.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_end_untold() {
    explore("stop mutant: end untold", Bound::Exhaustive, || {
        let stop = Arc::new(AtomicBool::new(false));
        let main = thread::spawn(|| {});
        let helper = thread::spawn(move || search(&stop));
        main.join().unwrap();
        helper.join().unwrap();
    });
}
