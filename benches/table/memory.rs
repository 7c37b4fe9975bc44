//! Memory for the tables that are compared, on pages of either size.

use std::fmt;
use std::fs;
use std::sync::atomic::AtomicU64;

use clap::ValueEnum;

use memmap2::MmapMut;
use zerocopy::FromBytes;

/// Slots of a cluster.
pub const SLOTS: usize = 4;

/// A cache line of slots of two words.
pub type Cluster = [[AtomicU64; 2]; SLOTS];

/// The size of the pages that memory comes in.
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
    /// Lets memory that is first used from now on have pages of this size, whatever it is advised.
    #[cfg(target_os = "linux")]
    pub fn set(self) -> Result<(), String> {
        nix::sys::prctl::set_thp_disable(matches!(self, Self::Small))
            .map_err(|error| format!("the size of pages cannot be chosen: {error}"))
    }

    /// Elsewhere they are what the system makes them.
    #[cfg(not(target_os = "linux"))]
    pub fn set(self) -> Result<(), String> {
        match self {
            Self::Large => Ok(()),
            Self::Small => Err("the size of pages cannot be chosen".to_owned()),
        }
    }
}

/// Zeroed memory on large pages, unless they are switched off.
pub struct Mapping(MmapMut);

impl Mapping {
    pub fn new(bytes: usize) -> Result<Self, String> {
        let map = MmapMut::map_anon(bytes).map_err(|error| error.to_string())?;
        // Advice: where there are no large pages, small ones will do, and the report says so.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(map))
    }

    pub fn clusters(&mut self) -> &[Cluster] {
        <[Cluster]>::mut_from_bytes(&mut self.0).expect("whole pages are whole clusters")
    }
}

/// A number of KiB in a file of `/proc`, in bytes.
fn proc(file: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Whether so many bytes can be had without swapping; where the system does not say, they can.
pub fn demand(bytes: usize) -> Result<(), String> {
    match proc("/proc/meminfo", "MemAvailable") {
        Some(available) if available < bytes => {
            Err(format!("it takes {} MiB, and {} are available", bytes >> 20, available >> 20))
        }
        _ => Ok(()),
    }
}

/// What share of `bytes`, which is about all that the program uses, lies on large pages.
pub fn page_share(bytes: usize) -> String {
    match proc("/proc/self/smaps_rollup", "AnonHugePages") {
        Some(large) => format!("{} % on large pages", (100 * large / bytes).min(100)),
        None => "pages of unknown size".to_owned(),
    }
}
