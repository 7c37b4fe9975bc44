//! The processors of the machine, the memory that they are near to, and the caches that they share.
//!
//! Source: the kernel's documentation of `/sys/devices/system/node` and `/sys/devices/system/cpu`.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::Path;

/// A part of the memory and the processors near it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryNode {
    /// The number that the system gives it.
    pub number: usize,
    /// The processors that the process may use, at least one.
    pub processors: Vec<usize>,
    /// The same by the last-level cache that they share; small caches are joined.
    pub caches: Vec<Vec<usize>>,
}

impl MemoryNode {
    /// One whose processors share one cache, as far as is known.
    pub fn new(number: usize, processors: Vec<usize>) -> Self {
        Self { number, caches: vec![processors.clone()], processors }
    }
}

/// Processors up to which neighbouring caches of a node are joined: eight threads gain from
/// learning together (`docs/notes/scaling.md`).
const JOINED: usize = 8;

/// The machine, as far as this process may use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Nodes with processors, at least one where the system says which processors there are.
    pub nodes: Vec<MemoryNode>,
    /// Processors.
    pub processors: usize,
    /// Cores: processors that share one are siblings (SMT).
    pub cores: usize,
    /// Sockets; 0 if the system does not say.
    pub sockets: usize,
}

impl Topology {
    /// This machine, as far as this process may use it. Where the system does not say on which
    /// processors that is, they are counted, and of nodes and sockets nothing is known.
    pub fn here() -> Self {
        Self::of(&super::allowed())
    }

    /// This machine, whether the process may use it or not.
    pub fn hardware() -> Self {
        Self::of(&super::machine())
    }

    fn of(processors: &[usize]) -> Self {
        if processors.is_empty() {
            let (processors, cores) = (num_cpus::get(), num_cpus::get_physical());
            return Self { processors, cores, ..Self::default() };
        }
        super::topology(processors)
    }

    /// The processors of all nodes.
    pub fn all_processors(&self) -> Vec<usize> {
        self.nodes.iter().flat_map(|node| node.processors.iter().copied()).collect()
    }

    /// The processors of the machine that the files below `root` describe; none if they do not say.
    pub fn online(root: &Path) -> Vec<usize> {
        let text = fs::read_to_string(root.join("sys/devices/system/cpu/online"));
        text.ok().and_then(|text| numbers(&text)).unwrap_or_default()
    }

    /// The machine as the files below `root` describe it, which is `/` except in tests, restricted
    /// to the processors `allowed`. What cannot be read is taken to be one node, one socket, and a
    /// core for each processor.
    pub fn read(root: &Path, allowed: &[usize]) -> Self {
        let system = root.join("sys/devices/system");
        let read = |path: &str| numbers(&fs::read_to_string(system.join(path)).ok()?);
        let nodes = read("node/online").unwrap_or_default().into_iter().filter_map(|number| {
            let mut processors = read(&format!("node/node{number}/cpulist"))?;
            processors.retain(|processor| allowed.contains(processor));
            (!processors.is_empty()).then_some((number, processors))
        });
        let mut nodes: Vec<_> = nodes.collect();
        let listed: usize = nodes.iter().map(|(_, processors)| processors.len()).sum();
        if listed != allowed.len() {
            // Some belong to no node, or to two, so which is near which is not known.
            nodes = vec![(0, allowed.to_vec())];
        }
        let cache = |cpu: usize| read(&format!("cpu/cpu{cpu}/cache/index3/shared_cpu_list"));
        let nodes = nodes.into_iter().map(|(number, processors)| {
            let caches = by_cache(&processors, cache);
            MemoryNode { number, processors, caches }
        });
        let place =
            |processor: usize, file: &str| read(&format!("cpu/cpu{processor}/topology/{file}"));
        let cores = allowed
            .iter()
            .map(|&cpu| place(cpu, "thread_siblings_list").unwrap_or_else(|| vec![cpu]));
        let sockets = allowed.iter().map(|&cpu| place(cpu, "physical_package_id"));
        Self {
            nodes: nodes.collect(),
            processors: allowed.len(),
            cores: cores.collect::<HashSet<_>>().len(),
            sockets: sockets.collect::<HashSet<_>>().len(),
        }
    }
}

/// The `processors` of a node by the cache that each shares with others, as `cache` lists them; all
/// together if it does not say.
fn by_cache(processors: &[usize], cache: impl Fn(usize) -> Option<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut caches: Vec<Vec<usize>> = Vec::new();
    for &processor in processors {
        let Some(sharers) = cache(processor) else { return vec![processors.to_vec()] };
        match caches.iter_mut().find(|cache| sharers.contains(&cache[0])) {
            Some(cache) => cache.push(processor),
            None => caches.push(vec![processor]),
        }
    }
    caches.into_iter().fold(Vec::new(), |mut joined: Vec<Vec<usize>>, cache| {
        match joined.last_mut().filter(|last| last.len() + cache.len() <= JOINED) {
            Some(last) => last.extend(cache),
            None => joined.push(cache),
        }
        joined
    })
}

/// The numbers of a list as the kernel writes it, `0-3,8,10-11`, in its order; `None` if it is
/// none. Ranges that no machine has, of more than [`LONGEST`] numbers, are none either.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= LONGEST {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// The longest range that is believed.
const LONGEST: usize = 1 << 16;

impl fmt::Display for Topology {
    /// In a few words: `32 processors on 16 cores, 2 sockets, 2 memory nodes`, as far as it is
    /// known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |number: usize, one: &str| match number {
            1 => format!("1 {one}"),
            _ => format!("{number} {one}s"),
        };
        let (processors, cores) = (count(self.processors, "processor"), count(self.cores, "core"));
        write!(f, "{processors} on {cores}")?;
        if self.nodes.is_empty() {
            return Ok(());
        }
        let (sockets, nodes) =
            (count(self.sockets, "socket"), count(self.nodes.len(), "memory node"));
        write!(f, ", {sockets}, {nodes}")
    }
}

#[cfg(all(test, not(any(loom, miri))))]
mod tests {
    use super::*;

    /// A machine made of files, in a folder that goes with it.
    struct Machine(std::path::PathBuf);

    impl Machine {
        fn new(name: &str) -> Self {
            let folder = format!("heddle-topology-{name}-{}", std::process::id());
            Self(std::env::temp_dir().join(folder))
        }

        #[expect(clippy::unwrap_used, reason = "a test that panics has failed")]
        fn file(self, path: &str, text: &str) -> Self {
            let path = self.0.join("sys/devices/system").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            self
        }

        /// A processor of a socket, with its core's processors.
        fn processor(self, number: usize, socket: usize, siblings: &str) -> Self {
            let folder = format!("cpu/cpu{number}/topology");
            self.file(&format!("{folder}/physical_package_id"), &format!("{socket}\n"))
                .file(&format!("{folder}/thread_siblings_list"), siblings)
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Two sockets, a node each, of two cores with two processors.
    fn two_sockets(name: &str) -> Machine {
        let machine = Machine::new(name)
            .file("node/online", "0-1\n")
            .file("node/node0/cpulist", "0-1,4-5\n")
            .file("node/node1/cpulist", "2-3,6-7\n");
        (0..8).fold(machine, |machine, number| {
            let core = number % 4;
            machine.processor(number, core / 2, &format!("{core},{}\n", core + 4))
        })
    }

    fn node(number: usize, processors: &[usize]) -> MemoryNode {
        MemoryNode::new(number, processors.to_vec())
    }

    #[test]
    fn a_machine_of_two_sockets_is_read() {
        let machine = two_sockets("two");
        let all: Vec<usize> = (0..8).collect();
        let topology = Topology::read(&machine.0, &all);
        assert_eq!(topology.nodes, [node(0, &[0, 1, 4, 5]), node(1, &[2, 3, 6, 7])]);
        assert_eq!(topology.to_string(), "8 processors on 4 cores, 2 sockets, 2 memory nodes");
    }

    /// A node of processors that share a cache of level 3 with those of these lists.
    fn cached(name: &str, caches: &[&str]) -> Machine {
        let machine = Machine::new(name);
        let numbered = caches.iter().flat_map(|list| {
            numbers(list).unwrap_or_default().into_iter().map(move |number| (number, list))
        });
        numbered.fold(machine, |machine, (number, list)| {
            machine.file(&format!("cpu/cpu{number}/cache/index3/shared_cpu_list"), list)
        })
    }

    #[test]
    fn processors_are_listed_by_the_cache_that_they_share() {
        let caches = |machine: &Machine, allowed: &[usize]| -> Vec<Vec<usize>> {
            Topology::read(&machine.0, allowed).nodes[0].caches.clone()
        };
        let lists = |lists: &[&str]| -> Vec<Vec<usize>> {
            lists.iter().map(|list| numbers(list).unwrap_or_default()).collect()
        };
        let all: Vec<usize> = (0..32).collect();
        let large = cached("large", &["0-7,16-23", "8-15,24-31"]);
        assert_eq!(caches(&large, &all), lists(&["0-7,16-23", "8-15,24-31"]));
        assert_eq!(caches(&large, &[3, 9, 17]), lists(&["3,17,9"]), "small together");
        let small = cached("small", &["0-3", "4-7", "8-11", "12-15", "16-21"]);
        assert_eq!(caches(&small, &all[..22]), lists(&["0-7", "8-15", "16-21"]));
        assert_eq!(caches(&small, &all[..23]), lists(&["0-22"]), "one does not say");
    }

    #[test]
    fn processors_that_may_not_be_used_do_not_count() {
        let machine = two_sockets("affinity");
        let topology = Topology::read(&machine.0, &[1, 3, 5]);
        assert_eq!(topology.nodes, [node(0, &[1, 5]), node(1, &[3])]);
        assert_eq!(topology.to_string(), "3 processors on 2 cores, 2 sockets, 2 memory nodes");
        assert_eq!(Topology::read(&machine.0, &[2]).nodes, [node(1, &[2])]);
    }

    #[test]
    fn nodes_of_memory_alone_do_not_count() {
        let machine =
            two_sockets("memory").file("node/online", "0-2").file("node/node2/cpulist", "\n");
        assert_eq!(Topology::read(&machine.0, &[0, 2]).nodes.len(), 2);
    }

    #[test]
    fn a_machine_tells_what_it_has_whatever_is_allowed() {
        let machine = two_sockets("online").file("cpu/online", "0-2,6\n");
        assert_eq!(Topology::online(&machine.0), [0, 1, 2, 6]);
    }

    #[test]
    fn a_machine_that_says_nothing_is_one_node() {
        let nothing = Machine::new("nothing");
        assert!(Topology::online(&nothing.0).is_empty());
        let topology = Topology::read(&nothing.0, &[0, 1, 2]);
        assert_eq!(topology.nodes, [node(0, &[0, 1, 2])]);
        assert_eq!(topology.to_string(), "3 processors on 3 cores, 1 socket, 1 memory node");
        assert_eq!(Topology::read(&nothing.0, &[]), Topology::default());
        let counted = Topology { processors: 8, cores: 4, ..Topology::default() };
        assert_eq!(counted.to_string(), "8 processors on 4 cores");
    }

    #[test]
    fn a_machine_that_contradicts_itself_is_one_node() {
        let broken = two_sockets("broken").file("node/node1/cpulist", "lots");
        assert_eq!(Topology::read(&broken.0, &[0, 2]).nodes, [node(0, &[0, 2])]);
        let twice = two_sockets("twice").file("node/node1/cpulist", "0-3,6-7");
        assert_eq!(Topology::read(&twice.0, &[0, 2]).nodes, [node(0, &[0, 2])]);
    }

    #[test]
    fn lists_of_numbers_and_ranges_are_read() {
        assert_eq!(numbers("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(numbers("5"), Some(vec![5]));
        assert_eq!(numbers("\n"), Some(vec![]));
    }

    #[test]
    fn anything_else_is_no_list() {
        for text in ["a", "1-", "-1", "3-1", "1,,2", "0-99999999999", "0-18446744073709551615"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
