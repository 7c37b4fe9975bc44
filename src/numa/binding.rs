//! Where the workers of an engine run.

use super::place::{Place, place};
use super::{NumaPolicy, Topology, bind};

/// Where the workers of an engine run: each on a node, or anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    policy: NumaPolicy,
    /// What the process may use.
    granted: Topology,
    /// The whole machine.
    hardware: Topology,
    /// The place of each worker; none if they run anywhere.
    places: Vec<Place>,
}

impl Binding {
    /// The binding of no workers yet, to this machine.
    #[must_use]
    pub fn here() -> Self {
        Self::to(Topology::here(), Topology::hardware())
    }

    /// The binding of no workers yet, to a machine of which the process may use what is `granted`.
    #[must_use]
    pub fn to(granted: Topology, hardware: Topology) -> Self {
        Self { granted, hardware, ..Self::default() }
    }

    /// What the policy lets the workers use.
    fn topology(&self) -> &Topology {
        match self.policy {
            NumaPolicy::Hardware => &self.hardware,
            NumaPolicy::Auto | NumaPolicy::None | NumaPolicy::Bind => &self.granted,
        }
    }

    /// The same for so many workers.
    #[must_use]
    pub fn resized(&self, workers: usize) -> Self {
        let places = place(self.policy, self.topology(), workers).unwrap_or_default();
        Self { places, ..self.clone() }
    }

    /// The same by another policy.
    #[must_use]
    pub fn by(&self, policy: NumaPolicy, workers: usize) -> Self {
        Self { policy, ..self.clone() }.resized(workers)
    }

    /// The node of a worker, as an index of the topology's; `None` if it runs anywhere.
    #[must_use]
    pub fn node(&self, worker: usize) -> Option<usize> {
        self.places.get(worker).map(|place| place.node)
    }

    /// The processors at whose cache a worker runs, if it is bound.
    #[must_use]
    pub fn processors(&self, worker: usize) -> Option<&[usize]> {
        let Place { node, cache } = *self.places.get(worker)?;
        Some(&self.topology().nodes[node].caches[cache])
    }

    /// For each of `workers` the first of its group: workers at one cache, at most `most` of them, in groups of
    /// equal size.
    #[must_use]
    pub fn leaders(&self, workers: usize, most: usize) -> Vec<usize> {
        let place = |worker: usize| self.places.get(worker);
        let group = |worker: usize| {
            let here = |other: &usize| place(*other) == place(worker);
            let (before, all) =
                ((0..worker).filter(here).count(), (0..workers).filter(here).count());
            (place(worker), before * all.div_ceil(most) / all)
        };
        let groups: Vec<_> = (0..workers).map(group).collect();
        let first = |group| groups.iter().position(|other| other == group);
        groups.iter().filter_map(first).collect()
    }

    /// The worker is the first on its node.
    #[must_use]
    pub fn is_first_on_node(&self, worker: usize) -> bool {
        self.node(worker)
            .is_some_and(|node| (0..worker).all(|other| self.node(other) != Some(node)))
    }

    /// Binds this thread, which is that of `worker`, or frees it if the worker is not bound.
    pub fn bind(&self, worker: usize) {
        match self.processors(worker) {
            Some(near) => bind(near),
            None => bind(&self.topology().all_processors()),
        }
    }

    /// In words: `threads on memory nodes: 4 on 0, 4 on 1`, or that they are not bound.
    #[must_use]
    pub fn describe(&self) -> String {
        let count = |index| self.places.iter().filter(|place| place.node == index).count();
        let nodes = self.topology().nodes.iter().enumerate();
        let used = nodes.map(|(index, node)| (count(index), node.number)).filter(|&(n, _)| n > 0);
        let parts: Vec<_> = used.map(|(count, number)| format!("{count} on {number}")).collect();
        if parts.is_empty() {
            "threads are not bound to memory nodes".into()
        } else {
            format!("threads on memory nodes: {}", parts.join(", "))
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::MemoryNode;
    use super::*;

    fn binding() -> Binding {
        let nodes = [0..4, 4..8]
            .map(|processors| MemoryNode::new(2 * processors.start, processors.collect()));
        let hardware = Topology { nodes: nodes.into(), processors: 8, cores: 8, sockets: 2 };
        Binding::to(hardware.clone(), hardware)
    }

    #[test]
    fn workers_are_placed_as_they_come_and_by_the_policy() {
        let few = binding().resized(1);
        assert_eq!(few.node(0), None);
        assert_eq!(few.describe(), "threads are not bound to memory nodes");
        let many = few.resized(5);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|worker| many.node(worker)), {
            [Some(0), Some(1), Some(0), Some(1), Some(0), None]
        });
        assert_eq!(many.describe(), "threads on memory nodes: 3 on 0, 2 on 8");
        assert_eq!(many.by(NumaPolicy::None, 5).node(0), None);
        assert_eq!(many.by(NumaPolicy::Bind, 1).node(0), Some(0));
    }

    #[test]
    fn groups_are_of_one_cache_and_equal() {
        let leaders = |binding: &Binding, most| binding.leaders(5, most);
        let anywhere = binding().by(NumaPolicy::None, 5);
        assert_eq!(leaders(&anywhere, 8), [0; 5]);
        assert_eq!(leaders(&anywhere, 4), [0, 0, 0, 3, 3]);
        assert_eq!(leaders(&anywhere, 1), [0, 1, 2, 3, 4]);
        let bound = binding().by(NumaPolicy::Bind, 5);
        assert_eq!(leaders(&bound, 8), [0, 1, 0, 1, 0]);
        assert_eq!(leaders(&bound, 2), [0, 1, 0, 1, 4]);
        assert_eq!(bound.processors(1), Some(&[4, 5, 6, 7][..]));
        assert_eq!(anywhere.processors(1), None);
    }

    #[test]
    fn each_node_has_one_first_worker() {
        let bound = binding().by(NumaPolicy::Bind, 8);
        let first: Vec<_> = (0..9).filter(|&worker| bound.is_first_on_node(worker)).collect();
        assert_eq!(first, [0, 1]);
        assert!(!binding().is_first_on_node(0));
    }

    #[test]
    fn the_hardware_is_more_than_what_is_granted() {
        let whole = binding().hardware;
        let part = MemoryNode::new(0, vec![2]);
        let granted = Topology { nodes: vec![part], processors: 1, cores: 1, sockets: 1 };
        let few = Binding::to(granted, whole).by(NumaPolicy::Bind, 4);
        assert_eq!(few.processors(1), Some(&[2][..]));
        let all = few.by(NumaPolicy::Hardware, 4);
        assert_eq!(all.processors(1), Some(&[4, 5, 6, 7][..]));
        assert_eq!(all.describe(), "threads on memory nodes: 2 on 0, 2 on 8");
        assert_eq!(all.by(NumaPolicy::Auto, 4).processors(1), None);
    }
}
