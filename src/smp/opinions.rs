//! The move that each worker prefers, and since which iteration.
//!
//! A worker that finds what the others have stored in the transposition table soon settles on a move,
//! however much the others doubt it. So the clock asks all of them.

use crossbeam_utils::CachePadded;

use crate::score::Depth;
use crate::sync::{AtomicU64, Ordering::Relaxed};

/// One word per worker, each on its own cache lines: the preferred move and the iteration since which
/// it has been preferred. Only its owner writes a word; any thread reads it.
///
/// One word is never torn, and nothing else depends on it, so relaxed is enough.
#[derive(Debug)]
pub struct Opinions(Box<[CachePadded<AtomicU64>]>);

/// Where the iteration begins in a word; the move's bits are below.
const SINCE_SHIFT: u32 = 16;

impl Opinions {
    /// No opinions yet, of `workers` workers.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect())
    }

    /// Worker `index` has completed the iteration `depth` (in plies, from 1) and prefers `choice`, the
    /// bits of a move. Only that worker may call it.
    pub fn set(&self, index: usize, choice: u16, depth: Depth) {
        let cell = &self.0[index];
        if opinion(cell.load(Relaxed)).is_none_or(|(last, _)| last != choice) {
            cell.store((depth as u64) << SINCE_SHIFT | u64::from(choice), Relaxed);
        }
    }

    /// For how many iterations, up to `depth`, the workers have preferred `choice`: the mean over those
    /// who have an opinion. Each counts for at most `most`, one who prefers another move for nothing,
    /// and one who is ahead and has only just found it for one.
    #[must_use]
    pub fn kept(&self, choice: u16, depth: Depth, most: Depth) -> f64 {
        let opinions = self.0.iter().filter_map(|cell| opinion(cell.load(Relaxed)));
        let (sum, count) = opinions.fold((0, 0), |(sum, count), (preferred, since)| {
            let kept = if preferred == choice { (depth - since + 1).clamp(1, most) } else { 0 };
            (sum + kept, count + 1)
        });
        f64::from(sum) / f64::from(count.max(1))
    }
}

/// The move and the iteration in a word, if its owner has completed one.
fn opinion(word: u64) -> Option<(u16, Depth)> {
    (word != 0).then_some((word as u16, (word >> SINCE_SHIFT) as Depth))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MOST: Depth = 5;

    #[test]
    fn one_alone_counts_its_own_iterations() {
        let opinions = Opinions::new(1);
        assert_eq!(opinions.kept(7, 1, MOST), 0.0);
        for (depth, expected) in (1..=8).zip([1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0]) {
            opinions.set(0, 7, depth);
            assert_eq!(opinions.kept(7, depth, MOST), expected, "{depth}");
        }
        opinions.set(0, 9, 9);
        assert_eq!([opinions.kept(9, 9, MOST), opinions.kept(7, 9, MOST)], [1.0, 0.0]);
        opinions.set(0, 7, 10);
        assert_eq!(opinions.kept(7, 10, MOST), 1.0, "the count begins again");
    }

    #[test]
    fn the_others_count_as_much_as_the_first() {
        let opinions = Opinions::new(4);
        opinions.set(0, 7, 4);
        assert_eq!(opinions.kept(7, 7, MOST), 4.0, "the others have no opinion yet");
        opinions.set(1, 7, 9);
        opinions.set(2, 8, 2);
        assert_eq!(opinions.kept(7, 7, MOST), (4.0 + 1.0 + 0.0) / 3.0);
    }
}
