//! Which worker runs on which node, and at which of its caches.

use super::{NumaPolicy, Topology};

/// With fewer workers to a node or cache than this, and room for all on half of one, `auto` leaves them to
/// the system.
const WORKERS_PER_PART: usize = 4;

/// Where a worker runs, as indices of the topology.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The node.
    pub node: usize,
    /// The cache among those of the node.
    pub cache: usize,
}

/// The place of each of `workers`, or `None` if they are not bound.
///
/// Each worker in turn goes where the fewest are for the processors there, so the nodes fill evenly, and
/// those who come first keep their place when others join.
#[must_use]
pub fn place(policy: NumaPolicy, topology: &Topology, workers: usize) -> Option<Vec<Place>> {
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

/// So many workers need more than one of the parts with these numbers of processors.
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
