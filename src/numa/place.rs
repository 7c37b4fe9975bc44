//! Which worker runs on which node.

use super::{NumaPolicy, Topology};

/// With fewer workers to a node than this, and room for all on half of one, `auto` leaves them to the
/// system.
const WORKERS_PER_NODE: usize = 4;

/// The node of each of `workers`, as indices of the topology's nodes, or `None` if they are not bound.
///
/// Each worker in turn goes where the fewest are for the processors there, so the nodes fill evenly, and
/// those who come first keep their place when others join.
#[must_use]
pub fn place(policy: NumaPolicy, topology: &Topology, workers: usize) -> Option<Vec<usize>> {
    let sizes: Vec<usize> = topology.nodes.iter().map(|node| node.processors.len()).collect();
    let largest = sizes.iter().copied().max()?;
    let is_bound = match policy {
        NumaPolicy::None => false,
        NumaPolicy::Bind | NumaPolicy::Hardware => true,
        NumaPolicy::Auto => {
            sizes.len() > 1 && (workers > largest / 2 || workers >= sizes.len() * WORKERS_PER_NODE)
        }
    };
    is_bound.then(|| spread(&sizes, workers))
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

    /// Nodes of these sizes.
    fn machine(sizes: &[usize]) -> Topology {
        let mut first = 0;
        let node = |(number, &size): (usize, &usize)| {
            first += size;
            MemoryNode { number, processors: (first - size..first).collect() }
        };
        Topology { nodes: sizes.iter().enumerate().map(node).collect(), ..Topology::default() }
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
