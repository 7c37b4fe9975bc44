//! The workers of an engine: their threads, their memory, and where they run.

use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::numa::Binding;
use crate::search::{Outcome, Worker};
use crate::smp::latest::Latest;
use crate::smp::pool::{Job, Pool, PoolError};
use crate::sync::{Arc, Mutex};

use super::EngineError;

/// Room that is left for the small allocations of a search, in bytes for each worker: lines, root
/// moves, counters.
const WORKER_HEADROOM: usize = 128 << 10;

/// A worker and what it found last.
pub(super) struct Member {
    pub worker: Mutex<Worker>,
    pub outcome: Latest<Outcome>,
}

impl Member {
    fn new() -> Result<Arc<Self>, OutOfMemory> {
        let (worker, outcome) = (Mutex::new(Worker::new()?), Latest::default());
        Ok(Arc::new(Self { worker, outcome }))
    }
}

pub(super) type Members = Arc<[Arc<Member>]>;

/// The workers of an engine.
pub(super) struct Team {
    pool: Pool,
    members: Members,
    binding: Binding,
}

impl Team {
    /// No workers yet.
    pub fn new() -> Result<Self, PoolError> {
        Ok(Self { pool: Pool::new(0)?, members: Arc::default(), binding: Binding::here() })
    }

    /// Changes the number of workers and where they run. Those that are new, or move to another node, get
    /// memory that their own threads allocate, near by. Returns how many keep theirs, the first ones.
    ///
    /// # Errors
    /// [`EngineError::Threads`] or [`EngineError::Memory`]; everything stays as it was.
    pub fn change(&mut self, threads: usize, binding: Binding) -> Result<usize, EngineError> {
        let before = self.members.len();
        let stays = |&index: &usize| binding.node(index) == self.binding.node(index);
        let kept = (0..before.min(threads)).take_while(stays).count();
        self.pool.resize(before.max(threads))?;
        match self.recruit(threads, kept, &binding) {
            Ok(members) => {
                self.pool.resize(threads)?;
                (self.members, self.binding) = (members, binding);
                Ok(kept)
            }
            Err(OutOfMemory) => {
                self.pool.resize(before)?;
                self.settle(&binding, &self.binding);
                Err(EngineError::Memory { threads })
            }
        }
    }

    /// The members of a team of `threads`, the first `kept` of them those of the present one.
    fn recruit(
        &self,
        threads: usize,
        kept: usize,
        binding: &Binding,
    ) -> Result<Members, OutOfMemory> {
        self.settle(&self.binding, binding);
        let made: Arc<[_]> = (0..threads).map(|_| Latest::default()).collect();
        let makes = Arc::clone(&made);
        self.run(Arc::new(move |index| {
            if (kept..threads).contains(&index) {
                makes[index].set(Some(Member::new()));
            }
        }));
        let old = self.members.iter().take(kept).map(|member| Ok(Arc::clone(member)));
        let new = made[kept..].iter().map(|made| made.get().unwrap_or(Err(OutOfMemory)));
        let members = old.chain(new).collect::<Result<Members, _>>()?;
        if kept < threads {
            check_headroom(HEADROOM + threads * WORKER_HEADROOM)?;
        }
        Ok(members)
    }

    /// Moves the threads from where one binding has them to where another wants them.
    fn settle(&self, from: &Binding, to: &Binding) {
        let (from, to) = (from.clone(), to.clone());
        self.run(Arc::new(move |index| {
            if from.node(index) != to.node(index) {
                to.bind(index);
            }
        }));
    }

    /// Runs a job on every worker's thread.
    fn run(&self, job: Job) {
        self.pool.start(job);
        self.pool.wait();
    }

    /// For each worker a copy of `network` on its node, made by a thread of that node; none where nobody
    /// is bound, or without the memory for it.
    pub fn replicas(&self, network: Option<&Arc<Network>>) -> Arc<[Option<Arc<Network>>]> {
        let Some(network) = network.filter(|_| self.binding.node(0).is_some()) else {
            return Arc::default();
        };
        let copies: Arc<[Latest<Option<Arc<Network>>>]> =
            self.members.iter().map(|_| Latest::default()).collect();
        let job = {
            let (copies, network) = (Arc::clone(&copies), Arc::clone(network));
            let binding = self.binding.clone();
            move |index| {
                if binding.is_first_on_node(index) {
                    copies[index].set(network.replica().ok().map(Arc::new));
                }
            }
        };
        self.run(Arc::new(job));
        let node = |index| self.binding.node(index);
        let near = |index| (0..=index).find(|&first| node(first) == node(index));
        let workers = 0..self.members.len();
        workers.map(|index| near(index).and_then(|first| copies[first].get())).collect()
    }

    /// What each worker is.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Where the workers run.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// See [`Pool::start`].
    pub fn start(&self, job: Job) {
        self.pool.start(job);
    }

    /// See [`Pool::wait`].
    pub fn wait(&self) {
        self.pool.wait();
    }
}
