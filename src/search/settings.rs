//! How a search is done, apart from its limits.

use crate::smp::lockstep;
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::syzygy::Probing;

/// How a search is done, apart from its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of lines.
    pub multipv: usize,
    /// The iterations that helpers skip.
    pub stagger: Stagger,
    /// Which histories the workers share. Shared and own ones last from search to search.
    pub sharing: Sharing,
    /// How the endgame tables are probed.
    pub probing: Probing,
    /// The workers take turns, so that the search can be repeated: the same nodes, lines and move
    /// unless the clock or a stop from outside ends it.
    pub lockstep: bool,
    /// Nodes per turn in lockstep.
    pub quantum: u64,
    /// Accesses to the transposition table are counted, which takes an eighth of its memory and some
    /// time. Without that memory they are not counted.
    pub census: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            stagger: Stagger::default(),
            sharing: Sharing::default(),
            probing: Probing::default(),
            lockstep: false,
            quantum: lockstep::DEFAULT_QUANTUM,
            census: false,
        }
    }
}
