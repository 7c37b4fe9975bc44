//! The crew's protocol in miniature, sound and with one flaw at a time. Each flaw must be caught by
//! the property it breaks.

use heddle::sync::{Arc, Condvar, Mutex, MutexGuard, thread};
use loom_tests::{Bound, Counters, explore, join};

/// One weakening of the protocol.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Flaw {
    /// No flaw: the miniature itself must pass.
    Sound,
    /// `start` wakes the workers before it announces the job.
    WakeBeforeChange,
    /// A worker that wakes to a job does not wake the next.
    WakeNotPassedOn,
    /// A worker runs whatever job there is, without checking for a new epoch.
    EpochUnchecked,
    /// A worker checks for a job and goes to sleep without holding the lock throughout.
    SleepUnlocked,
    /// A worker marks itself as done before it runs the job.
    CountedEarly,
    /// The last worker does not wake the owner.
    EndUntold,
    /// A worker whose job panics is gone without marking itself as done.
    PanicLetThrough,
    /// The owner does not wake workers that must quit.
    QuitUntold,
    /// `start` announces a job without raising the epoch.
    EpochKept,
    /// `start` does not count the workers in.
    NotCountedIn,
    /// The last worker does not drop the job, so that a worker told to quit finds it.
    JobKept,
    /// A worker does not check whether it must quit before it goes to sleep.
    QuitUnseen,
    /// A worker that comes up mistakes the last job for a new one.
    PastUnseen,
    /// A worker is not counted in before it comes up.
    StartNotCounted,
}

/// The workers, once all have come up.
const WORKERS: usize = 2;

#[derive(Default)]
struct State {
    epoch: u64,
    running: usize,
    has_job: bool,
    /// Workers with this index and above quit.
    wanted: usize,
}

struct Crew {
    flaw: Flaw,
    state: Mutex<State>,
    /// What each worker waits for. The owner wakes the first, and it the second.
    begun: [Condvar; WORKERS],
    idle: Condvar,
    runs: Counters,
}

impl Crew {
    fn new(flaw: Flaw) -> Arc<Self> {
        Arc::new(Self {
            flaw,
            state: Mutex::default(),
            begun: Default::default(),
            idle: Condvar::default(),
            runs: Counters::new(WORKERS),
        })
    }

    /// Spawns worker `index` and waits until it has come up.
    fn spawn(self: &Arc<Self>, index: usize) -> thread::JoinHandle<()> {
        let mut state = self.wait();
        state.wanted = index + 1;
        if self.flaw != Flaw::StartNotCounted {
            state.running = 1;
        }
        let seen = if self.flaw == Flaw::PastUnseen { 0 } else { state.epoch };
        drop(state);
        let crew = Arc::clone(self);
        let thread = thread::spawn(move || crew.work(index, seen));
        drop(self.wait());
        thread
    }

    fn start(&self) {
        if self.flaw == Flaw::WakeBeforeChange {
            self.begun[0].notify_one();
        }
        let mut state = self.wait();
        if self.flaw != Flaw::EpochKept {
            state.epoch += 1;
        }
        if self.flaw != Flaw::NotCountedIn {
            state.running = state.wanted;
        }
        state.has_job = true;
        drop(state);
        if self.flaw != Flaw::WakeBeforeChange {
            self.begun[0].notify_one();
        }
    }

    fn wait(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        while state.running > 0 {
            state = self.idle.wait(state);
        }
        state
    }

    fn quit(&self) {
        self.wait().wanted = 0;
        if self.flaw != Flaw::QuitUntold {
            self.begun.iter().for_each(Condvar::notify_one);
        }
    }

    fn work(&self, index: usize, mut seen: u64) {
        self.finish();
        while let Some(epoch) = self.next(index, seen) {
            seen = epoch;
            if self.flaw == Flaw::CountedEarly {
                self.finish();
            }
            self.runs.add(index, 1);
            if self.flaw == Flaw::PanicLetThrough && index == 1 {
                return;
            }
            if self.flaw != Flaw::CountedEarly {
                self.finish();
            }
        }
    }

    fn next(&self, index: usize, seen: u64) -> Option<u64> {
        let is_news = |state: &State| match self.flaw {
            Flaw::EpochUnchecked => state.has_job,
            _ => state.epoch != seen,
        };
        let mut state = self.state.lock();
        while !is_news(&state) && (index < state.wanted || self.flaw == Flaw::QuitUnseen) {
            if self.flaw == Flaw::SleepUnlocked {
                drop(state);
                state = self.state.lock();
            }
            state = self.begun[index].wait(state);
        }
        let epoch = state.has_job.then_some(state.epoch);
        drop(state);
        if epoch.is_some() && index == 0 && self.flaw != Flaw::WakeNotPassedOn {
            self.begun[1].notify_one();
        }
        epoch
    }

    fn finish(&self) {
        let mut state = self.state.lock();
        // A flawed worker may mark itself as done twice; the other property must report it.
        state.running = state.running.saturating_sub(1);
        if state.running == 0 {
            state.has_job = self.flaw == Flaw::JobKept;
            drop(state);
            if self.flaw != Flaw::EndUntold {
                self.idle.notify_all();
            }
        }
    }
}

fn model(flaw: Flaw) {
    let crew = Crew::new(flaw);
    let threads = vec![crew.spawn(0), crew.spawn(1)];
    crew.start();
    drop(crew.wait());
    let runs = [crew.runs.get(0), crew.runs.get(1)];
    assert_eq!(runs, [1, 1], "not once each");
    crew.quit();
    join(threads);
}

/// The second worker comes up after the first has run a job.
fn growing(flaw: Flaw) {
    let crew = Crew::new(flaw);
    let mut threads = vec![crew.spawn(0)];
    crew.start();
    threads.push(crew.spawn(1));
    crew.start();
    drop(crew.wait());
    let runs = [crew.runs.get(0), crew.runs.get(1)];
    assert_eq!(runs, [2, 1], "not once each");
    crew.quit();
    join(threads);
}

fn explore_flaw(name: &'static str, flaw: Flaw) {
    explore(name, Bound::Preemptions(2), move || model(flaw));
}

#[test]
fn the_miniature_is_sound() {
    explore_flaw("crew miniature: sound", Flaw::Sound);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_wake_up_before_the_change() {
    explore_flaw("crew mutant: wake-up before the change", Flaw::WakeBeforeChange);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_wake_up_not_passed_on() {
    explore_flaw("crew mutant: wake-up not passed on", Flaw::WakeNotPassedOn);
}

#[test]
#[should_panic(expected = "not once each")]
fn mutant_epoch_not_checked() {
    explore_flaw("crew mutant: epoch not checked", Flaw::EpochUnchecked);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_asleep_without_the_lock() {
    explore_flaw("crew mutant: asleep without the lock", Flaw::SleepUnlocked);
}

#[test]
#[should_panic(expected = "not once each")]
fn mutant_counted_out_early() {
    explore_flaw("crew mutant: counted out early", Flaw::CountedEarly);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_end_untold() {
    explore_flaw("crew mutant: end untold", Flaw::EndUntold);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_panic_let_through() {
    explore_flaw("crew mutant: panic let through", Flaw::PanicLetThrough);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_quit_untold() {
    explore_flaw("crew mutant: quit untold", Flaw::QuitUntold);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_epoch_kept() {
    explore_flaw("crew mutant: epoch kept", Flaw::EpochKept);
}

#[test]
#[should_panic(expected = "not once each")]
fn mutant_not_counted_in() {
    explore_flaw("crew mutant: not counted in", Flaw::NotCountedIn);
}

/// The worker runs the old job again and again.
#[test]
#[should_panic(expected = "Model exceeded maximum number of branches")]
fn mutant_job_kept() {
    explore_flaw("crew mutant: job kept", Flaw::JobKept);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_quit_unseen() {
    explore_flaw("crew mutant: quit unseen", Flaw::QuitUnseen);
}

#[test]
fn the_miniature_grows_soundly() {
    explore("crew miniature: growing", Bound::Preemptions(2), || growing(Flaw::Sound));
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_past_unseen() {
    explore("crew mutant: past unseen", Bound::Preemptions(2), || growing(Flaw::PastUnseen));
}

#[test]
#[should_panic(expected = "not once each")]
fn mutant_start_not_counted() {
    explore_flaw("crew mutant: start not counted", Flaw::StartNotCounted);
}
