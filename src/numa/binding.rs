//! The places of an engine's workers: on which node, and at which of its caches.

use crate::names::Named;

use super::{Topology, bind};

/// With fewer workers to a node or cache than this, and room for all on half of one, `auto` leaves
/// them to the system.
const WORKERS_PER_PART: usize = 4;

/// Whether workers are bound to nodes and caches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum NumaPolicy {
    /// They are if the machine has several nodes or caches and the workers need more than one.
    #[default]
    Auto,
    /// They never are: the system moves them as it likes.
    None,
    /// They are, even if there is one node or few workers.
    Bind,
    /// They are, and may use every processor of the machine, even those withheld from this process.
    /// Source: Stockfish's policy of this name (#5353, 2024).
    Hardware,
}

impl Named for NumaPolicy {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "bound if the workers need more than one node or cache"),
        (Self::None, "none", "never bound"),
        (Self::Bind, "bind", "bound even on one node"),
        (Self::Hardware, "hardware", "bound, to every processor of the machine"),
    ];
}

/// The place of a worker, as indices of the topology.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Place {
    node: usize,
    /// The cache among those of the node.
    cache: usize,
}

/// The places of an engine's workers: each on a node, or anywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    policy: NumaPolicy,
    /// The part of the machine that the process may use.
    granted: Topology,
    /// The whole machine.
    hardware: Topology,
    /// The place of each worker; none if they run anywhere.
    places: Vec<Place>,
}

impl Binding {
    /// The binding of no workers yet, to this machine.
    pub fn here() -> Self {
        Self::to(Topology::here(), Topology::hardware())
    }

    /// The binding of no workers yet, to a machine of which the process may use what is `granted`.
    pub fn to(granted: Topology, hardware: Topology) -> Self {
        Self { granted, hardware, ..Self::default() }
    }

    /// The part of the machine that the policy lets the workers use.
    fn topology(&self) -> &Topology {
        match self.policy {
            NumaPolicy::Hardware => &self.hardware,
            NumaPolicy::Auto | NumaPolicy::None | NumaPolicy::Bind => &self.granted,
        }
    }

    /// This binding for this many workers.
    #[must_use]
    pub fn resized(&self, workers: usize) -> Self {
        let places = place(self.policy, self.topology(), workers).unwrap_or_default();
        Self { places, ..self.clone() }
    }

    /// This binding under another policy.
    #[must_use]
    pub fn by(&self, policy: NumaPolicy, workers: usize) -> Self {
        Self { policy, ..self.clone() }.resized(workers)
    }

    /// The node of a worker, as an index of the topology's; `None` if it runs anywhere.
    pub fn node(&self, worker: usize) -> Option<usize> {
        self.places.get(worker).map(|place| place.node)
    }

    /// The processors at whose cache a worker runs, if it is bound.
    pub fn processors(&self, worker: usize) -> Option<&[usize]> {
        let Place { node, cache } = *self.places.get(worker)?;
        Some(&self.topology().nodes[node].caches[cache])
    }

    /// For each of `workers` the first of its group: workers at one cache, at most `most` of them,
    /// in groups of equal size.
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

/// The place of each of `workers`, or `None` if they are not bound.
///
/// Each worker in turn goes where the fewest are for the processors there, so the nodes fill
/// evenly, and those who come first keep their place when others join.
fn place(policy: NumaPolicy, topology: &Topology, workers: usize) -> Option<Vec<Place>> {
    let nodes = &topology.nodes;
    let sizes: Vec<usize> = nodes.iter().map(|node| node.processors.len()).collect();
    let caches = nodes.iter().map(|node| node.caches.iter().map(Vec::len).collect());
    let caches: Vec<Vec<usize>> = caches.collect();
    let is_bound = match policy {
        NumaPolicy::None => false,
        NumaPolicy::Bind | NumaPolicy::Hardware => !nodes.is_empty(),
        NumaPolicy::Auto => {
            needs_several(&sizes, workers) || needs_several(&caches.concat(), workers)
        }
    };
    if !is_bound {
        return None;
    }
    let nodes = spread(&sizes, workers);
    // Those on one node fill its caches in turn.
    let mut at_caches: Vec<_> = caches
        .iter()
        .enumerate()
        .map(|(node, sizes)| {
            spread(sizes, nodes.iter().filter(|&&other| other == node).count()).into_iter()
        })
        .collect();
    let place = |node: usize| Some(Place { node, cache: at_caches[node].next()? });
    nodes.into_iter().map(place).collect()
}

/// N workers need more than one of the parts with these numbers of processors.
fn needs_several(sizes: &[usize], workers: usize) -> bool {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    sizes.len() > 1 && (workers > largest / 2 || workers >= sizes.len() * WORKERS_PER_PART)
}

/// The place of each worker on nodes of these sizes, none of which is zero.
fn spread(sizes: &[usize], workers: usize) -> Vec<usize> {
    let mut taken = vec![0; sizes.len()];
    let next = |_| {
        // Compares (taken + 1) / size without a division; of equals, the first.
        let fuller = |&a: &usize, &b: &usize| {
            ((taken[a] + 1) * sizes[b]).cmp(&((taken[b] + 1) * sizes[a])).then(a.cmp(&b))
        };
        let node = (0..sizes.len()).min_by(fuller).expect("there is a node");
        taken[node] += 1;
        node
    };
    (0..workers).map(next).collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

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

    /// Nodes of these sizes, each of one cache.
    fn machine(sizes: &[usize]) -> Topology {
        let caches: Vec<_> = sizes.iter().map(std::slice::from_ref).collect();
        with_caches(&caches)
    }

    /// Nodes with caches of these sizes.
    fn with_caches(nodes: &[&[usize]]) -> Topology {
        let mut first = 0;
        let mut cache = |&size: &usize| -> Vec<usize> {
            first += size;
            (first - size..first).collect()
        };
        let node = |(number, sizes): (usize, &&[usize])| {
            let caches: Vec<_> = sizes.iter().map(&mut cache).collect();
            MemoryNode { number, processors: caches.concat(), caches }
        };
        Topology { nodes: nodes.iter().enumerate().map(node).collect(), ..Topology::default() }
    }

    /// The nodes of the places.
    fn place(policy: NumaPolicy, topology: &Topology, workers: usize) -> Option<Vec<usize>> {
        let places = super::place(policy, topology, workers)?;
        Some(places.into_iter().map(|place| place.node).collect())
    }

    #[test]
    fn workers_on_a_node_alternate_between_its_caches() {
        let two = with_caches(&[&[8, 8], &[8, 8]]);
        let places = super::place(NumaPolicy::Bind, &two, 6).unwrap();
        let found: Vec<_> = places.iter().map(|place| (place.node, place.cache)).collect();
        assert_eq!(found, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 0)]);
    }

    #[test]
    fn several_caches_of_one_node_are_used_by_many_workers() {
        let node = with_caches(&[&[16, 16]]);
        let auto = |workers| super::place(NumaPolicy::Auto, &node, workers);
        assert_eq!(auto(7), None);
        assert_eq!(auto(8).unwrap().iter().filter(|place| place.cache == 1).count(), 4);
    }

    #[test]
    fn few_workers_and_small_machines_are_left_to_the_system() {
        let two = machine(&[16, 16]);
        let auto = |topology: &Topology, workers| place(NumaPolicy::Auto, topology, workers);
        assert_eq!(auto(&two, 1), None);
        assert_eq!(auto(&two, 7), None);
        assert!(auto(&two, 8).is_some(), "four to a node");
        assert!(auto(&machine(&[4, 4]), 3).is_some(), "more than half of a node");
        assert_eq!(auto(&machine(&[64]), 64), None);
        assert_eq!(auto(&machine(&[]), 64), None);
        assert_eq!(place(NumaPolicy::None, &two, 32), None);
        assert_eq!(place(NumaPolicy::Bind, &machine(&[4]), 2), Some(vec![0, 0]));
    }

    #[test]
    fn workers_alternate_between_equal_nodes() {
        let bound = place(NumaPolicy::Bind, &machine(&[8, 8]), 5);
        assert_eq!(bound, Some(vec![0, 1, 0, 1, 0]));
        let bound = place(NumaPolicy::Bind, &machine(&[6, 2]), 8);
        assert_eq!(bound.unwrap().iter().filter(|&&node| node == 1).count(), 2);
    }

    proptest! {
        #[test]
        fn no_processor_has_two_before_every_one_has_one(
            sizes in prop::collection::vec(1_usize..20, 1..6),
            rounds in 1_usize..4,
        ) {
            let total: usize = sizes.iter().sum();
            let places = spread(&sizes, total * rounds);
            for (node, &size) in sizes.iter().enumerate() {
                prop_assert_eq!(places.iter().filter(|&&p| p == node).count(), size * rounds);
            }
        }

        #[test]
        fn who_came_first_keeps_the_place(
            sizes in prop::collection::vec(1_usize..20, 1..6),
            few in 0_usize..64,
            more in 0_usize..64,
        ) {
            prop_assert_eq!(&spread(&sizes, few + more)[..few], &spread(&sizes, few)[..]);
        }
    }
}
