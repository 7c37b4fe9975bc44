//! Late move reductions: moves that come late are searched to a smaller depth first.
//!
//! Source: the logarithmic table is Senpai's and Stockfish's; the adjustments are those of
//! Stockfish, with margins of our own.

use crate::score::Depth;

use super::params;

/// Depths and move numbers that the table tells apart.
const SIZE: usize = 64;
/// Parts of a ply.
const PLY: i32 = 1024;

type Table = [[i32; SIZE]; SIZE];

/// The table of base reductions, in 1024ths of a ply, by depth and move number.
pub struct Reductions {
    quiet: Box<Table>,
    tactical: Box<Table>,
}

impl Default for Reductions {
    fn default() -> Self {
        Self {
            quiet: table(params::REDUCTION_QUIET_BASE.get(), params::REDUCTION_QUIET_DIVISOR.get()),
            tactical: table(
                params::REDUCTION_TACTICAL_BASE.get(),
                params::REDUCTION_TACTICAL_DIVISOR.get(),
            ),
        }
    }
}

fn table(base: i32, divisor: i32) -> Box<Table> {
    let log = |n: usize| (n.max(1) as f64).ln();
    let scale = f64::from(PLY) * f64::from(PLY) / f64::from(divisor);
    let mut table = Box::new([[0; SIZE]; SIZE]);
    for (depth, row) in table.iter_mut().enumerate() {
        for (number, cell) in row.iter_mut().enumerate() {
            *cell = base + (log(depth) * log(number) * scale) as i32;
        }
    }
    table
}

/// What the reduction of a move depends on, beside depth and number.
#[derive(Copy, Clone, Debug, Default)]
pub struct Circumstances {
    /// The move is a capture or queen promotion.
    pub tactical: bool,
    /// The node is or was on the principal variation.
    pub pv: bool,
    /// A cut is expected.
    pub cut: bool,
    /// The evaluation is better than two plies ago.
    pub improving: bool,
    /// The move is a killer or the counter move.
    pub special: bool,
    /// The move gives check.
    pub check: bool,
    /// The table's move is a capture.
    pub table_capture: bool,
    /// Cutoffs among this node's children.
    pub cutoffs: i32,
    /// The move's history.
    pub history: i32,
}

impl Reductions {
    /// The base reduction of the move with the given number, from 1, in plies.
    #[must_use]
    pub fn base(&self, tactical: bool, depth: Depth, number: usize) -> Depth {
        self.parts(tactical, depth, number) / PLY
    }

    /// The reduction in plies, which may be negative.
    #[must_use]
    pub fn reduction(&self, depth: Depth, number: usize, c: Circumstances) -> Depth {
        let mut parts = self.parts(c.tactical, depth, number);
        if c.pv {
            parts -= params::REDUCTION_PV.get();
        }
        if c.cut {
            parts += params::REDUCTION_CUT.get();
        }
        if !c.improving {
            parts += params::REDUCTION_WORSENING.get();
        }
        if c.special {
            parts -= params::REDUCTION_KILLER.get();
        }
        if c.check {
            parts -= params::REDUCTION_CHECK.get();
        }
        if c.table_capture && !c.tactical {
            parts += params::REDUCTION_TABLE_CAPTURE.get();
        }
        if c.cutoffs > params::REDUCTION_CUTOFF_COUNT.get() {
            parts += params::REDUCTION_CUTOFFS.get();
        }
        let unit = if c.tactical {
            params::REDUCTION_TACTICAL_HISTORY.get()
        } else {
            params::REDUCTION_QUIET_HISTORY.get()
        };
        parts -= c.history * PLY / unit;
        parts.div_euclid(PLY)
    }

    fn parts(&self, tactical: bool, depth: Depth, number: usize) -> i32 {
        let table = if tactical { &self.tactical } else { &self.quiet };
        table[(depth.max(0) as usize).min(SIZE - 1)][number.min(SIZE - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_and_deeper_moves_are_reduced_more() {
        let reductions = Reductions::default();
        let quiet = Circumstances { improving: true, ..Default::default() };
        let at = |depth, number| reductions.reduction(depth, number, quiet);
        assert!(at(20, 30) > at(20, 4) && at(20, 30) > at(4, 30));
        assert!(at(2, 2) <= 1);
        let expected = Circumstances { pv: true, special: true, ..quiet };
        assert!(reductions.reduction(12, 12, expected) < at(12, 12));
        let cut = Circumstances { cut: true, improving: false, ..quiet };
        assert!(reductions.reduction(12, 12, cut) > at(12, 12));
    }
}
