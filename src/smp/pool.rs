//! Parked worker threads that run one shared job at a time.
//!
//! The owner counts jobs with an epoch; a worker that sees a new epoch runs its job once. State
//! changes under the lock and the wake-up follows, so no wake-up is lost. The lock also publishes:
//! whatever the owner wrote before `start` is visible to the job, and whatever the job wrote is
//! visible after `wait`, so atomics used in between may be relaxed.
//!
//! Each worker sleeps on a condition of its own. The owner wakes worker 0, the main worker, and each that wakes to a job
//! wakes two more: a single condition would wake them one after another, the main worker at a random place in the queue.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrayvec::ArrayVec;

use super::spawn::spawn;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, thread};

/// What a worker runs, given its index, once per [`Pool::start`].
pub type Job = Arc<dyn Fn(usize) + Send + Sync>;

/// Stack size of a worker in bytes: a search recurses through hundreds of plies with large frames.
const STACK: usize = 16 << 20;

type Panic = Box<dyn Any + Send>;

/// The threads of a pool could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads: {source}")]
pub struct PoolError {
    /// The number of threads requested.
    pub threads: usize,
    /// The error from the system.
    pub source: io::Error,
}

#[derive(Default)]
struct State {
    epoch: u64,
    /// Workers that have not yet returned from the job, or not yet come up.
    running: usize,
    job: Option<Job>,
    panic: Option<Panic>,
    /// Workers with this index and above quit.
    wanted: usize,
    /// What each worker waits for: a job has begun, or it must quit.
    begun: Vec<Arc<Condvar>>,
}

/// The state, and the condition on which the owner waits.
#[derive(Default)]
struct Monitor {
    state: Mutex<State>,
    /// The owner waits for this: no worker is running.
    idle: Condvar,
}

/// Worker threads, parked while there is no job.
///
/// If a job panics (where panics unwind), that worker's part ends as if it had returned, and the
/// next `wait` or `start` raises the job's first panic again. A job must not call the pool that
/// runs it: it would wait for itself.
pub struct Pool {
    monitor: Arc<Monitor>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Pool {
    /// Spawns `threads` workers, named `worker-0` and so on.
    ///
    /// # Errors
    /// [`PoolError`] when a thread cannot be started; those already spawned have been joined.
    pub fn new(threads: usize) -> Result<Self, PoolError> {
        let mut pool = Self { monitor: Arc::default(), workers: Vec::new() };
        pool.resize(threads)?;
        Ok(pool)
    }

    /// Changes the number of workers, keeping those with the lowest indices. Waits for the current
    /// job.
    ///
    /// # Errors
    /// [`PoolError`] when a thread cannot be started; the pool is unchanged.
    pub fn resize(&mut self, threads: usize) -> Result<(), PoolError> {
        self.wait();
        let missing = threads.saturating_sub(self.threads());
        self.grow(std::iter::repeat_n(STACK, missing))
            .map_err(|source| PoolError { threads, source })?;
        self.shrink(threads);
        Ok(())
    }

    /// Spawns one more worker for each stack size, in bytes. If one fails, the others spawned here
    /// are removed again.
    fn grow(&mut self, stacks: impl IntoIterator<Item = usize>) -> io::Result<()> {
        let before = self.threads();
        stacks
            .into_iter()
            .try_for_each(|stack| self.spawn(stack))
            .inspect_err(|_| self.shrink(before))
    }

    /// Spawns a worker and waits until it has come up, because a starting thread allocates too.
    fn spawn(&mut self, stack: usize) -> io::Result<()> {
        let index = self.threads();
        let (seen, begun) = self.count_in(index);
        let monitor = Arc::clone(&self.monitor);
        match spawn(format!("worker-{index}"), stack, move || monitor.work(index, seen, &begun)) {
            Ok(worker) => self.workers.push(worker),
            Err(error) => {
                self.monitor.finish(None);
                return Err(error);
            }
        }
        self.wait();
        Ok(())
    }

    /// Counts in worker `index`, which is about to come up, and returns the current epoch and what it waits for.
    fn count_in(&self, index: usize) -> (u64, Arc<Condvar>) {
        let mut state = self.rest();
        state.wanted = index + 1;
        state.running = 1;
        let begun = Arc::default();
        state.begun.truncate(index);
        state.begun.push(Arc::clone(&begun));
        (state.epoch, begun)
    }

    /// Joins all workers but the first `threads`, once the current job is over.
    fn shrink(&mut self, threads: usize) {
        let mut state = self.monitor.wait_idle();
        state.wanted = threads;
        let kept = threads.min(state.begun.len());
        let quitting = state.begun.split_off(kept);
        drop(state);
        quitting.iter().for_each(|begun| begun.notify_one());
        for worker in self.workers.drain(threads.min(self.workers.len())..) {
            worker.join().expect("a worker catches what its job throws");
        }
    }

    /// The number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Hands `job` to every worker and returns. Waits for an earlier job to end first.
    pub fn start(&self, job: Job) {
        let mut state = self.rest();
        state.epoch += 1;
        state.running = self.workers.len();
        state.job = (state.running > 0).then_some(job);
        let first = state.begun.first().cloned();
        drop(state);
        first.iter().for_each(|begun| begun.notify_one());
    }

    /// Blocks until every worker has returned from the current job and dropped it.
    pub fn wait(&self) {
        drop(self.rest());
    }

    /// Locks the state once no worker is running. Raises the panic of the job that ended, if any.
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
        self.shrink(0);
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

    /// The main loop of worker `index`, which came up in epoch `seen` and sleeps on `begun`.
    fn work(&self, index: usize, mut seen: u64, begun: &Condvar) {
        self.finish(None);
        while let Some((epoch, job)) = self.next(index, seen, begun) {
            seen = epoch;
            let result = catch_unwind(AssertUnwindSafe(|| job(index)));
            drop(job);
            self.finish(result.err());
        }
    }

    /// Waits for a job later than epoch `seen`, and wakes two more workers to it; `None` when worker `index` must quit.
    fn next(&self, index: usize, seen: u64, begun: &Condvar) -> Option<(u64, Job)> {
        let mut state = self.state.lock();
        while state.epoch == seen && index < state.wanted {
            state = begun.wait(state);
        }
        // A pool that shrinks stays idle until the quitting workers are joined, and an idle pool
        // has no job.
        let job = Arc::clone(state.job.as_ref()?);
        let epoch = state.epoch;
        let next: ArrayVec<_, 2> =
            woken_by(index).filter_map(|index| state.begun.get(index).cloned()).collect();
        drop(state);
        next.iter().for_each(|begun| begun.notify_one());
        Some((epoch, job))
    }

    /// Marks a worker as done with its job or its start; the last one wakes the owner.
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

/// The workers that worker `index` wakes: all workers form a binary tree.
fn woken_by(index: usize) -> impl Iterator<Item = usize> {
    [2 * index + 1, 2 * index + 2].into_iter()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::smp::counter::Counters;

    #[test]
    fn every_worker_but_the_first_is_woken_by_one_other() {
        for threads in [1, 2, 3, 64, 255] {
            let mut woken: Vec<_> = (0..threads).flat_map(woken_by).collect();
            woken.retain(|&index| index < threads);
            woken.sort_unstable();
            assert!(woken.into_iter().eq(1..threads), "{threads}");
        }
    }

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
    fn a_refused_thread_leaves_the_pool_as_it_was() {
        const ABSURD: usize = 1 << 60;
        let mut pool = Pool::new(2).unwrap();
        let error = pool.grow([STACK, STACK, ABSURD]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        let runs = Arc::new(Counters::new(2));
        let counted = Arc::clone(&runs);
        pool.start(Arc::new(move |index| counted.add(index, 1)));
        pool.wait();
        assert_eq!((pool.threads(), runs.sum()), (2, 2));
    }

    #[test]
    fn a_resized_pool_has_the_workers_asked_for() {
        let mut pool = Pool::new(3).unwrap();
        for threads in [1, 4, 4, 0, 2] {
            pool.resize(threads).unwrap();
            let runs = Arc::new(Counters::new(threads));
            let counted = Arc::clone(&runs);
            pool.start(Arc::new(move |index| counted.add(index, 1)));
            pool.wait();
            assert!((0..threads).all(|index| runs.get(index) == 1));
            assert_eq!(pool.threads(), threads);
        }
    }
}
