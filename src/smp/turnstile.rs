//! Workers that take turns, which makes a search on any number of threads repeatable.
//!
//! Normally it is chance which of two workers reaches a table entry first, and everything
//! afterwards depends on it. Behind a [`Turnstile`] one worker runs at a time, for a quantum of its
//! own nodes; then the next one runs, in the order of their indices. What a worker reads, writes
//! and raises in a turn is then the same on every run and machine.
//!
//! Lockstep also simulates more processors than the machine has: a round, one turn per worker,
//! takes as long as one quantum on a machine with a processor for each worker.
//!
//! An observer may [hold](Turnstile::hold) the ring and grant turns one by one, to look at the
//! search in between. While it is held the turn is nobody's, so the workers' own wait is the same.
//!
//! The turn changes under the lock and the wake-up follows, so no wake-up is lost. Each worker
//! waits on its own condition variable: a shared one would wake thirty workers to let one run. The
//! lock also publishes each turn to the next, so the workers' shared data may use relaxed atomics.

use crate::sync::{Condvar, Mutex, MutexGuard};

/// The default number of nodes per turn. Fewer are closer to running concurrently, more waste less
/// time on switching threads.
pub const DEFAULT_QUANTUM: u64 = 256;

/// The turn that no worker has.
const NOBODY: usize = usize::MAX;

/// The turn, and the workers that take part.
#[derive(Debug)]
struct Ring {
    /// The worker whose turn it is, whether it has arrived or not; [`NOBODY`] while it is held.
    turn: usize,
    /// The worker has arrived, and its turn has begun.
    has_begun: bool,
    /// The worker whose turn begins when the next one is granted.
    next: Option<usize>,
    /// A turn begins only when it is granted.
    is_held: bool,
    /// Which workers have not left.
    present: Box<[bool]>,
    rounds: u64,
}

/// Lets the workers of one search run one at a time, in the order of their indices.
#[derive(Debug)]
pub struct Turnstile {
    quantum: u64,
    ring: Mutex<Ring>,
    /// One per worker: its turn has come.
    turns: Box<[Condvar]>,
    /// The granted turns are over, or the ring is not held any more.
    settled: Condvar,
}

/// A worker's presence in the ring. Dropping it, even during a panic, makes the worker leave and
/// passes the turn on.
#[must_use]
#[derive(Debug)]
pub struct Presence<'a> {
    turnstile: &'a Turnstile,
    index: usize,
}

impl Turnstile {
    /// A turnstile with turns of `quantum` nodes (at least one) for `workers`, all of which must
    /// enter. Worker 0 has the first turn.
    pub fn new(workers: usize, quantum: u64) -> Self {
        let present = vec![true; workers].into();
        let ring =
            Ring { turn: 0, has_begun: false, next: None, is_held: false, present, rounds: 0 };
        Self {
            quantum: quantum.max(1),
            ring: Mutex::new(ring),
            turns: (0..workers).map(|_| Condvar::default()).collect(),
            settled: Condvar::default(),
        }
    }

    /// Nodes per turn.
    pub fn quantum(&self) -> u64 {
        self.quantum
    }

    /// Rounds completed: how often the turn has come back to the first worker of the ring.
    pub fn rounds(&self) -> u64 {
        self.ring.lock().rounds
    }

    /// Lets no turn begin that is not granted, and waits until the present one is over. Workers
    /// stay where they are until [`Turnstile::release`].
    pub fn hold(&self) {
        let mut ring = self.ring.lock();
        ring.is_held = true;
        if ring.has_begun {
            self.settle(ring);
        } else if ring.next.is_none() && ring.present.contains(&true) {
            ring.next = Some(ring.turn);
            ring.turn = NOBODY;
        }
    }

    /// Grants one more turn of a held ring, waits until it is over, and returns whose it was;
    /// `None` if every worker has left.
    pub fn grant(&self) -> Option<usize> {
        let mut ring = self.ring.lock();
        let next = ring.next?;
        self.begin(&mut ring, next);
        self.settle(ring);
        Some(next)
    }

    /// Waits until no turn of a held ring is left.
    fn settle(&self, mut ring: MutexGuard<'_, Ring>) {
        while ring.is_held && ring.next.is_none() && ring.present.contains(&true) {
            ring = self.settled.wait(ring);
        }
    }

    /// Lets the turns of a held ring go round again.
    pub fn release(&self) {
        let mut ring = self.ring.lock();
        ring.is_held = false;
        self.settled.notify_all();
        if let Some(next) = ring.next {
            self.begin(&mut ring, next);
        }
    }

    /// The worker whose turn it is, or whose turn will be granted next.
    pub fn next(&self) -> Option<usize> {
        let ring = self.ring.lock();
        ring.next.or((ring.turn != NOBODY).then_some(ring.turn))
    }

    fn begin(&self, ring: &mut Ring, next: usize) {
        ring.next = None;
        ring.turn = next;
        self.turns[next].notify_one();
    }

    /// Enters worker `index`, at any time, and blocks until its turn. The others wait for it to
    /// enter.
    pub fn enter(&self, index: usize) -> Presence<'_> {
        self.wait(self.ring.lock(), index);
        Presence { turnstile: self, index }
    }

    /// Ends the turn of worker `index` and blocks until its next.
    pub fn yield_turn(&self, index: usize) {
        let mut ring = self.ring.lock();
        self.pass(&mut ring);
        self.wait(ring, index);
    }

    /// Removes worker `index`, whose turn it is, from the ring.
    fn leave(&self, index: usize) {
        let mut ring = self.ring.lock();
        ring.present[index] = false;
        self.pass(&mut ring);
    }

    /// Gives the turn to the next worker present, which may be the same one again.
    fn pass(&self, ring: &mut Ring) {
        let workers = ring.present.len();
        let last = ring.turn;
        ring.has_begun = false;
        let next = (1..=workers).map(|step| (last + step) % workers).find(|&i| ring.present[i]);
        ring.rounds += u64::from(next.is_some_and(|next| next <= last));
        if ring.is_held {
            (ring.turn, ring.next) = (NOBODY, next);
            self.settled.notify_all();
        } else if let Some(next) = next {
            self.begin(ring, next);
        }
    }

    fn wait(&self, mut ring: MutexGuard<'_, Ring>, index: usize) {
        while ring.turn != index {
            ring = self.turns[index].wait(ring);
        }
        ring.has_begun = true;
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.turnstile.leave(self.index);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::*;
    use crate::sync::thread;

    /// Who had each turn, when worker `index` takes `turns[index]` turns and each thread calls
    /// `arrive` before its worker enters.
    fn played(turns: &[usize], arrive: impl Fn(usize) + Sync) -> (Vec<usize>, u64) {
        let turnstile = Turnstile::new(turns.len(), 1);
        let log = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for (index, &turns) in turns.iter().enumerate() {
                let (turnstile, log, arrive) = (&turnstile, &log, &arrive);
                scope.spawn(move || {
                    arrive(index);
                    let _seat = turnstile.enter(index);
                    for turn in 0..turns {
                        if turn > 0 {
                            turnstile.yield_turn(index);
                        }
                        log.lock().push(index);
                    }
                });
            }
        });
        // Through the lock, because ThreadSanitizer does not see that the end of a scope orders
        // anything.
        let log = log.lock().clone();
        (log, turnstile.rounds())
    }

    #[test]
    fn turns_go_round_in_the_order_of_the_workers() {
        let (log, rounds) = played(&[3, 3, 3], |_| {});
        assert_eq!(log, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(rounds, 2, "a round ends when the next begins");
    }

    #[test]
    fn who_has_left_is_passed_over() {
        let (log, _) = played(&[1, 4, 2], |_| {});
        assert_eq!(log, [0, 1, 2, 1, 2, 1, 1]);
    }

    #[test]
    fn the_others_wait_for_one_who_comes_late() {
        for late in 0..3 {
            let arrive = |index| {
                if index == late {
                    thread::sleep(Duration::from_millis(20));
                }
            };
            assert_eq!(played(&[2, 2, 2], arrive).0, [0, 1, 2, 0, 1, 2], "{late}");
        }
    }

    #[test]
    fn one_alone_has_every_turn() {
        assert_eq!(played(&[4], |_| {}), (vec![0; 4], 3));
    }

    #[test]
    fn a_crowd_takes_its_turns() {
        const WORKERS: usize = 32;
        const TURNS: usize = 20;
        let (log, rounds) = played(&[TURNS; WORKERS], |_| {});
        assert!(log.iter().enumerate().all(|(turn, &index)| index == turn % WORKERS));
        assert_eq!((log.len(), rounds), (WORKERS * TURNS, TURNS as u64 - 1));
    }

    #[test]
    fn a_panic_passes_the_turn_on() {
        let turnstile = Turnstile::new(2, 1);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _seat = turnstile.enter(0);
            panic!("on purpose");
        }));
        assert!(caught.is_err());
        drop(turnstile.enter(1));
    }

    #[test]
    fn a_turn_has_at_least_one_node() {
        assert_eq!(Turnstile::new(1, 0).quantum(), 1);
    }

    #[test]
    fn a_held_ring_turns_only_as_granted() {
        let turnstile = Turnstile::new(2, 1);
        turnstile.hold();
        let log = Mutex::new(Vec::new());
        let seen = thread::scope(|scope| {
            for index in 0..2 {
                let (turnstile, log) = (&turnstile, &log);
                scope.spawn(move || {
                    let _seat = turnstile.enter(index);
                    log.lock().push(index);
                    turnstile.yield_turn(index);
                    log.lock().push(index);
                });
            }
            assert_eq!(turnstile.next(), Some(0));
            let mut seen = Vec::new();
            for expected in [0, 1] {
                assert_eq!(turnstile.grant(), Some(expected));
                seen.push(log.lock().clone());
            }
            assert_eq!(turnstile.next(), Some(0));
            turnstile.release();
            seen
        });
        assert_eq!(seen, [vec![0], vec![0, 1]], "no turn begins by itself");
        assert_eq!(*log.lock(), [0, 1, 0, 1]);
        assert_eq!(turnstile.grant(), None, "all have left");
    }
}
