//! The root move that is being searched, for display.

use crate::position::PackedMove;
use crate::score::Depth;
use crate::sync::{AtomicU64, Ordering::Relaxed};

/// Depth, move and move count in one word, written by the main worker and read by anyone.
///
/// A reader may look at any time and sees the last value or the one before. A queue would fill up
/// where root moves are quick. One word is never torn, and nothing depends on it, so relaxed is
/// enough.
#[derive(Debug, Default)]
pub struct CurrentCell(AtomicU64);

const COUNT_SHIFT: u32 = 16;
const DEPTH_SHIFT: u32 = 32;

impl CurrentCell {
    /// Notes that `m` is searched in the iteration `depth`, as move number `move_count` from 1.
    pub fn set(&self, depth: Depth, m: PackedMove, move_count: usize) {
        let word = (depth as u64) << DEPTH_SHIFT | (move_count as u64) << COUNT_SHIFT;
        self.0.store(word | u64::from(m.to_bits()), Relaxed);
    }

    /// The iteration in plies, the move and the move count; `None` before the first.
    #[must_use]
    pub fn get(&self) -> Option<(Depth, PackedMove, usize)> {
        let word = self.0.load(Relaxed);
        let m = PackedMove::from_bits(word as u16);
        let move_count = usize::from((word >> COUNT_SHIFT) as u16);
        (word != 0).then_some(((word >> DEPTH_SHIFT) as Depth, m, move_count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_is_got() {
        let cell = CurrentCell::default();
        assert_eq!(cell.get(), None);
        for (depth, bits, move_count) in [(1, 1, 1), (239, u16::MAX, 256)] {
            let m = PackedMove::from_bits(bits);
            cell.set(depth, m, move_count);
            assert_eq!(cell.get(), Some((depth, m, move_count)));
        }
    }
}
