//! The calls of Windows about processors; [`groups`] says what they mean.
#![expect(unsafe_code, reason = "the system's calls take pointers")]

use std::ptr;

use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP,
    RelationNumaNode, RelationNumaNodeEx, RelationProcessorCore, RelationProcessorPackage,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, GetThreadGroupAffinity, SetThreadGroupAffinity,
};

use super::Topology;
use super::groups::{self, Mask};

pub fn allowed() -> Vec<usize> {
    let mut own = GROUP_AFFINITY::default();
    // SAFETY: the thread is this one, and the affinity outlives the call.
    let is_told = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut own) } != 0;
    let own = is_told.then_some(Mask { group: own.Group, bits: own.Mask as u64 });
    groups::allowed(&records(), own)
}

pub fn topology(allowed: &[usize]) -> Topology {
    groups::topology(&records(), allowed)
}

pub fn machine() -> Vec<usize> {
    groups::machine(&records())
}

pub fn bind(processors: &[usize]) {
    let Some(Mask { group, bits }) = Mask::of_most(processors) else { return };
    let affinity = GROUP_AFFINITY { Mask: bits as usize, Group: group, Reserved: [0; 3] };
    // SAFETY: the thread is this one, and the affinity outlives the call.
    unsafe { SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut()) };
}

/// What the system tells of cores, packages and nodes, as far as it does.
fn records() -> Vec<u8> {
    let mut all = Vec::new();
    for kind in [RelationProcessorCore, RelationProcessorPackage] {
        all.extend(records_of(kind).unwrap_or_default());
    }
    // Systems since 2021 tell all groups of a node only if they are asked so; others do not know the question.
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
    let told = || buffer.iter().flat_map(|word| word.to_le_bytes()).take(bytes as usize).collect();
    is_told.then(told)
}
