//! The workers of an engine: each with its thread, its memory, and its place in the machine.

use std::io;

use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, check_headroom};
use crate::numa::Binding;
use crate::search::{Near, Worker};
use crate::smp::crew::{Crew, Results};
use crate::smp::teamwork::GROUP;
use crate::sync::Arc;

use super::EngineError;

/// Room that is left for the small allocations of a search, in bytes for each worker: lines, root
/// moves, counters.
const WORKER_HEADROOM: usize = 128 << 10;

/// The workers of an engine, each owned by its thread; one that has just come up has none yet.
pub(super) struct Workers {
    crew: Crew<Option<Worker>>,
    binding: Binding,
}

impl Workers {
    /// No workers yet.
    pub fn new() -> io::Result<Self> {
        Ok(Self { crew: Crew::new(0)?, binding: Binding::here() })
    }

    /// Changes the number of workers and where they run. Those that are new, or move to another
    /// node, get memory that their own threads allocate, near by.
    pub fn change(&mut self, threads: usize, binding: Binding) -> Result<(), EngineError> {
        let before = self.count();
        let stays = |&index: &usize| binding.processors(index) == self.binding.processors(index);
        let kept = (0..before.min(threads)).take_while(stays).count();
        self.crew.resize(before.max(threads))?;
        let room = HEADROOM + (threads - kept) * Worker::ROOM + threads * WORKER_HEADROOM;
        if kept < threads && check_headroom(room).is_err() {
            self.crew.resize(before)?;
            return Err(EngineError::Memory { threads });
        }
        self.crew.resize(threads)?;
        let (from, to) = (std::mem::replace(&mut self.binding, binding.clone()), binding);
        self.crew.run(move |index, worker| {
            if from.processors(index) != to.processors(index) {
                to.bind(index);
            }
            if index >= kept {
                *worker = Some(Worker::default());
            }
        });
        Ok(())
    }

    /// Clears the workers, each by its own thread.
    pub fn clear(&self) {
        self.crew.run(|_, worker| present(worker).clear());
    }

    /// The state that each worker shares with those near by, made by a thread of theirs: empty if
    /// all are near, or if there is no memory for it.
    pub fn near(&self, network: Option<&Arc<Network>>) -> Arc<[Option<Near>]> {
        let leaders = self.binding.leaders(self.count(), GROUP);
        let node = |index| self.binding.node(index);
        if node(0).is_none() && leaders.iter().all(|&leader| leader == 0) {
            return Arc::default();
        }
        let groups = (0..self.count()).filter(|&index| leaders[index] == index).count();
        if check_headroom(HEADROOM + groups * Near::ROOM).is_err() {
            return Arc::default();
        }
        let (binding, network) = (self.binding.clone(), network.map(Arc::clone));
        let made = {
            let leaders = leaders.clone();
            self.crew.run(move |index, _| {
                let network = network.as_deref().filter(|_| binding.is_first_on_node(index));
                (leaders[index] == index).then(|| Near::new(network))
            })
        };
        let first = |index| (0..=index).find(|&first| node(first) == node(index));
        let near = |index: usize| {
            let home = made[first(index)?].as_ref()?;
            made[leaders[index]].as_ref().map(|near| near.with_network_of(home))
        };
        (0..self.count()).map(near).collect()
    }

    /// Starts a job for every worker, see [`Crew::start`].
    pub fn start<R: Send + 'static>(
        &self,
        job: impl Fn(usize, &mut Worker) -> R + Send + Sync + 'static,
    ) -> Results<R> {
        self.crew.start(move |index, worker| job(index, present(worker)))
    }

    /// See [`Crew::wait`].
    pub fn wait(&self) {
        self.crew.wait();
    }

    /// The number of workers.
    pub fn count(&self) -> usize {
        self.crew.threads()
    }

    /// The places of the workers.
    pub fn binding(&self) -> &Binding {
        &self.binding
    }
}

fn present(worker: &mut Option<Worker>) -> &mut Worker {
    worker.as_mut().expect("`Workers::change` gives every thread that it keeps a worker")
}

#[cfg(not(miri))]
#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::Engine;
    use super::*;
    use crate::numa::{MemoryNode, NumaPolicy, Topology, allowed};
    use crate::position::Game;
    use crate::search::Settings;
    use crate::smp::teamwork::Sharing;
    use crate::time::limits::Limits;
    use crate::tt::Table;

    const THREADS: usize = 4;

    /// A machine of N nodes, all of them near every processor of this one.
    fn machine(nodes: usize) -> Binding {
        let node = |number| MemoryNode::new(number, allowed());
        let nodes = (0..nodes).map(node).collect();
        let topology = Topology { nodes, ..Topology::here() };
        Binding::to(topology.clone(), topology)
    }

    /// Nodes of one search in lockstep.
    fn nodes(engine: &mut Engine, sharing: Sharing) -> u64 {
        let settings = Settings { lockstep: true, quantum: 16, sharing, ..Settings::default() };
        let limits = Limits { depth: Some(7), ..Limits::default() };
        engine.start(&Game::default(), &limits, &settings, |_| {});
        let _ = engine.result();
        engine.nodes()
    }

    /// The same from the start, with the workers on a machine of N nodes.
    fn nodes_on(memory_nodes: usize, sharing: Sharing) -> Result<u64, EngineError> {
        let mut engine = Engine::new(1, 1)?;
        engine.change_workers(THREADS, machine(memory_nodes).by(NumaPolicy::Bind, THREADS))?;
        let first = nodes(&mut engine, sharing);
        assert_ne!(nodes(&mut engine, sharing), first, "the table and the histories are kept");
        engine.clear();
        assert_eq!(nodes(&mut engine, sharing), first, "everything is cleared");
        engine.set_network(engine.network().cloned());
        assert_eq!(nodes(&mut engine, sharing), first, "copied and cleared");
        Ok(first)
    }

    #[test]
    fn workers_on_several_nodes_differ_by_what_they_share() {
        if allowed().is_empty() {
            return println!("skipped: the system does not say where a process may run");
        }
        let private = [1, 2].map(|memory_nodes| nodes_on(memory_nodes, Sharing::Private).unwrap());
        assert_eq!(private[0], private[1]);
        let shared = [1, 2, 4].map(|memory_nodes| nodes_on(memory_nodes, Sharing::All).unwrap());
        assert_ne!(shared[0], shared[1], "they share with half of the others");
        assert_eq!(shared[2], private[0], "there is nobody to share with");
    }

    #[test]
    fn as_many_as_form_a_group_share_histories() {
        let mut engine = Engine::new(GROUP, 1).unwrap();
        let shared = |engine: &Engine, index| std::ptr::from_ref(engine.common.histories_of(index));
        let common = |engine: &Engine| std::ptr::from_ref(&*engine.common.histories);
        assert!((0..GROUP).all(|index| shared(&engine, index) == common(&engine)));
        engine.change_workers(GROUP + 1, Binding::default().resized(GROUP + 1)).unwrap();
        let first = shared(&engine, 0);
        let with_first = (0..=GROUP).filter(|&index| shared(&engine, index) == first).count();
        assert_eq!(with_first, (GROUP + 1).div_ceil(2));
        let other = shared(&engine, GROUP);
        assert!((with_first..=GROUP).all(|index| shared(&engine, index) == other));
        assert_ne!(first, other);
    }

    #[test]
    fn every_thread_runs_where_it_is_bound() {
        let processors = allowed();
        if processors.len() < 2 {
            return println!("skipped: there are not two processors to tell apart");
        }
        let nodes = [0, 1].map(|number| MemoryNode::new(number, vec![processors[number]]));
        let topology = Topology { nodes: nodes.to_vec(), ..Topology::here() };
        let binding = Binding::to(topology.clone(), topology).by(NumaPolicy::Bind, THREADS);
        let mut workers = Workers::new().unwrap();
        workers.change(THREADS, binding.clone()).unwrap();
        let places = workers.crew.run(|_, _| allowed());
        for (index, place) in places.iter().enumerate() {
            assert_eq!(*place, [processors[binding.node(index).unwrap()]], "worker {index}");
        }
    }

    #[test]
    fn workers_begin_anew_when_their_number_changes() {
        let searched = |engine: &mut Engine| {
            engine.clear();
            engine.common.table = Arc::new(Table::new(1).unwrap());
            nodes(engine, Sharing::Private)
        };
        let mut engine = Engine::new(THREADS, 1).unwrap();
        let fresh = searched(&mut engine);
        engine.set_threads(THREADS / 2).unwrap();
        let _ = nodes(&mut engine, Sharing::Private);
        engine.set_threads(THREADS).unwrap();
        engine.common.table = Arc::new(Table::new(1).unwrap());
        assert_eq!(nodes(&mut engine, Sharing::Private), fresh);
    }

    #[test]
    fn every_worker_reads_the_network_of_its_node() {
        if allowed().is_empty() {
            return println!("skipped: the system does not say where a process may run");
        }
        let mut engine = Engine::new(1, 1).unwrap();
        let binding = machine(2).by(NumaPolicy::Bind, THREADS);
        engine.change_workers(THREADS, binding.clone()).unwrap();
        let network = |engine: &Engine, index| {
            engine.common.network_of(index).map(|network| std::ptr::from_ref(network).addr())
        };
        for (one, other) in (0..THREADS).flat_map(|one| (0..THREADS).map(move |two| (one, two))) {
            let is_shared = network(&engine, one) == network(&engine, other);
            assert_eq!(is_shared, binding.node(one) == binding.node(other), "{one} {other}");
        }
        engine.set_network(None);
        assert!((0..THREADS).all(|index| network(&engine, index).is_none()), "an old copy is left");
    }
}
