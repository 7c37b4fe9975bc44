//! Every worker runs every job once, `wait` returns when all have finished, and nothing deadlocks:
//! neither dropping the pool while a job runs, nor a job that panics.
#![cfg(loom)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use heddle::smp::counter::Counters;
use heddle::smp::pool::{Job, Pool};
use heddle::sync::Arc;
use loom_tests::{Bound, explore};

/// A job that counts how often each worker ran it.
fn counting(runs: &Arc<Counters>) -> Job {
    let runs = Arc::clone(runs);
    Arc::new(move |index| runs.add(index, 1))
}

fn assert_each_ran(runs: &Counters, workers: usize, times: u64) {
    for index in 0..workers {
        assert_eq!(runs.get(index), times, "worker {index}");
    }
}

#[test]
fn one_worker_runs_two_jobs() {
    explore("pool: 1 worker, 2 jobs", Bound::Exhaustive, || {
        let runs = Arc::new(Counters::new(1));
        let pool = Pool::new(1).unwrap();
        for round in 1..=2 {
            pool.start(counting(&runs));
            pool.wait();
            assert_each_ran(&runs, 1, round);
        }
    });
}

#[test]
fn two_workers_run_two_jobs() {
    explore("pool: 2 workers, 2 jobs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let pool = Pool::new(2).unwrap();
        for round in 1..=2 {
            pool.start(counting(&runs));
            pool.wait();
            assert_each_ran(&runs, 2, round);
        }
    });
}

#[test]
fn three_workers_run_a_job() {
    explore("pool: 3 workers, 1 job", Bound::Preemptions(2), || {
        let runs = Arc::new(Counters::new(3));
        let pool = Pool::new(3).unwrap();
        pool.start(counting(&runs));
        pool.wait();
        assert_each_ran(&runs, 3, 1);
    });
}

/// A second `start` waits for the first job.
#[test]
fn a_start_waits_for_the_job_before_it() {
    explore("pool: start while a job runs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let pool = Pool::new(2).unwrap();
        pool.start(counting(&runs));
        pool.start(counting(&runs));
        pool.wait();
        assert_each_ran(&runs, 2, 2);
    });
}

#[test]
fn a_drop_waits_for_the_running_job() {
    explore("pool: dropped while a job runs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let pool = Pool::new(2).unwrap();
        pool.start(counting(&runs));
        drop(pool);
        assert_each_ran(&runs, 2, 1);
    });
}

#[test]
fn an_unused_pool_can_be_dropped() {
    explore("pool: dropped unused", Bound::MoreIfLong(3, 4), || drop(Pool::new(2).unwrap()));
}

/// A worker that comes up after a job does not run it.
#[test]
fn a_pool_grows_after_a_job() {
    explore("pool: resized from 1 to 2 and used", Bound::MoreIfLong(3, 4), || {
        let mut pool = Pool::new(1).unwrap();
        let runs = Arc::new(Counters::new(2));
        pool.start(counting(&runs));
        pool.resize(2).unwrap();
        assert_eq!([runs.get(0), runs.get(1)], [1, 0]);
        let runs = Arc::new(Counters::new(2));
        pool.start(counting(&runs));
        pool.wait();
        assert_each_ran(&runs, 2, 1);
    });
}

/// The worker that stays is not woken needlessly, and the one that leaves runs no further job.
#[test]
fn a_pool_shrinks_between_jobs() {
    explore("pool: resized from 2 to 1 and used", Bound::MoreIfLong(3, 4), || {
        let mut pool = Pool::new(2).unwrap();
        let runs = Arc::new(Counters::new(2));
        pool.start(counting(&runs));
        pool.resize(1).unwrap();
        assert_each_ran(&runs, 2, 1);
        pool.start(counting(&runs));
        pool.wait();
        assert_eq!([runs.get(0), runs.get(1)], [2, 1]);
    });
}

/// The job sees what the owner wrote before `start`, and the owner sees what the job wrote.
#[test]
fn start_and_wait_publish() {
    explore("pool: start and wait publish", Bound::MoreIfLong(3, 4), || {
        let (question, answer) = (Arc::new(Counters::new(1)), Arc::new(Counters::new(2)));
        let pool = Pool::new(2).unwrap();
        question.add(0, 7);
        let (asked, answered) = (Arc::clone(&question), Arc::clone(&answer));
        pool.start(Arc::new(move |index| answered.add(index, asked.get(0) + index as u64)));
        pool.wait();
        assert_eq!([answer.get(0), answer.get(1)], [7, 8]);
    });
}

#[test]
fn a_finished_job_is_let_go_of() {
    explore("pool: the job is let go of", Bound::MoreIfLong(3, 4), || {
        let pool = Pool::new(2).unwrap();
        let held = Arc::new(());
        let holding = Arc::clone(&held);
        pool.start(Arc::new(move |_| drop(Arc::clone(&holding))));
        pool.wait();
        assert_eq!(Arc::strong_count(&held), 1, "the job is still held");
    });
}

/// Unwinds without printing the panic message, which would appear thousands of times.
fn panicking(unlucky: usize) -> Job {
    Arc::new(move |index| {
        if index == unlucky {
            resume_unwind(Box::new("on purpose"));
        }
    })
}

#[test]
fn a_panic_reaches_the_owner_and_the_pool_goes_on() {
    explore("pool: a job panics", Bound::MoreIfLong(3, 4), || {
        let pool = Pool::new(2).unwrap();
        pool.start(panicking(1));
        let caught = catch_unwind(AssertUnwindSafe(|| pool.wait())).unwrap_err();
        assert_eq!(caught.downcast_ref(), Some(&"on purpose"));
        let runs = Arc::new(Counters::new(2));
        pool.start(counting(&runs));
        pool.wait();
        assert_each_ran(&runs, 2, 1);
    });
}

#[test]
fn a_pool_whose_job_panics_can_be_dropped() {
    explore("pool: dropped while a job panics", Bound::MoreIfLong(3, 4), || {
        let pool = Pool::new(2).unwrap();
        pool.start(panicking(0));
        drop(pool);
    });
}
