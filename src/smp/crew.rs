//! Parked threads that run one shared job at a time, each on a value of its own.
//!
//! A thread makes its value when it comes up and is the only one that ever touches it: a job gets
//! it as an argument.
//!
//! The owner counts jobs with an epoch; a worker that sees a new epoch runs its job once. State
//! changes under the lock and the wake-up follows, so no wake-up is lost. The lock also publishes:
//! whatever the owner wrote before `start` is visible to the job, and whatever the job wrote is
//! visible after `wait`, so atomics used in between may be relaxed.
//!
//! Each worker sleeps on a condition of its own. The owner wakes worker 0, the main worker, and
//! each that wakes to a job wakes two more: a single condition would wake them one after another,
//! the main worker at a random place in the queue.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrayvec::ArrayVec;

use crate::memory::{HEADROOM, check_headroom};
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, thread};

/// A job, which a worker runs once per [`Crew::start`] with its index and its own value.
type CrewJob<T> = Arc<dyn Fn(usize, &mut T) + Send + Sync>;

/// Stack size of a worker in bytes: a search recurses through hundreds of plies with large frames.
const STACK: usize = 16 << 20;

/// Stack size in bytes of a thread that does not search.
pub const SMALL_STACK: usize = 2 << 20;

type Panic = Box<dyn Any + Send>;

struct State<T> {
    epoch: u64,
    /// Workers that have not yet returned from the job, or not yet come up.
    running: usize,
    job: Option<CrewJob<T>>,
    panic: Option<Panic>,
    /// Workers with this index and above quit.
    wanted: usize,
    /// The condition of each worker: a job has begun, or it must quit.
    begun: Vec<Arc<Condvar>>,
}

/// The state, and the condition on which the owner waits.
struct Monitor<T> {
    state: Mutex<State<T>>,
    /// The owner waits for this: no worker is running.
    idle: Condvar,
}

/// The value that each worker returned from a job, by index; `None` if it has not, or panicked.
/// Complete once [`Crew::wait`] has returned. A few are read per search, so a lock for each will
/// do.
pub type Results<R> = Arc<[Mutex<Option<R>>]>;

/// Threads, parked while there is no job, each of which makes and owns a `T`.
///
/// If a job panics (where panics unwind), that worker's part ends as if it had returned, and the
/// next `wait` or `start` raises the job's first panic again. A job must not call the crew that
/// runs it: it would wait for itself.
pub struct Crew<T> {
    monitor: Arc<Monitor<T>>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl<T: Default + 'static> Crew<T> {
    /// Spawns `threads` workers, named `worker-0` and so on.
    ///
    /// # Errors
    /// If a thread cannot be started; those already spawned have been joined.
    pub fn new(threads: usize) -> io::Result<Self> {
        let state =
            State { epoch: 0, running: 0, job: None, panic: None, wanted: 0, begun: Vec::new() };
        let monitor = Monitor { state: Mutex::new(state), idle: Condvar::default() };
        let mut crew = Self { monitor: Arc::new(monitor), workers: Vec::new() };
        crew.resize(threads)?;
        Ok(crew)
    }

    /// Changes the number of workers, keeping those with the lowest indices. Waits for the current
    /// job.
    ///
    /// # Errors
    /// If a thread cannot be started; the crew is unchanged.
    pub fn resize(&mut self, threads: usize) -> io::Result<()> {
        self.wait();
        let missing = threads.saturating_sub(self.threads());
        self.grow(std::iter::repeat_n(STACK, missing)).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start {threads} threads: {error}"))
        })?;
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

    /// Spawns a worker once the one before has come up, because a starting thread allocates too.
    /// The caller shrinks the crew afterwards, which waits for the last.
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
        Ok(())
    }

    /// Counts in worker `index`, which is about to come up, and returns the current epoch and what
    /// it waits for.
    fn count_in(&self, index: usize) -> (u64, Arc<Condvar>) {
        let mut state = self.rest();
        state.wanted = index + 1;
        state.running = 1;
        let begun = Arc::default();
        state.begun.truncate(index);
        state.begun.push(Arc::clone(&begun));
        (state.epoch, begun)
    }

    /// Hands `job` to every worker and returns what they will return. Waits for an earlier job to
    /// end first.
    pub fn start<R: Send + 'static>(
        &self,
        job: impl Fn(usize, &mut T) -> R + Send + Sync + 'static,
    ) -> Results<R> {
        let results: Results<R> = (0..self.threads()).map(|_| Mutex::new(None)).collect();
        let returned = Arc::clone(&results);
        self.begin(Arc::new(move |index, own| {
            let result = job(index, own);
            *returned[index].lock() = Some(result);
        }));
        results
    }

    /// Runs `job` on every worker and returns what each returned.
    pub fn run<R: Send + 'static>(
        &self,
        job: impl Fn(usize, &mut T) -> R + Send + Sync + 'static,
    ) -> Vec<R> {
        let results = self.start(job);
        self.wait();
        results.iter().filter_map(|result| result.lock().take()).collect()
    }

    /// Publishes a job for all workers and wakes the first.
    fn begin(&self, job: CrewJob<T>) {
        let mut state = self.rest();
        state.epoch += 1;
        state.running = self.workers.len();
        state.job = (state.running > 0).then_some(job);
        let first = state.begun.first().cloned();
        drop(state);
        first.iter().for_each(|begun| begun.notify_one());
    }
}

impl<T> Crew<T> {
    /// The number of workers.
    pub fn threads(&self) -> usize {
        self.workers.len()
    }

    /// Blocks until every worker has returned from the current job and dropped it.
    pub fn wait(&self) {
        drop(self.rest());
    }

    /// Locks the state once no worker is running. Raises the panic of the job that ended, if any.
    fn rest(&self) -> MutexGuard<'_, State<T>> {
        let mut state = self.monitor.wait_idle();
        if let Some(panic) = state.panic.take() {
            drop(state);
            resume_unwind(panic);
        }
        state
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
}

impl<T> Drop for Crew<T> {
    /// Waits for the current job and joins the workers. A panic that nobody waited for is dropped.
    fn drop(&mut self) {
        self.shrink(0);
    }
}

impl<T> Monitor<T> {
    fn wait_idle(&self) -> MutexGuard<'_, State<T>> {
        let mut state = self.state.lock();
        while state.running > 0 {
            state = self.idle.wait(state);
        }
        state
    }

    /// The main loop of worker `index`, which came up in epoch `seen` and sleeps on `begun`.
    fn work(&self, index: usize, mut seen: u64, begun: &Condvar)
    where
        T: Default,
    {
        let mut own = T::default();
        self.finish(None);
        while let Some((epoch, job)) = self.next(index, seen, begun) {
            seen = epoch;
            let result = catch_unwind(AssertUnwindSafe(|| job(index, &mut own)));
            drop(job);
            self.finish(result.err());
        }
    }

    /// Waits for a job later than epoch `seen`, and wakes two more workers to it; `None` when
    /// worker `index` must quit.
    fn next(&self, index: usize, seen: u64, begun: &Condvar) -> Option<(u64, CrewJob<T>)> {
        let mut state = self.state.lock();
        while state.epoch == seen && index < state.wanted {
            state = begun.wait(state);
        }
        // A crew that shrinks stays idle until the quitting workers are joined, and an idle crew
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

/// Starts a thread with a stack of `stack` bytes.
///
/// The standard library panics in a new thread if it cannot allocate a signal stack for it, and
/// nobody can catch that panic. So this checks that there is more memory than the stack alone
/// needs.
pub fn spawn(
    name: String,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<thread::JoinHandle<()>> {
    check_headroom(stack.saturating_add(HEADROOM))?;
    thread::Builder::new().name(name).stack_size(stack).spawn(body)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::smp::board::Board;

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
        let crew = Crew::<()>::new(THREADS).unwrap();
        assert_eq!(crew.threads(), THREADS);
        let runs = Arc::new(Board::new(THREADS, []));
        for round in 1..=100 {
            let counted = Arc::clone(&runs);
            crew.start(move |index, ()| counted.count_node(index));
            crew.wait();
            assert_eq!(runs.worker_nodes(), [round; THREADS]);
        }
    }

    #[test]
    fn each_worker_has_a_value_of_its_own_and_says_what_it_returns() {
        let crew = Crew::<Vec<usize>>::new(3).unwrap();
        for round in 0..3 {
            let lengths = crew.run(move |index, own| {
                assert!(own.iter().all(|&seen| seen == index), "another's value");
                own.push(index);
                own.len() * 10 + index
            });
            assert_eq!(lengths, [0, 1, 2].map(|index| (round + 1) * 10 + index));
        }
    }

    #[test]
    fn a_start_waits_for_the_job_before_it() {
        let crew = Crew::<()>::new(3).unwrap();
        let runs = Arc::new(Board::new(3, []));
        for _ in 0..100 {
            let counted = Arc::clone(&runs);
            crew.start(move |index, ()| counted.count_node(index));
        }
        drop(crew);
        assert_eq!(runs.nodes(), 300);
    }

    #[test]
    fn a_finished_job_is_let_go_of() {
        let crew = Crew::<()>::new(3).unwrap();
        let held = Arc::new(());
        let holding = Arc::clone(&held);
        crew.start(move |_, ()| drop(Arc::clone(&holding)));
        crew.wait();
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn a_crew_without_workers_has_nothing_to_wait_for() {
        let crew = Crew::<()>::new(0).unwrap();
        crew.start(|_, ()| panic!("there is no worker to run this"));
        crew.wait();
    }

    #[test]
    fn workers_are_named_and_have_deep_stacks() {
        fn recurse(frames: usize) -> usize {
            let frame = std::hint::black_box([frames; 1024]);
            if frames == 0 { 0 } else { 1 + recurse(frames - 1) + frame[0] - frames }
        }
        let crew = Crew::<()>::new(2).unwrap();
        crew.start(|index, ()| {
            assert_eq!(thread::current().name(), Some(format!("worker-{index}").as_str()));
            assert_eq!(recurse(1000), 1000);
        });
        crew.wait();
    }

    #[test]
    fn a_panic_reaches_the_owner_and_the_crew_goes_on() {
        let crew = Crew::<()>::new(2).unwrap();
        crew.start(|index, ()| assert_ne!(index, 1, "worker 1 panics on purpose"));
        let caught = catch_unwind(AssertUnwindSafe(|| crew.wait())).unwrap_err();
        assert!(caught.downcast_ref::<String>().unwrap().contains("on purpose"));

        let runs = Arc::new(Board::new(2, []));
        let counted = Arc::clone(&runs);
        crew.start(move |index, ()| counted.count_node(index));
        crew.wait();
        assert_eq!(runs.nodes(), 2);
    }

    #[test]
    fn a_crew_whose_job_panicked_can_be_dropped() {
        let crew = Crew::<()>::new(2).unwrap();
        crew.start(|_, ()| panic!("on purpose"));
        drop(crew);
    }

    #[test]
    fn a_refused_thread_leaves_the_crew_as_it_was() {
        const ABSURD: usize = 1 << 60;
        let mut crew = Crew::<()>::new(2).unwrap();
        let error = crew.grow([STACK, STACK, ABSURD]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        let runs = Arc::new(Board::new(2, []));
        let counted = Arc::clone(&runs);
        crew.start(move |index, ()| counted.count_node(index));
        crew.wait();
        assert_eq!((crew.threads(), runs.nodes()), (2, 2));
    }

    #[test]
    fn a_resized_crew_has_the_workers_asked_for() {
        let mut crew = Crew::<()>::new(3).unwrap();
        for threads in [1, 4, 4, 0, 2] {
            crew.resize(threads).unwrap();
            let runs = Arc::new(Board::new(threads, []));
            let counted = Arc::clone(&runs);
            crew.start(move |index, ()| counted.count_node(index));
            crew.wait();
            assert_eq!(runs.worker_nodes(), vec![1; threads]);
            assert_eq!(crew.threads(), threads);
        }
    }
}
