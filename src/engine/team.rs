//! The workers of an engine: their threads, their memory, and where they run.

use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::numa::Binding;
use crate::search::{Near, Outcome, Worker};
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

    /// Clears the first `workers`, each by its own thread, which may be the first to write that memory.
    pub fn clear(&self, workers: usize) {
        let members = Arc::clone(&self.members);
        self.run(Arc::new(move |index| {
            if index < workers {
                members[index].worker.lock().clear();
            }
        }));
    }

    /// For each worker what those on its node have in common, made by a thread of that node: empty where
    /// nobody is bound, and nothing on a node without the memory for it.
    pub fn near(&self, network: Option<&Arc<Network>>) -> Arc<[Option<Near>]> {
        if self.binding.node(0).is_none() {
            return Arc::default();
        }
        let made: Arc<[Latest<Option<Near>>]> =
            self.members.iter().map(|_| Latest::default()).collect();
        let (makes, network) = (Arc::clone(&made), network.map(Arc::clone));
        let binding = self.binding.clone();
        self.run(Arc::new(move |index| {
            if binding.is_first_on_node(index) {
                makes[index].set(Near::new(network.as_deref()).ok());
            }
        }));
        let node = |index| self.binding.node(index);
        let first = |index| (0..=index).find(|&first| node(first) == node(index));
        let workers = 0..self.members.len();
        workers.map(|index| first(index).and_then(|first| made[first].get())).collect()
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

#[cfg(not(miri))]
#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::Engine;
    use super::*;
    use crate::numa::{Node, NumaPolicy, Topology, allowed};
    use crate::position::Game;
    use crate::search::Settings;
    use crate::smp::sharing::Sharing;
    use crate::time::limits::Limits;

    const THREADS: usize = 4;

    /// A machine of so many nodes, all of them near every processor of this one.
    fn machine(nodes: usize) -> Binding {
        let node = |number| Node { number, processors: allowed() };
        let nodes = (0..nodes).map(node).collect();
        Binding::to(Topology { nodes, ..Topology::here() })
    }

    /// Nodes of one search in lockstep.
    fn nodes(engine: &mut Engine, sharing: Sharing) -> u64 {
        let settings = Settings { lockstep: true, quantum: 16, sharing, ..Settings::default() };
        let limits = Limits { depth: Some(7), ..Limits::default() };
        engine.start(&Game::default(), &limits, &settings, |_| {});
        let _ = engine.result();
        engine.nodes()
    }

    /// The same from the start, with the workers on a machine of so many nodes.
    fn nodes_on(memory_nodes: usize, sharing: Sharing) -> Result<u64, EngineError> {
        let mut engine = Engine::new(1, 1)?;
        engine.change_team(THREADS, machine(memory_nodes).by(NumaPolicy::Bind, THREADS))?;
        let first = nodes(&mut engine, sharing);
        assert_ne!(nodes(&mut engine, sharing), first, "the table and the histories are kept");
        engine.clear();
        assert_eq!(nodes(&mut engine, sharing), first, "everything is cleared");
        engine.set_network(engine.network().cloned());
        assert_eq!(nodes(&mut engine, sharing), first, "copied and cleared");
        Ok(first)
    }

    #[test]
    fn workers_on_several_nodes_search_alike_but_for_what_they_share() {
        if allowed().is_empty() {
            return println!("skipped: the system does not say where a process may run");
        }
        let private = [1, 2].map(|memory_nodes| nodes_on(memory_nodes, Sharing::Private).unwrap());
        assert_eq!(private[0], private[1]);
        let shared = [1, 2, 4].map(|memory_nodes| nodes_on(memory_nodes, Sharing::All).unwrap());
        assert_ne!(shared[0], shared[1], "they share with half of the others");
        assert_eq!(shared[2], private[0], "there is nobody to share with");
    }
}
