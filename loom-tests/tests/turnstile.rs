//! Workers at the turnstile: one runs at a time, in its turn, whenever it arrives; one that leaves,
//! stops or panics does not keep the turn. The shipped turnstile comes first, then a miniature with
//! one flaw at a time, each of which must be caught by the property it breaks.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use heddle::smp::stop::StopFlag;
use heddle::smp::turnstile::Turnstile;
use heddle::sync::{Arc, AtomicU64, Condvar, Mutex, Ordering::Relaxed, thread};
use loom_tests::{Bound, explore, join};

/// The turns so far, one digit each; worker 0 is 1. Updated without an atomic addition: two workers
/// running at once, or a turn that does not see the previous one, lose a digit.
#[derive(Default)]
struct Log(AtomicU64);

impl Log {
    fn turn_of(&self, index: usize) {
        self.0.store(self.0.load(Relaxed) * 10 + index as u64 + 1, Relaxed);
    }

    fn assert_is(&self, turns: u64) {
        assert_eq!(self.0.load(Relaxed), turns, "out of turn");
    }
}

/// Runs `work` for each of `workers`, each on a thread of its own except for the last, which runs
/// on this one.
fn run(workers: usize, work: impl Fn(usize) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let spawn = |index| {
        let work = Arc::clone(&work);
        thread::spawn(move || work(index))
    };
    let threads: Vec<_> = (0..workers - 1).map(spawn).collect();
    work(workers - 1);
    join(threads);
}

/// Worker `i` takes `turns[i]` turns, which must come in the order of `expected`.
fn turns<const N: usize>(turns: [usize; N], expected: u64, rounds: u64) {
    let shared = Arc::new((Turnstile::new(N, 1), Log::default()));
    let used = Arc::clone(&shared);
    run(N, move |index| {
        let (turnstile, log) = &*used;
        let _seat = turnstile.enter(index);
        log.turn_of(index);
        for _ in 1..turns[index] {
            turnstile.yield_turn(index);
            log.turn_of(index);
        }
    });
    shared.1.assert_is(expected);
    assert_eq!(shared.0.rounds(), rounds);
}

#[test]
fn two_workers_alternate() {
    explore("lockstep: 2 workers, 2 turns", Bound::Exhaustive, || turns([2, 2], 1212, 1));
}

#[test]
fn two_workers_alternate_for_long() {
    explore("lockstep: 2 workers, 4 turns", Bound::Exhaustive, || {
        turns([4, 4], 12_121_212, 3);
    });
}

#[test]
fn three_workers_go_round() {
    explore("lockstep: 3 workers, 2 turns", Bound::ExhaustiveIfLong(3), || {
        turns([2, 2, 2], 123_123, 1);
    });
}

#[test]
fn who_has_left_is_passed_over() {
    explore("lockstep: the first leaves", Bound::Exhaustive, || turns([1, 3], 1222, 2));
    explore("lockstep: the last leaves", Bound::Exhaustive, || turns([3, 1], 1211, 2));
    explore("lockstep: the middle leaves", Bound::ExhaustiveIfLong(3), || {
        turns([2, 1, 2], 12_313, 1);
    });
}

#[test]
fn a_panic_passes_the_turn_on() {
    explore("lockstep: a worker panics", Bound::ExhaustiveIfLong(3), || {
        let shared = Arc::new((Turnstile::new(3, 1), Log::default()));
        let used = Arc::clone(&shared);
        run(3, move |index| {
            let (turnstile, log) = &*used;
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _seat = turnstile.enter(index);
                log.turn_of(index);
                if index == 1 {
                    resume_unwind(Box::new("on purpose")); // avoids thousands of messages
                }
                turnstile.yield_turn(index);
                log.turn_of(index);
            }));
            assert_eq!(caught.is_err(), index == 1);
        });
        shared.1.assert_is(12_313);
    });
}

/// An observer grants two turns, looks at what was done in between, and lets the rest go on.
#[test]
fn a_held_ring_turns_only_as_granted() {
    explore("lockstep: 2 workers, held", Bound::MoreIfLong(2, 3), || {
        let shared = Arc::new((Turnstile::new(2, 1), Log::default()));
        shared.0.hold();
        let spawn = |index| {
            let used = Arc::clone(&shared);
            thread::spawn(move || {
                let (turnstile, log) = &*used;
                let _seat = turnstile.enter(index);
                log.turn_of(index);
                turnstile.yield_turn(index);
                log.turn_of(index);
            })
        };
        let threads = [0, 1].map(spawn);
        for (worker, turns) in [(0, 1), (1, 12)] {
            assert_eq!(shared.0.grant(), Some(worker), "out of turn");
            shared.1.assert_is(turns);
        }
        shared.0.release();
        join(threads);
        shared.1.assert_is(1212);
        assert_eq!(shared.0.grant(), None, "all have left");
    });
}

/// A ring that is let go while a granted turn runs keeps no observer waiting.
#[test]
fn a_ring_is_let_go_during_a_granted_turn() {
    explore("lockstep: let go", Bound::MoreIfLong(2, 3), || {
        let shared = Arc::new((Turnstile::new(1, 1), Log::default()));
        shared.0.hold();
        let used = Arc::clone(&shared);
        run(3, move |index| {
            let (turnstile, log) = &*used;
            match index {
                0 => {
                    let _seat = turnstile.enter(index);
                    log.turn_of(index);
                    turnstile.yield_turn(index);
                    log.turn_of(index);
                }
                1 => turnstile.release(),
                _ => drop(turnstile.grant()),
            }
        });
        shared.1.assert_is(11);
    });
}

/// The main worker takes two turns and raises the stop in or after the second. Its helper continues
/// until it sees the stop, for at most five turns.
fn raised_by_a_worker(in_turn: bool) {
    let shared = Arc::new((Turnstile::new(2, 1), Log::default(), StopFlag::default()));
    let used = Arc::clone(&shared);
    run(2, move |index| {
        let (turnstile, log, stop) = &*used;
        let presence = turnstile.enter(index);
        log.turn_of(index);
        if index == 0 {
            turnstile.yield_turn(index);
            log.turn_of(index);
            if !in_turn {
                drop(presence);
            }
            return stop.raise();
        }
        for _ in 0..4 {
            turnstile.yield_turn(index);
            if stop.is_raised() {
                return;
            }
            log.turn_of(index);
        }
    });
    shared.1.assert_is(121);
}

/// What makes a search repeatable: the helpers always stop at the same node.
#[test]
fn a_stop_raised_in_a_turn_is_seen_in_the_next() {
    explore("lockstep: stop raised in a turn", Bound::Exhaustive, || {
        raised_by_a_worker(true);
    });
}

/// A stop may come from outside at any time: every worker leaves, and none has run out of turn.
#[test]
fn a_stop_from_outside_ends_it() {
    explore("lockstep: stop from outside", Bound::MoreIfLong(3, 4), || {
        let shared = Arc::new((Turnstile::new(2, 1), Log::default(), StopFlag::default()));
        let used = Arc::clone(&shared);
        run(3, move |index| {
            let (turnstile, log, stop) = &*used;
            if index == 2 {
                let rounds = turnstile.rounds();
                stop.raise();
                assert!(turnstile.rounds() >= rounds);
                return;
            }
            let _seat = turnstile.enter(index);
            for _ in 0..3 {
                log.turn_of(index);
                turnstile.yield_turn(index);
                if stop.is_raised() {
                    return;
                }
            }
        });
        let turns = shared.1.0.load(Relaxed);
        // Once one worker has seen the flag, all later ones see it too.
        assert!([12, 121, 1212, 12_121, 121_212].contains(&turns), "{turns}: out of turn");
    });
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_stop_raised_after_the_turn() {
    explore("lockstep mutant: stop raised after the turn", Bound::Preemptions(2), || {
        raised_by_a_worker(false);
    });
}

/// One weakening of the turnstile.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Flaw {
    /// No flaw: the miniature itself must pass.
    Sound,
    /// A worker that leaves keeps the turn.
    TurnKept,
    /// A worker that panics is gone without leaving the ring.
    PanicLetThrough,
    /// The turn is given to workers that have left.
    AbsentServed,
    /// The next worker is woken before it is given the turn.
    WakeBeforeChange,
    /// The next worker is not woken.
    NotWoken,
    /// All wait on one condition variable, and only one is woken.
    OneOfAllWoken,
    /// All wait on one condition variable, all are woken, and none checks whose turn it is.
    WokenUnchecked,
    /// A worker checks for its turn and goes to sleep without holding the lock throughout.
    SleepUnlocked,
    /// A worker starts without waiting for its turn.
    NotAwaited,
    /// A worker whose turn is over continues without waiting for its next.
    GoesOn,
    /// The first worker to arrive has the first turn.
    OrderOfArrival,
    /// A worker whose turn is over keeps the turn.
    TurnNotPassed,
}

struct Ring {
    turn: Option<usize>,
    present: Vec<bool>,
}

struct Miniature {
    flaw: Flaw,
    ring: Mutex<Ring>,
    turns: Vec<Condvar>,
    log: Log,
}

impl Miniature {
    fn new(flaw: Flaw, workers: usize) -> Self {
        let turn = (flaw != Flaw::OrderOfArrival).then_some(0);
        Self {
            flaw,
            ring: Mutex::new(Ring { turn, present: vec![true; workers] }),
            turns: (0..workers).map(|_| Condvar::default()).collect(),
            log: Log::default(),
        }
    }

    fn condition(&self, index: usize) -> &Condvar {
        let is_shared = matches!(self.flaw, Flaw::OneOfAllWoken | Flaw::WokenUnchecked);
        &self.turns[if is_shared { 0 } else { index }]
    }

    fn wake(&self, next: usize) {
        match self.flaw {
            Flaw::NotWoken => {}
            Flaw::WokenUnchecked => self.condition(next).notify_all(),
            _ => self.condition(next).notify_one(),
        }
    }

    fn wait(&self, index: usize) {
        let mut ring = self.ring.lock();
        if self.flaw == Flaw::OrderOfArrival && ring.turn.is_none() {
            ring.turn = Some(index);
        }
        while ring.turn != Some(index) {
            if self.flaw == Flaw::SleepUnlocked {
                drop(ring);
                ring = self.ring.lock();
            }
            ring = self.condition(index).wait(ring);
            if self.flaw == Flaw::WokenUnchecked {
                return;
            }
        }
    }

    fn pass(&self, index: usize, leaves: bool) {
        let mut ring = self.ring.lock();
        ring.present[index] &= !leaves;
        let workers = ring.present.len();
        let is_served = |i: &usize| ring.present[*i] || self.flaw == Flaw::AbsentServed;
        let next = (1..=workers).map(|step| (index + step) % workers).find(is_served);
        let Some(next) = next else { return };
        if self.flaw == Flaw::WakeBeforeChange {
            drop(ring);
            self.wake(next);
            self.ring.lock().turn = Some(next);
            return;
        }
        ring.turn = Some(next);
        self.wake(next);
    }

    /// The main function of worker `index`, which takes `turns` turns and panics in the last if
    /// told to.
    fn work(&self, index: usize, turns: usize, is_unlucky: bool) {
        for turn in 0..turns {
            if turn > 0 && self.flaw != Flaw::TurnNotPassed {
                self.pass(index, false);
            }
            let waits = match self.flaw {
                Flaw::NotAwaited => turn > 0,
                Flaw::GoesOn => turn == 0,
                _ => true,
            };
            if waits {
                self.wait(index);
            }
            self.log.turn_of(index);
        }
        let is_gone = is_unlucky && self.flaw == Flaw::PanicLetThrough;
        if self.flaw != Flaw::TurnKept && !is_gone {
            self.pass(index, true);
        }
    }
}

fn explore_flaw(name: &'static str, flaw: Flaw) {
    explore(name, Bound::Preemptions(2), move || {
        let miniature = Arc::new(Miniature::new(flaw, 3));
        let used = Arc::clone(&miniature);
        run(3, move |index| used.work(index, [2, 1, 2][index], index == 1));
        miniature.log.assert_is(12_313);
    });
}

#[test]
fn the_miniature_is_sound() {
    explore_flaw("lockstep miniature: sound", Flaw::Sound);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_turn_kept() {
    explore_flaw("lockstep mutant: turn kept", Flaw::TurnKept);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_panic_let_through() {
    explore_flaw("lockstep mutant: panic let through", Flaw::PanicLetThrough);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_absent_served() {
    explore_flaw("lockstep mutant: absent served", Flaw::AbsentServed);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_wake_up_before_the_change() {
    explore_flaw("lockstep mutant: wake-up before the change", Flaw::WakeBeforeChange);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_not_woken() {
    explore_flaw("lockstep mutant: not woken", Flaw::NotWoken);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_one_of_all_woken() {
    explore_flaw("lockstep mutant: one of all woken", Flaw::OneOfAllWoken);
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_woken_unchecked() {
    explore_flaw("lockstep mutant: woken unchecked", Flaw::WokenUnchecked);
}

#[test]
#[should_panic(expected = "deadlock")]
fn mutant_asleep_without_the_lock() {
    explore_flaw("lockstep mutant: asleep without the lock", Flaw::SleepUnlocked);
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_turn_not_awaited() {
    explore_flaw("lockstep mutant: turn not awaited", Flaw::NotAwaited);
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_goes_on() {
    explore_flaw("lockstep mutant: goes on", Flaw::GoesOn);
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_order_of_arrival() {
    explore_flaw("lockstep mutant: order of arrival", Flaw::OrderOfArrival);
}

#[test]
#[should_panic(expected = "out of turn")]
fn mutant_turn_not_passed() {
    explore_flaw("lockstep mutant: turn not passed", Flaw::TurnNotPassed);
}
