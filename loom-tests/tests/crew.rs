//! Every worker runs every job once, `wait` returns when all have finished, and nothing deadlocks:
//! neither dropping the crew while a job runs, nor a job that panics.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use heddle::smp::crew::Crew;
use heddle::sync::Arc;
use loom_tests::{Bound, Counters, explore};

/// A job that counts how often each worker ran it.
fn counting(runs: &Arc<Counters>) -> impl Fn(usize, &mut ()) + Send + Sync + 'static {
    let runs = Arc::clone(runs);
    move |index, ()| runs.add(index, 1)
}

fn assert_each_ran(runs: &Counters, workers: usize, times: u64) {
    for index in 0..workers {
        assert_eq!(runs.get(index), times, "worker {index}");
    }
}

#[test]
fn one_worker_runs_two_jobs() {
    explore("crew: 1 worker, 2 jobs", Bound::ExhaustiveIfLong(4), || {
        let runs = Arc::new(Counters::new(1));
        let crew = Crew::new(1).unwrap();
        for round in 1..=2 {
            crew.start(counting(&runs));
            crew.wait();
            assert_each_ran(&runs, 1, round);
        }
    });
}

#[test]
fn two_workers_run_two_jobs() {
    explore("crew: 2 workers, 2 jobs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let crew = Crew::new(2).unwrap();
        for round in 1..=2 {
            crew.start(counting(&runs));
            crew.wait();
            assert_each_ran(&runs, 2, round);
        }
    });
}

#[test]
fn three_workers_run_a_job() {
    explore("crew: 3 workers, 1 job", Bound::Preemptions(2), || {
        let runs = Arc::new(Counters::new(3));
        let crew = Crew::new(3).unwrap();
        crew.start(counting(&runs));
        crew.wait();
        assert_each_ran(&runs, 3, 1);
    });
}

/// A second `start` waits for the first job.
#[test]
fn a_start_waits_for_the_job_before_it() {
    explore("crew: start while a job runs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let crew = Crew::new(2).unwrap();
        crew.start(counting(&runs));
        crew.start(counting(&runs));
        crew.wait();
        assert_each_ran(&runs, 2, 2);
    });
}

#[test]
fn a_drop_waits_for_the_running_job() {
    explore("crew: dropped while a job runs", Bound::MoreIfLong(3, 4), || {
        let runs = Arc::new(Counters::new(2));
        let crew = Crew::new(2).unwrap();
        crew.start(counting(&runs));
        drop(crew);
        assert_each_ran(&runs, 2, 1);
    });
}

#[test]
fn an_unused_crew_can_be_dropped() {
    explore("crew: dropped unused", Bound::MoreIfLong(3, 4), || drop(Crew::<()>::new(2).unwrap()));
}

/// A thread allocates while it comes up, and only its owner can still report a failure.
#[test]
fn a_new_crew_has_come_up() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    struct Own;
    impl Default for Own {
        fn default() -> Self {
            MADE.fetch_add(1, Relaxed);
            Self
        }
    }
    explore("crew: 2 workers come up", Bound::MoreIfLong(3, 4), || {
        MADE.store(0, Relaxed);
        let crew = Crew::<Own>::new(2).unwrap();
        assert_eq!(MADE.load(Relaxed), crew.threads());
    });
}

/// A worker that comes up after a job does not run it.
#[test]
fn a_crew_grows_after_a_job() {
    explore("crew: resized from 1 to 2 and used", Bound::MoreIfLong(3, 4), || {
        let mut crew = Crew::new(1).unwrap();
        let runs = Arc::new(Counters::new(2));
        crew.start(counting(&runs));
        crew.resize(2).unwrap();
        assert_eq!([runs.get(0), runs.get(1)], [1, 0]);
        let runs = Arc::new(Counters::new(2));
        crew.start(counting(&runs));
        crew.wait();
        assert_each_ran(&runs, 2, 1);
    });
}

/// The worker that stays is not woken needlessly, and the one that leaves runs no further job.
#[test]
fn a_crew_shrinks_between_jobs() {
    explore("crew: resized from 2 to 1 and used", Bound::MoreIfLong(3, 4), || {
        let mut crew = Crew::new(2).unwrap();
        let runs = Arc::new(Counters::new(2));
        crew.start(counting(&runs));
        crew.resize(1).unwrap();
        assert_each_ran(&runs, 2, 1);
        crew.start(counting(&runs));
        crew.wait();
        assert_eq!([runs.get(0), runs.get(1)], [2, 1]);
    });
}

/// The job sees what the owner wrote before `start`, and the owner sees what the job wrote.
#[test]
fn start_and_wait_publish() {
    explore("crew: start and wait publish", Bound::MoreIfLong(3, 4), || {
        let (question, answer) = (Arc::new(Counters::new(1)), Arc::new(Counters::new(2)));
        let crew = Crew::new(2).unwrap();
        question.add(0, 7);
        let (asked, answered) = (Arc::clone(&question), Arc::clone(&answer));
        crew.start(move |index, ()| answered.add(index, asked.get(0) + index as u64));
        crew.wait();
        assert_eq!([answer.get(0), answer.get(1)], [7, 8]);
    });
}

/// A worker keeps a value of its own from job to job, and the owner gets what every worker
/// returned.
#[test]
fn each_worker_has_a_value_of_its_own() {
    explore("crew: values and results", Bound::MoreIfLong(3, 4), || {
        let crew = Crew::<u64>::new(2).unwrap();
        for round in 1..=2 {
            let returned = crew.run(|index, own| {
                *own += 1 + index as u64;
                *own
            });
            assert_eq!(returned, [round, 2 * round]);
        }
    });
}

#[test]
fn a_finished_job_is_let_go_of() {
    explore("crew: the job is let go of", Bound::MoreIfLong(3, 4), || {
        let crew = Crew::new(2).unwrap();
        let held = Arc::new(());
        let holding = Arc::clone(&held);
        crew.start(move |_, ()| drop(Arc::clone(&holding)));
        crew.wait();
        assert_eq!(Arc::strong_count(&held), 1, "the job is still held");
    });
}

/// Unwinds without printing the panic message, which would appear thousands of times.
fn panicking(unlucky: usize) -> impl Fn(usize, &mut ()) + Send + Sync + 'static {
    move |index, ()| {
        if index == unlucky {
            resume_unwind(Box::new("on purpose"));
        }
    }
}

#[test]
fn a_panic_reaches_the_owner_and_the_crew_goes_on() {
    explore("crew: a job panics", Bound::MoreIfLong(3, 4), || {
        let crew = Crew::new(2).unwrap();
        crew.start(panicking(1));
        let caught = catch_unwind(AssertUnwindSafe(|| crew.wait())).unwrap_err();
        assert_eq!(caught.downcast_ref(), Some(&"on purpose"));
        let runs = Arc::new(Counters::new(2));
        crew.start(counting(&runs));
        crew.wait();
        assert_each_ran(&runs, 2, 1);
    });
}

#[test]
fn a_crew_whose_job_panics_can_be_dropped() {
    explore("crew: dropped while a job panics", Bound::MoreIfLong(3, 4), || {
        let crew = Crew::new(2).unwrap();
        crew.start(panicking(0));
        drop(crew);
    });
}
