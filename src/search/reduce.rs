//! Late move reductions: moves that come late are searched to a smaller depth first.
//!
//! Source: the logarithms are Senpai's and Stockfish's; the adjustments are those of
//! Stockfish, with margins of our own.

use crate::memory::{self, OutOfMemory};
use crate::score::Depth;

use super::params;

/// Depths and move counts that are told apart.
const SIZE: usize = 64;
/// A ply in the units of the arrays.
const PLY: i32 = 1024;

type Grid = [[i32; SIZE]; SIZE];

/// The base reductions in 1024ths of a ply, by depth and move count.
pub struct Reductions {
    quiet: Box<Grid>,
    tactical: Box<Grid>,
}

fn fill(grid: &mut Grid, base: i32, divisor: i32) {
    let logs: [f64; SIZE] = std::array::from_fn(|n| (n.max(1) as f64).ln());
    let scale = f64::from(PLY) * f64::from(PLY) / f64::from(divisor);
    for (depth, row) in grid.iter_mut().enumerate() {
        for (move_count, cell) in row.iter_mut().enumerate() {
            *cell = base + (logs[depth] * logs[move_count] * scale) as i32;
        }
    }
}

/// What the reduction of a move depends on besides depth and move count.
#[derive(Copy, Clone, Debug, Default)]
pub struct Circumstances {
    /// The move is a capture or queen promotion.
    pub is_tactical: bool,
    /// The node is or was on the principal variation.
    pub tt_pv: bool,
    /// A fail-high is expected.
    pub is_cut: bool,
    /// The evaluation is better than two plies ago.
    pub is_improving: bool,
    /// The move is a killer or the counter move.
    pub is_refutation: bool,
    /// The move gives check.
    pub gives_check: bool,
    /// The transposition table's move is a capture or queen promotion.
    pub is_tt_move_tactical: bool,
    /// Cutoffs among the children of this node and of its siblings.
    pub cutoffs: i32,
    /// The move's history.
    pub history: i32,
}

impl Reductions {
    /// The reductions by the present margins.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new() -> Result<Self, OutOfMemory> {
        let mut new = Self { quiet: memory::zeroed()?, tactical: memory::zeroed()? };
        new.update();
        Ok(new)
    }

    /// Follows the margins, which may have changed.
    pub fn update(&mut self) {
        let quiet = [&params::REDUCTION_QUIET_BASE, &params::REDUCTION_QUIET_DIVISOR];
        let tactical = [&params::REDUCTION_TACTICAL_BASE, &params::REDUCTION_TACTICAL_DIVISOR];
        for (grid, [base, divisor]) in [(&mut self.quiet, quiet), (&mut self.tactical, tactical)] {
            fill(grid, base.get(), divisor.get());
        }
    }

    /// The base reduction of the move that is searched as number `move_count`, from 1, in plies.
    #[must_use]
    pub fn base(&self, is_tactical: bool, depth: Depth, move_count: usize) -> Depth {
        self.parts(is_tactical, depth, move_count) / PLY
    }

    /// The reduction in plies, which may be negative.
    #[must_use]
    pub fn reduction(&self, depth: Depth, move_count: usize, c: Circumstances) -> Depth {
        let mut parts = self.parts(c.is_tactical, depth, move_count);
        if c.tt_pv {
            parts -= params::REDUCTION_PV.get();
        }
        if c.is_cut {
            parts += params::REDUCTION_CUT.get();
        }
        if !c.is_improving {
            parts += params::REDUCTION_WORSENING.get();
        }
        if c.is_refutation {
            parts -= params::REDUCTION_KILLER.get();
        }
        if c.gives_check {
            parts -= params::REDUCTION_CHECK.get();
        }
        if c.is_tt_move_tactical && !c.is_tactical {
            parts += params::REDUCTION_TT_CAPTURE.get();
        }
        if c.cutoffs > params::REDUCTION_CUTOFF_COUNT.get() {
            parts += params::REDUCTION_CUTOFFS.get();
        }
        let unit = if c.is_tactical {
            params::REDUCTION_TACTICAL_HISTORY.get()
        } else {
            params::REDUCTION_QUIET_HISTORY.get()
        };
        parts -= c.history * PLY / unit;
        parts.div_euclid(PLY)
    }

    fn parts(&self, is_tactical: bool, depth: Depth, move_count: usize) -> i32 {
        let grid = if is_tactical { &self.tactical } else { &self.quiet };
        grid[(depth.max(0) as usize).min(SIZE - 1)][move_count.min(SIZE - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_and_deeper_moves_are_reduced_more() {
        let reductions = Reductions::new().unwrap();
        let quiet = Circumstances { is_improving: true, ..Default::default() };
        let at = |depth, move_count| reductions.reduction(depth, move_count, quiet);
        assert!(at(20, 30) > at(20, 4) && at(20, 30) > at(4, 30));
        assert!(at(2, 2) <= 1);
        let expected = Circumstances { tt_pv: true, is_refutation: true, ..quiet };
        assert!(reductions.reduction(12, 12, expected) < at(12, 12));
        let cut = Circumstances { is_cut: true, is_improving: false, ..quiet };
        assert!(reductions.reduction(12, 12, cut) > at(12, 12));
    }
}
