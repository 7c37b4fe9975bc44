//! Memory for the compared tables, on pages of either size.

use std::fmt;
use std::fs;
use std::sync::atomic::AtomicU64;

use clap::ValueEnum;

use memmap2::MmapMut;
use zerocopy::FromBytes;

/// Slots per cluster.
pub const SLOTS: usize = 4;

/// One cache line of two-word slots.
pub type Cluster = [[AtomicU64; 2]; SLOTS];

/// The page size of memory.
#[derive(Copy, Clone, ValueEnum)]
pub enum Pages {
    /// 2 MiB, where the system has them and is asked for them.
    Large,
    /// 4 KiB.
    Small,
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if matches!(self, Self::Large) { "large" } else { "small" })
    }
}

impl Pages {
    /// Sets the page size for memory first used from now on, whatever it is advised.
    #[cfg(target_os = "linux")]
    pub fn set(self) -> Result<(), String> {
        rustix::thread::disable_transparent_huge_pages(matches!(self, Self::Small))
            .map_err(|error| format!("cannot choose the page size: {error}"))
    }

    /// On other systems the page size cannot be chosen.
    #[cfg(not(target_os = "linux"))]
    pub fn set(self) -> Result<(), String> {
        match self {
            Self::Large => Ok(()),
            Self::Small => Err("cannot choose the page size on this system".to_owned()),
        }
    }
}

/// Zeroed memory on large pages, unless they are disabled.
pub struct Mapping(MmapMut);

impl Mapping {
    pub fn new(bytes: usize) -> Result<Self, String> {
        let map = MmapMut::map_anon(bytes).map_err(|error| error.to_string())?;
        // Only advice: without large pages, small ones will do, and the report says so.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(map))
    }

    pub fn clusters(&mut self) -> &[Cluster] {
        <[Cluster]>::mut_from_bytes(&mut self.0).expect("whole pages are whole clusters")
    }
}

/// A value given in KiB in a file of `/proc`, in bytes.
fn proc(file: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Whether `bytes` can be allocated without swapping; true if the system does not say.
pub fn demand(bytes: usize) -> Result<(), String> {
    match proc("/proc/meminfo", "MemAvailable") {
        Some(available) if available < bytes => {
            Err(format!("it takes {} MiB, and {} are available", bytes >> 20, available >> 20))
        }
        _ => Ok(()),
    }
}

/// The share of `bytes`, which is nearly all the program uses, on large pages.
pub fn page_share(bytes: usize) -> String {
    match proc("/proc/self/smaps_rollup", "AnonHugePages") {
        Some(large) => format!("{} % on large pages", (100 * large / bytes).min(100)),
        None => "pages of unknown size".to_owned(),
    }
}
