//! The memory that Linux control groups allow a process, for both versions and at every level.
//!
//! A group's limit applies to all groups below it, so the effective limit is the smallest one on
//! the path from the process's own group up to the mount. In a container the mount may show only a
//! part of the hierarchy; limits above it cannot be seen. Sources: cgroups(7),
//! proc_pid_mountinfo(5), and the kernel's documentation of cgroup-v1/memory and cgroup-v2.

use std::fs;
use std::path::{Component, Path, PathBuf};

use procfs_core::process::{MountInfo, MountInfos};
use procfs_core::{FromRead, ProcessCGroup, ProcessCGroups};

/// The files of a version 1 group that limit memory, in bytes.
const V1_LIMITS: &[&str] = &["memory.limit_in_bytes"];
/// The files of a version 2 group that limit memory, in bytes: a process above the first is killed,
/// above the second it is slowed down.
const V2_LIMITS: &[&str] = &["memory.max", "memory.high"];

/// The memory that this process may use, in bytes, or `None` if no group limits it. All files are
/// looked up below `root`, which is `/` except in tests.
pub fn memory_limit(root: &Path) -> Option<u64> {
    let groups = ProcessCGroups::from_file(root.join("proc/self/cgroup")).ok()?;
    let mounts = MountInfos::from_file(root.join("proc/self/mountinfo")).ok()?;
    let limits = mounts.iter().flat_map(|mount| limits(root, mount, &groups));
    limits.min()
}

/// If the hierarchy of `mount` limits memory, the limits of the process's group and of the groups
/// above it.
fn limits(root: &Path, mount: &MountInfo, groups: &ProcessCGroups) -> Vec<u64> {
    let is_ours = |group: &&ProcessCGroup| match mount.fs_type.as_str() {
        "cgroup2" => group.hierarchy == 0,
        "cgroup" => {
            let limits_memory = |name: &String| name == "memory";
            mount.super_options.keys().any(limits_memory)
                && group.controllers.iter().any(limits_memory)
        }
        _ => false,
    };
    let Some(group) = groups.into_iter().find(is_ours) else { return Vec::new() };
    let files = if group.hierarchy == 0 { V2_LIMITS } else { V1_LIMITS };
    let levels = levels(mount, group);
    let paths = levels.iter().flat_map(|level| files.iter().map(move |file| level.join(file)));
    paths.filter_map(|path| read(root, &path)).collect()
}

/// The directories of `group` and of the groups above it, as far as `mount` shows them. A group
/// outside the mounted part is treated as the topmost group inside it.
fn levels(mount: &MountInfo, group: &ProcessCGroup) -> Vec<PathBuf> {
    let is_plain = |path: &&Path| path.components().all(|c| matches!(c, Component::Normal(_)));
    let below = Path::new(&group.pathname)
        .strip_prefix(&mount.root)
        .ok()
        .filter(is_plain)
        .unwrap_or(Path::new(""));
    below.ancestors().map(|level| mount.mount_point.join(level)).collect()
}

/// The limit in a file, in bytes; `None` for `max` and for a missing file.
fn read(root: &Path, path: &Path) -> Option<u64> {
    let path = root.join(path.strip_prefix("/").ok()?);
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of files, removed when dropped.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let name = format!("heddle-cgroup-{name}-{}", std::process::id());
            let tree = Self(std::env::temp_dir().join(name));
            for (path, text) in files {
                let path = tree.0.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            tree
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const V2: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

    fn limit(name: &str, group: &str, mounts: &str, files: &[(&str, &str)]) -> Option<u64> {
        let proc = [("proc/self/cgroup", group), ("proc/self/mountinfo", mounts)];
        let tree = Tree::new(name, &[&proc, files].concat());
        memory_limit(&tree.0)
    }

    #[test]
    fn the_least_limit_of_version_2_counts_wherever_it_stands() {
        let job = "0::/slurm/job_7/step_0\n";
        let files = [
            ("sys/fs/cgroup/slurm/memory.max", "900000000\n"),
            ("sys/fs/cgroup/slurm/job_7/memory.max", "300000000\n"),
            ("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n"),
            ("sys/fs/cgroup/slurm/job_8/memory.max", "1\n"),
        ];
        assert_eq!(limit("v2", job, V2, &files), Some(300_000_000));
        assert_eq!(limit("v2-other", "0::/slurm\n", V2, &files), Some(900_000_000));
        assert_eq!(limit("v2-none", "0::/user.slice\n", V2, &files), None);
    }

    #[test]
    fn a_limit_that_slows_down_counts_too() {
        let files = [
            ("sys/fs/cgroup/app.service/memory.max", "500000000\n"),
            ("sys/fs/cgroup/app.service/memory.high", "400000000\n"),
        ];
        assert_eq!(limit("high", "0::/app.service\n", V2, &files), Some(400_000_000));
    }

    #[test]
    fn the_least_limit_of_version_1_counts_wherever_it_stands() {
        let group = "4:memory:/batch/job\n1:cpu:/other\n0::/\n";
        let files = [
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "300000000\n"),
            ("sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/cpu/other/memory.limit_in_bytes", "1\n"),
        ];
        assert_eq!(limit("v1", group, V1, &files), Some(300_000_000));
    }

    #[test]
    fn of_two_versions_the_lesser_limit_counts() {
        let unified = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let files = [
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "700000000\n"),
            ("sys/fs/cgroup/unified/job/memory.max", "800000000\n"),
        ];
        let group = "5:cpuset,memory:/job\n0::/job\n";
        assert_eq!(limit("hybrid", group, &format!("{V1}{unified}"), &files), Some(700_000_000));
    }

    #[test]
    fn a_container_sees_its_own_part_of_the_hierarchy() {
        let files = [("sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000\n")];
        let mounts =
            "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n";
        assert_eq!(limit("docker", "4:memory:/docker/abc\n", mounts, &files), Some(300_000_000));
        // The mount's namespace differs from the process's.
        assert_eq!(limit("outside", "4:memory:/\n", mounts, &files), Some(300_000_000));
        assert_eq!(limit("sibling", "4:memory:/../def\n", V1, &files), Some(300_000_000));
        let below = [("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "200000000\n")];
        assert_eq!(limit("below", "4:memory:/docker/abc/job\n", mounts, &below), Some(200_000_000));
    }

    #[test]
    fn what_cannot_be_read_limits_nothing() {
        assert_eq!(memory_limit(Path::new("/there/is/no/such/directory")), None);
        assert_eq!(limit("rubbish", "what is this\n", V2, &[]), None);
        let files = [("sys/fs/cgroup/memory.max", "plenty\n")];
        assert_eq!(limit("words", "0::/\n", V2, &files), None);
    }
}
