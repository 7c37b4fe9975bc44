//! The turns of a search in lockstep: held, granted one by one, or free.

use std::time::{Duration, Instant};

use heddle::engine::Engine;
use heddle::smp::recorder::{Recorder, Structure};
use heddle::smp::turnstile::Turnstile;
use heddle::sync::Arc;

use crate::protocol::{self, Body, Lockstep};

/// The most nodes of a turn.
pub const MAX_QUANTUM: u64 = 100_000;
/// The most turns that one request grants.
const MAX_STEP: u32 = 1000;

/// The turns of one search.
pub struct Turns {
    turnstile: Arc<Turnstile>,
    recorder: Option<Arc<Recorder>>,
    /// Time between turns: zero if each is granted by a step, none if nobody waits.
    every: Option<Duration>,
    /// When the next turn is granted.
    due: Option<Instant>,
}

impl Turns {
    /// The turns of `workers` workers.
    pub fn new(workers: usize, lockstep: &Lockstep) -> Self {
        let quantum = lockstep.quantum.clamp(1, MAX_QUANTUM);
        let mut turns = Self {
            turnstile: Arc::new(Turnstile::new(workers, quantum)),
            recorder: lockstep.misses.then(Arc::default),
            every: None,
            due: None,
        };
        turns.pace(lockstep.pace.every);
        turns
    }

    /// Lets the next search of `engine` take these turns.
    pub fn attach(&self, engine: &mut Engine) {
        engine.set_turnstile(Arc::clone(&self.turnstile));
        engine.set_recorder(self.recorder.clone());
    }

    /// Lets the searches that follow be as ever.
    pub fn detach(&self, engine: &mut Engine) {
        engine.set_recorder(None);
    }

    /// Follows a request of the page.
    pub fn order(&mut self, body: &Body) {
        match body {
            Body::Pace(pace) => self.pace(pace.every),
            Body::Step { turns } => {
                self.pace(Some(0));
                for _ in 0..*turns.min(&MAX_STEP) {
                    if self.turnstile.grant().is_none() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }

    fn pace(&mut self, every: Option<u64>) {
        self.every = every.map(Duration::from_millis);
        self.due = None;
        match self.every {
            None => self.turnstile.release(),
            Some(every) => {
                self.turnstile.hold();
                self.due = (!every.is_zero()).then(Instant::now);
            }
        }
    }

    /// Grants the turn that is due at `now`; true if there was one.
    pub fn advance(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| now >= due);
        if is_due {
            self.turnstile.grant();
            self.due = self.every.map(|every| now + every);
        }
        is_due
    }

    /// When the next turn is granted.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Nobody holds the turns.
    pub fn is_free(&self) -> bool {
        self.every.is_none()
    }

    /// Lets the workers go on to their end.
    pub fn release(&self) {
        self.turnstile.release();
    }

    /// What the page sees of them.
    pub fn seen(&self) -> protocol::Turns {
        let misses = self.recorder.as_ref().map(|recorder| {
            let misses = recorder.misses();
            Structure::ALL.into_iter().map(|of| (of.name(), misses.of(of))).collect()
        });
        protocol::Turns { rounds: self.turnstile.rounds(), next: self.turnstile.next(), misses }
    }
}
