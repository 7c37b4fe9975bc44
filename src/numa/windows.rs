//! The processors of a Windows machine, as the system describes them.
//!
//! Windows numbers processors within groups of at most 64, and a thread runs in one group at a
//! time. Here a processor's number is 64 times its group's, plus its own in the group, and a memory
//! node that extends over several groups counts as one node in each of them.
//!
//! Source: Microsoft's documentation of processor groups and of `GetLogicalProcessorInformationEx`.

use std::collections::BTreeMap;

use super::{MemoryNode, Topology};

#[cfg(all(windows, target_pointer_width = "64"))]
pub use calls::{allowed, bind, machine, topology};

/// The most processors of a group.
const GROUP: usize = 64;

/// The kinds of records that are read, as the system numbers them.
const CORE: u32 = 0;
const NODE: u32 = 1;
const PACKAGE: u32 = 3;

/// Offsets in a record, in bytes. It begins with its kind and its size.
const SIZE: usize = 4;
/// The number of a node.
const NUMBER: usize = 8;
/// How many masks there are, and the first of them: 64 bits for the processors of a group, and its
/// number.
const MASK_COUNT: usize = 30;
const MASKS: usize = 32;
const MASK_SIZE: usize = 16;
const MASK_GROUP: usize = 8;

/// A set of processors of one group.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// The group.
    pub group: u16,
    /// Its processors, a bit each.
    pub bits: u64,
}

impl Mask {
    /// The processors of the group in which most of `processors` are; `None` if there are none.
    pub fn of_most(processors: &[usize]) -> Option<Self> {
        let mut groups = BTreeMap::<u16, u64>::new();
        for &processor in processors {
            let Ok(group) = u16::try_from(processor / GROUP) else { continue };
            *groups.entry(group).or_default() |= 1 << (processor % GROUP);
        }
        let masks = groups.into_iter().rev().map(|(group, bits)| Self { group, bits });
        masks.max_by_key(|mask| mask.bits.count_ones())
    }

    fn processors(self) -> impl Iterator<Item = usize> {
        let of_group = move |bit: &usize| self.bits >> bit & 1 == 1;
        (0..GROUP).filter(of_group).map(move |bit| usize::from(self.group) * GROUP + bit)
    }
}

/// The processors on which a thread may run that has been given those of `own`: all of the machine,
/// unless somebody has restricted it to a part of its group. Every thread begins in one group, and
/// may go to another.
fn allowed_of(records: &[u8], own: Option<Mask>) -> Vec<usize> {
    let all = machine_of(records);
    let Some(own) = own else { return all };
    let of_group = all.iter().filter(|&&found| found / GROUP == usize::from(own.group));
    let granted: Vec<_> = own.processors().collect();
    if granted.is_empty() || of_group.eq(&granted) { all } else { granted }
}

/// All processors of the machine.
fn machine_of(records: &[u8]) -> Vec<usize> {
    let mut all: Vec<_> = of_kind(records, CORE).flat_map(processors).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The machine of these records, restricted to the processors `allowed`.
fn topology_of(records: &[u8], allowed: &[usize]) -> Topology {
    let is_used = |record: &[u8]| processors(record).any(|found| allowed.contains(&found));
    let count = |kind| of_kind(records, kind).filter(|record| is_used(record)).count();
    let mut nodes = BTreeMap::<_, Vec<usize>>::new();
    for record in of_kind(records, NODE) {
        let number = u32_at(record, NUMBER).unwrap_or(0) as usize;
        for processor in processors(record).filter(|found| allowed.contains(found)) {
            nodes.entry((number, processor / GROUP)).or_default().push(processor);
        }
    }
    if nodes.values().map(Vec::len).sum::<usize>() != allowed.len() {
        // Some belong to no node, or to two, so which is near which is not known.
        nodes.clear();
        for &processor in allowed {
            nodes.entry((0, processor / GROUP)).or_default().push(processor);
        }
    }
    let node = |((number, _), processors)| MemoryNode::new(number, processors);
    Topology {
        nodes: nodes.into_iter().map(node).collect(),
        processors: allowed.len(),
        cores: count(CORE),
        sockets: count(PACKAGE),
    }
}

/// The records of one kind. What follows a record whose size is impossible is left out.
fn of_kind(mut records: &[u8], kind: u32) -> impl Iterator<Item = &[u8]> {
    let next = move || {
        let size = u32_at(records, SIZE)? as usize;
        let (record, rest) = records.split_at_checked(size).filter(|_| size > SIZE)?;
        records = rest;
        Some(record)
    };
    std::iter::from_fn(next).filter(move |record| u32_at(record, 0) == Some(kind))
}

/// The processors of a core, a node or a package.
fn processors(record: &[u8]) -> impl Iterator<Item = usize> {
    // Older systems leave the count of a node at 0, and there is one.
    let count = u16_at(record, MASK_COUNT).map_or(0, |count| usize::from(count).max(1));
    let masks = record.get(MASKS..).unwrap_or_default().chunks_exact(MASK_SIZE).take(count);
    let mask = |bytes: &[u8]| {
        let bits = u64::from_le_bytes(*bytes.first_chunk()?);
        Some(Mask { group: u16_at(bytes, MASK_GROUP)?, bits })
    };
    masks.filter_map(mask).flat_map(Mask::processors)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The calls of the system.
#[cfg(all(windows, target_pointer_width = "64"))]
#[expect(unsafe_code, reason = "the system's calls take pointers")]
mod calls {
    use std::ptr;

    use windows_sys::Win32::System::SystemInformation::{
        GROUP_AFFINITY, GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP,
        RelationNumaNode, RelationNumaNodeEx, RelationProcessorCore, RelationProcessorPackage,
    };
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, GetThreadGroupAffinity, SetThreadGroupAffinity,
    };

    use super::{Mask, Topology};

    /// The processors on which this thread may run, by number; none if the system does not say.
    pub fn allowed() -> Vec<usize> {
        let mut own = GROUP_AFFINITY::default();
        // SAFETY: the thread is this one, and the affinity outlives the call.
        let is_told = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut own) } != 0;
        let own = is_told.then_some(Mask { group: own.Group, bits: own.Mask as u64 });
        super::allowed_of(&records(), own)
    }

    pub fn topology(allowed: &[usize]) -> Topology {
        super::topology_of(&records(), allowed)
    }

    pub fn machine() -> Vec<usize> {
        super::machine_of(&records())
    }

    /// Binds this thread to those of `processors` that are in the group of most of them.
    pub fn bind(processors: &[usize]) {
        let Some(Mask { group, bits }) = Mask::of_most(processors) else { return };
        let affinity = GROUP_AFFINITY { Mask: bits as usize, Group: group, Reserved: [0; 3] };
        // SAFETY: the thread is this one, and the affinity outlives the call.
        unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut()) };
    }

    /// The records of cores, packages and nodes, as far as the system tells.
    fn records() -> Vec<u8> {
        let mut all = Vec::new();
        for kind in [RelationProcessorCore, RelationProcessorPackage] {
            all.extend(records_of(kind).unwrap_or_default());
        }
        // Systems since 2021 tell all groups of a node only if they are asked so; others do not
        // know the question.
        let nodes = records_of(RelationNumaNodeEx).or_else(|| records_of(RelationNumaNode));
        all.extend(nodes.unwrap_or_default());
        all
    }

    fn records_of(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Option<Vec<u8>> {
        let mut bytes = 0;
        // SAFETY: without a buffer the call only tells its size.
        unsafe { GetLogicalProcessorInformationEx(kind, ptr::null_mut(), &raw mut bytes) };
        // Words, so that the records are aligned as the system expects.
        let mut buffer = vec![0_u64; (bytes as usize).div_ceil(size_of::<u64>())];
        // SAFETY: the buffer holds `bytes` bytes, and the call writes no more.
        let is_told = unsafe {
            GetLogicalProcessorInformationEx(kind, buffer.as_mut_ptr().cast(), &raw mut bytes) != 0
        };
        let told =
            || buffer.iter().flat_map(|word| word.to_le_bytes()).take(bytes as usize).collect();
        is_told.then(told)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MASK: Mask = Mask { group: 0, bits: 0 };

    /// A record as the system writes it, with one mask more than it counts.
    fn record(kind: u32, number: u32, count: u16, masks: &[Mask]) -> Vec<u8> {
        let size = MASKS + (masks.len() + 1) * MASK_SIZE;
        let mut bytes = vec![0xFF; size];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&(size as u32).to_le_bytes());
        bytes[8..12].copy_from_slice(&number.to_le_bytes());
        bytes[30..32].copy_from_slice(&count.to_le_bytes());
        for (mask, bytes) in masks.iter().zip(bytes[32..].chunks_exact_mut(16)) {
            bytes[..8].copy_from_slice(&mask.bits.to_le_bytes());
            bytes[8..10].copy_from_slice(&mask.group.to_le_bytes());
        }
        bytes
    }

    /// A socket of 2 groups of 4 cores, each of two processors, whose memory is one node.
    fn large() -> Vec<u8> {
        let whole = [0, 1].map(|group| Mask { group, bits: 0xFF });
        let core = |core: u16| Mask { group: core / 4, bits: 3 << (core % 4 * 2) };
        let mut records: Vec<u8> = (0..8).flat_map(|n| record(CORE, 1, 1, &[core(n)])).collect();
        records.extend(record(PACKAGE, 0, 2, &whole));
        records.extend(record(4, 9, 1, &[Mask { bits: u64::MAX, ..MASK }]));
        records.extend(record(NODE, 0, 2, &whole));
        records
    }

    #[test]
    fn a_machine_of_several_groups_is_used_whole() {
        let records = large();
        let all: Vec<usize> = (0..8).chain(64..72).collect();
        let own = Mask { group: 1, bits: 0xFF };
        assert_eq!(machine_of(&records), all);
        assert_eq!(allowed_of(&records, Some(own)), all);
        assert_eq!(allowed_of(&records, None), all, "the system does not say");
        let topology = topology_of(&records, &all);
        assert_eq!(topology.to_string(), "16 processors on 8 cores, 1 socket, 2 memory nodes");
        let nodes = [0..8, 64..72].map(|range| MemoryNode::new(0, range.collect()));
        assert_eq!(topology.nodes, nodes, "a thread runs in one group");
    }

    #[test]
    fn a_restricted_process_keeps_to_its_processors() {
        let records = large();
        let own = Mask { group: 1, bits: 0b1_0001 };
        let found = allowed_of(&records, Some(own));
        assert_eq!(found, [64, 68]);
        let topology = topology_of(&records, &found);
        assert_eq!(topology.to_string(), "2 processors on 2 cores, 1 socket, 1 memory node");
    }

    #[test]
    fn nodes_of_older_systems_have_one_mask_that_is_not_counted() {
        let nodes = [0x0F, 0xF0].map(|bits| Mask { bits, ..MASK });
        let mut records = record(CORE, 0, 1, &[Mask { bits: 0xFF, ..MASK }]);
        for (number, mask) in (3..).zip(nodes) {
            records.extend(record(NODE, number, 0, &[mask]));
        }
        let topology = topology_of(&records, &machine_of(&records));
        let found: Vec<_> = topology.nodes.iter().map(|node| node.number).collect();
        assert_eq!(found, [3, 4]);
        assert_eq!(topology.nodes[1].processors, [4, 5, 6, 7]);
    }

    #[test]
    fn damaged_records_are_left_out() {
        let mut records = large();
        let whole = machine_of(&records).len();
        records.truncate(records.len() - 1);
        assert_eq!(machine_of(&records).len(), whole);
        let one = topology_of(&records, &machine_of(&records));
        assert_eq!(one.nodes.len(), 2, "without nodes, one to a group");
        records[4..8].copy_from_slice(&0_u32.to_le_bytes());
        assert!(machine_of(&records).is_empty());
        for bytes in [&[][..], &[0; 7], &[0; 64], &[0xFF; 64]] {
            assert!(machine_of(bytes).is_empty());
        }
        assert!(machine_of(&[0, 0, 0, 0, 9, 0, 0, 0, 0]).is_empty(), "too short for a mask");
    }

    #[test]
    fn a_thread_goes_where_most_of_its_processors_are() {
        assert_eq!(Mask::of_most(&[3, 64, 66, 5, 130, 65]), Some(Mask { group: 1, bits: 0b111 }));
        assert_eq!(
            Mask::of_most(&[127, 0]),
            Some(Mask { group: 0, bits: 1 }),
            "the first of equals"
        );
        assert_eq!(Mask::of_most(&[]), None);
        assert_eq!(Mask::of_most(&[usize::MAX]), None);
    }
}
