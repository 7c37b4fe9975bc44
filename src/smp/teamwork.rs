//! How workers help each other: which iterations each of them searches, and whose histories it
//! uses.
//!
//! Workers that search the same depth at the same time repeat each other's work; what one finds
//! helps the others through the table only if they are at different points. So the helpers skip
//! some iterations. Worker 0 skips none, so there is a result for every depth.

use crate::names::Named;
use crate::score::Depth;

/// How the workers' iterations are staggered.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Stagger {
    /// Every worker searches every depth; only their timing differs.
    None,
    /// Every second helper starts one ply deeper (D. Homan, ExChess, 2013).
    Alternate,
    /// Every helper skips depths in its own rhythm (Stockfish 7 to 9): it searches `size` depths,
    /// skips as many, and so on; helpers of the same size differ in phase.
    #[default]
    Skip,
}

impl Named for Stagger {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::None, "none", "every worker searches every depth"),
        (Self::Alternate, "alternate", "every second helper starts one ply deeper"),
        (Self::Skip, "skip", "every helper skips depths in its own rhythm"),
    ];
}

/// Number of helpers after which the skip pattern repeats: sizes 1 to 4, `2 * size` phases each.
const SKIP_PERIOD: usize = 20;

impl Stagger {
    /// Whether worker `index` (0 is the main one) searches iteration `depth`.
    pub fn searches(self, index: usize, depth: Depth) -> bool {
        let Some(helper) = index.checked_sub(1) else { return true };
        match self {
            Self::None => true,
            Self::Alternate => depth > 1 || helper % 2 == 1,
            Self::Skip => {
                let (size, phase) = rhythm(helper);
                (depth + phase) / size % 2 == 0
            }
        }
    }
}

/// A helper's skip size and phase, in plies: size 1 with phases 0 and 1, size 2 with phases 0 to 3,
/// and so on.
fn rhythm(helper: usize) -> (Depth, Depth) {
    let mut phase = (helper % SKIP_PERIOD) as Depth;
    let mut size = 1;
    while phase >= 2 * size {
        phase -= 2 * size;
        size += 1;
    }
    (size, phase)
}

/// The most workers of a group. More gain little from each other's corrections and wait longer:
/// every cache line that one writes has to travel to the others (`docs/notes/scaling.md`).
pub const GROUP: usize = 16;

/// The most workers that share what they learn about moves. Three quarters of the cache lines that
/// travel are of these histories. Up to eight workers gain more by them than they wait, many do not
/// (`docs/notes/scaling.md`).
pub const FEW: usize = 8;

/// The histories that workers share.
///
/// Source: Stockfish and Reckless share corrections alone, of a memory node or a last-level cache.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Each worker learns alone.
    Private,
    /// Groups of at most 16 workers learn the errors of the evaluation of positions together; if
    /// workers are bound, each group at one last-level cache.
    Corrections,
    /// Such groups learn about moves together, too.
    All,
    /// All for [`FEW`] workers, corrections alone for more.
    #[default]
    Auto,
}

impl Named for Sharing {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Private, "private", "each worker learns alone"),
        (
            Self::Corrections,
            "corrections",
            "groups learn the evaluation's errors by position together",
        ),
        (Self::All, "all", "groups learn about moves together, too"),
        (Self::Auto, "auto", "all for up to 8 workers, corrections alone for more"),
    ];
}

impl Sharing {
    /// Whether this many workers share what they learn about moves, and about the evaluation after
    /// certain moves.
    pub fn moves(self, workers: usize) -> bool {
        match self {
            Self::Private | Self::Corrections => false,
            Self::All => workers > 1,
            Self::Auto => (2..=FEW).contains(&workers),
        }
    }

    /// Whether this many workers share the errors of the evaluation of positions.
    pub fn corrections(self, workers: usize) -> bool {
        self != Self::Private && workers > 1
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const DEPTHS: std::ops::RangeInclusive<Depth> = 1..=64;

    #[test]
    fn few_share_everything_and_many_share_corrections() {
        let shared =
            |sharing: Sharing, workers| (sharing.moves(workers), sharing.corrections(workers));
        for sharing in Sharing::all() {
            assert_eq!(shared(sharing, 1), (false, false), "one alone has nobody to share with");
        }
        for workers in [2, FEW, FEW + 1, GROUP + 1] {
            assert_eq!(shared(Sharing::Private, workers), (false, false));
            assert_eq!(shared(Sharing::Corrections, workers), (false, true));
            assert_eq!(shared(Sharing::All, workers), (true, true));
            assert_eq!(shared(Sharing::Auto, workers), (workers <= FEW, true));
        }
    }

    #[test]
    fn the_main_worker_skips_nothing() {
        for policy in Stagger::all() {
            assert!(DEPTHS.into_iter().all(|depth| policy.searches(0, depth)), "{policy:?}");
        }
    }

    #[test]
    fn without_a_policy_nobody_skips_anything() {
        assert!((0..64).all(|index| DEPTHS.into_iter().all(|d| Stagger::None.searches(index, d))));
    }

    #[test]
    fn every_second_helper_starts_one_ply_deeper() {
        let first = |index| DEPTHS.into_iter().find(|&d| Stagger::Alternate.searches(index, d));
        assert_eq!([0, 1, 2, 3, 4].map(first), [Some(1), Some(2), Some(1), Some(2), Some(1)]);
        assert!((0..64).all(|index| (2..=64).all(|d| Stagger::Alternate.searches(index, d))));
    }

    #[test]
    fn the_rhythms_are_sizes_one_to_four_with_all_their_phases() {
        let rhythms: Vec<_> = (0..SKIP_PERIOD).map(rhythm).collect();
        let expected: Vec<_> =
            (1..=4).flat_map(|size| (0..2 * size).map(move |phase| (size, phase))).collect();
        assert_eq!(rhythms, expected);
        assert_eq!(rhythm(SKIP_PERIOD), rhythm(0));
    }

    #[test]
    fn a_skipping_helper_searches_every_other_run_of_depths() {
        for index in 1..=2 * SKIP_PERIOD {
            let (size, _) = rhythm(index - 1);
            for depth in DEPTHS {
                let now = Stagger::Skip.searches(index, depth);
                assert_ne!(now, Stagger::Skip.searches(index, depth + size), "{index} {depth}");
            }
        }
    }

    #[test]
    fn at_every_depth_half_of_the_helpers_search() {
        for depth in DEPTHS {
            let searching = (1..=SKIP_PERIOD).filter(|&i| Stagger::Skip.searches(i, depth)).count();
            assert_eq!(searching, SKIP_PERIOD / 2, "{depth}");
        }
    }
}
