//! Parked worker threads that run one shared job at a time.
//!
//! The owner counts jobs with an epoch; a worker that finds an epoch it has not seen runs that
//! epoch's job once. State changes under the lock and the wake-up follows, so that none is lost. The
//! lock is also what publishes: whatever the owner wrote before `start` is visible to the job, and
//! whatever the job wrote is visible after `wait`, so that atomics used in between may be relaxed.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::sync::{Arc, Condvar, Mutex, MutexGuard, thread};

/// What a worker runs: its index, once per [`Pool::start`].
pub type Job = Arc<dyn Fn(usize) + Send + Sync>;

/// Stack of a worker in bytes: a search recurses through hundreds of plies with large frames.
const STACK: usize = 16 << 20;

type Panic = Box<dyn Any + Send>;

#[derive(Default)]
struct State {
    epoch: u64,
    running: usize,
    job: Option<Job>,
    panic: Option<Panic>,
    quit: bool,
}

/// The state, and the conditions that its owner and the workers wait for.
#[derive(Default)]
struct Monitor {
    state: Mutex<State>,
    /// A job has begun, or the pool closes; workers wait for it.
    begun: Condvar,
    /// No worker runs any longer; the owner waits for it.
    idle: Condvar,
}

/// Worker threads, parked while there is no job.
///
/// A job that panics (where panics unwind) ends for its worker as if it had returned; the first
/// panic of a job is raised again by the `wait` or `start` that follows. A job must not call the
/// pool that runs it: it would wait for itself.
pub struct Pool {
    monitor: Arc<Monitor>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Pool {
    /// Spawns `threads` workers, named `worker-0` and so on.
    ///
    /// # Errors
    /// The system's, if a thread cannot be started; those already started have ended by then.
    pub fn new(threads: usize) -> io::Result<Self> {
        Self::with_stacks(std::iter::repeat_n(STACK, threads))
    }

    /// Spawns one worker for each size of stack, in bytes.
    fn with_stacks(stacks: impl IntoIterator<Item = usize>) -> io::Result<Self> {
        let mut pool = Self { monitor: Arc::default(), workers: Vec::new() };
        for (index, stack) in stacks.into_iter().enumerate() {
            let monitor = Arc::clone(&pool.monitor);
            let worker = thread::Builder::new()
                .name(format!("worker-{index}"))
                .stack_size(stack)
                .spawn(move || monitor.work(index))?;
            pool.workers.push(worker);
        }
        Ok(pool)
    }

    /// The number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Hands `job` to every worker; they start at once. Waits for an earlier job to end first.
    pub fn start(&self, job: Job) {
        let mut state = self.rest();
        state.epoch += 1;
        state.running = self.workers.len();
        state.job = (state.running > 0).then_some(job);
        drop(state);
        self.monitor.begun.notify_all();
    }

    /// Blocks until every worker has returned from the current job and has let go of it.
    pub fn wait(&self) {
        drop(self.rest());
    }

    /// The state, once no worker runs. Raises the panic of the job that has ended, if any.
    fn rest(&self) -> MutexGuard<'_, State> {
        let mut state = self.monitor.wait_idle();
        if let Some(panic) = state.panic.take() {
            drop(state);
            resume_unwind(panic);
        }
        state
    }
}

impl Drop for Pool {
    /// Waits for the current job and joins the workers. A panic that nobody waited for is dropped.
    fn drop(&mut self) {
        self.monitor.wait_idle().quit = true;
        self.monitor.begun.notify_all();
        for worker in self.workers.drain(..) {
            worker.join().expect("a worker catches what its job throws");
        }
    }
}

impl Monitor {
    fn wait_idle(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        while state.running > 0 {
            state = self.idle.wait(state);
        }
        state
    }

    /// The life of worker `index`.
    fn work(&self, index: usize) {
        let mut seen = 0;
        while let Some((epoch, job)) = self.next(seen) {
            seen = epoch;
            let result = catch_unwind(AssertUnwindSafe(|| job(index)));
            drop(job);
            self.finish(result.err());
        }
    }

    /// Waits for a job later than epoch `seen`; `None` when the pool closes.
    fn next(&self, seen: u64) -> Option<(u64, Job)> {
        let mut state = self.state.lock();
        while state.epoch == seen && !state.quit {
            state = self.begun.wait(state);
        }
        // A pool that closes is idle, and an idle pool has no job.
        state.job.as_ref().map(|job| (state.epoch, Arc::clone(job)))
    }

    /// Counts a worker out of its job; the last one wakes the owner.
    fn finish(&self, panic: Option<Panic>) {
        let mut state = self.state.lock();
        if state.panic.is_none() {
            state.panic = panic;
        }
        state.running -= 1;
        if state.running == 0 {
            state.job = None;
            drop(state);
            self.idle.notify_all();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::smp::counter::Counters;

    #[test]
    fn every_worker_runs_every_job_once() {
        const THREADS: usize = 4;
        let pool = Pool::new(THREADS).unwrap();
        assert_eq!(pool.threads(), THREADS);
        let runs = Arc::new(Counters::new(THREADS));
        for round in 1..=100 {
            let counted = Arc::clone(&runs);
            pool.start(Arc::new(move |index| counted.add(index, 1)));
            pool.wait();
            assert!((0..THREADS).all(|index| runs.get(index) == round));
        }
    }

    #[test]
    fn a_start_waits_for_the_job_before_it() {
        let pool = Pool::new(3).unwrap();
        let runs = Arc::new(Counters::new(3));
        for _ in 0..100 {
            let counted = Arc::clone(&runs);
            pool.start(Arc::new(move |index| counted.add(index, 1)));
        }
        drop(pool);
        assert_eq!(runs.sum(), 300);
    }

    #[test]
    fn a_finished_job_is_let_go_of() {
        let pool = Pool::new(3).unwrap();
        let held = Arc::new(());
        let holding = Arc::clone(&held);
        pool.start(Arc::new(move |_| drop(Arc::clone(&holding))));
        pool.wait();
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn a_pool_without_workers_has_nothing_to_wait_for() {
        let pool = Pool::new(0).unwrap();
        pool.start(Arc::new(|_| panic!("there is no worker to run this")));
        pool.wait();
    }

    #[test]
    fn workers_are_named_and_have_deep_stacks() {
        fn recurse(frames: usize) -> usize {
            let frame = std::hint::black_box([frames; 1024]);
            if frames == 0 { 0 } else { 1 + recurse(frames - 1) + frame[0] - frames }
        }
        let pool = Pool::new(2).unwrap();
        pool.start(Arc::new(|index| {
            assert_eq!(thread::current().name(), Some(format!("worker-{index}").as_str()));
            assert_eq!(recurse(1000), 1000);
        }));
        pool.wait();
    }

    #[test]
    fn a_panic_reaches_the_owner_and_the_pool_goes_on() {
        let pool = Pool::new(2).unwrap();
        pool.start(Arc::new(|index| assert_ne!(index, 1, "worker 1 panics on purpose")));
        let caught = catch_unwind(AssertUnwindSafe(|| pool.wait())).unwrap_err();
        assert!(caught.downcast_ref::<String>().unwrap().contains("on purpose"));

        let runs = Arc::new(Counters::new(2));
        let counted = Arc::clone(&runs);
        pool.start(Arc::new(move |index| counted.add(index, 1)));
        pool.wait();
        assert_eq!(runs.sum(), 2);
    }

    #[test]
    fn a_pool_whose_job_panicked_can_be_dropped() {
        let pool = Pool::new(2).unwrap();
        pool.start(Arc::new(|_| panic!("on purpose")));
        drop(pool);
    }

    #[test]
    fn a_thread_that_cannot_be_started_is_an_error() {
        const ABSURD: usize = 1 << 60;
        assert!(Pool::with_stacks([STACK, STACK, ABSURD]).is_err());
    }
}
