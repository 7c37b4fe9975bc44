//! Every margin of the search, with its bounds: `NAME: least..=greatest = value`.
//!
//! Scores are in centipawns, depths in plies, reductions in 1024ths of a ply, histories in their
//! own units (at most [`HISTORY_LIMIT`](super::history)).
//!
//! The margins are constants. A build with the feature `spsa` makes them variables, each a UCI
//! option within its bounds, for tuning by simultaneous perturbation (J. Spall, 1992).

#[cfg(feature = "spsa")]
use crate::sync::{AtomicI32, Ordering::Relaxed};

/// One margin.
#[derive(Debug)]
pub struct Param {
    /// The name, also of its option.
    pub name: &'static str,
    /// The least value that makes sense.
    pub least: i32,
    /// The greatest value that makes sense.
    pub greatest: i32,
    /// The value unless it is tuned.
    pub default: i32,
    #[cfg(feature = "spsa")]
    value: AtomicI32,
}

impl Param {
    const fn new(name: &'static str, least: i32, greatest: i32, default: i32) -> Self {
        assert!(least <= default && default <= greatest);
        Self {
            name,
            least,
            greatest,
            default,
            #[cfg(feature = "spsa")]
            value: AtomicI32::new(default),
        }
    }

    /// The value: a constant that the compiler works with.
    #[cfg(not(feature = "spsa"))]
    #[inline(always)]
    pub const fn get(&self) -> i32 {
        self.default
    }

    /// The value. Relaxed, for it is set while no worker runs, and the crew's lock publishes it.
    #[cfg(feature = "spsa")]
    #[inline]
    pub fn get(&self) -> i32 {
        self.value.load(Relaxed)
    }

    /// Sets the value, which the caller keeps within the bounds; only while no worker runs. What
    /// workers have derived from the old value lasts until they are cleared.
    #[cfg(feature = "spsa")]
    pub fn set(&self, value: i32) {
        self.value.store(value, Relaxed);
    }

    /// Does nothing: the margins are constants, and no option sets them.
    #[cfg(not(feature = "spsa"))]
    pub fn set(&self, _: i32) {}

    /// The line that `OpenBench` takes for a tuning run: name, type, value, bounds, the step at the
    /// end of the run (a twentieth of the range) and the rate at which it learns.
    pub fn spsa(&self) -> String {
        let Self { name, least, greatest, default, .. } = self;
        let step = (f64::from(greatest - least) / STEPS).max(LEAST_STEP);
        format!("{name}, int, {default}, {least}, {greatest}, {step}, {RATE}")
    }
}

/// The margins that can be set: all, or none in a build where they are constants.
pub fn tunable() -> &'static [&'static Param] {
    if cfg!(feature = "spsa") { ALL } else { &[] }
}

/// Steps of a tuning run that a parameter's range consists of.
const STEPS: f64 = 20.0;
/// A smaller step would not change the rounded value.
const LEAST_STEP: f64 = 0.5;
/// The learning rate at the end of a tuning run, `OpenBench`'s default.
const RATE: f64 = 0.002;

macro_rules! params {
    ($($(#[$meta:meta])* $name:ident: $least:literal..=$greatest:literal = $value:literal;)*) => {
        $(
            $(#[$meta])*
            #[cfg(not(feature = "spsa"))]
            pub const $name: Param = Param::new(stringify!($name), $least, $greatest, $value);
            $(#[$meta])*
            #[cfg(feature = "spsa")]
            pub static $name: Param = Param::new(stringify!($name), $least, $greatest, $value);
        )*

        /// Every margin.
        pub static ALL: &[&Param] = &[$(&$name),*];
    };
}

params! {
    /// Half of the first aspiration window.
    ASPIRATION_WINDOW: 5..=50 = 12;
    /// Iterations below this depth search the full window.
    ASPIRATION_DEPTH: 2..=8 = 4;
    /// A failed window grows by this many 128ths of itself.
    ASPIRATION_GROWTH: 16..=256 = 64;
    /// A window that has grown by more than this is opened on the side that failed.
    ASPIRATION_LIMIT: 200..=2000 = 600;

    /// Tablebase cutoff: depth beyond the node's own at which the result is stored.
    TB_DEPTH: 0..=20 = 6;

    /// Static evaluation: the factor, in 1024ths, that brings the network's scores to the scale of the other margins.
    /// A network of another scale needs another factor.
    EVAL_SCALE: 512..=2048 = 930;
    /// Static evaluation: 1024ths that are taken off when no material is left.
    MATERIAL_FADE: 0..=600 = 350;

    /// Internal iterative reduction: least depth.
    IIR_DEPTH: 2..=8 = 4;

    /// Reverse futility: greatest depth.
    REVERSE_FUTILITY_DEPTH: 4..=16 = 11;
    /// Reverse futility: margin per ply.
    REVERSE_FUTILITY_MARGIN: 30..=150 = 75;
    /// Reverse futility: margin taken off when improving.
    REVERSE_FUTILITY_IMPROVING: 0..=150 = 45;

    /// Razoring: greatest depth.
    RAZORING_DEPTH: 1..=8 = 4;
    /// Razoring: margin per ply.
    RAZORING_MARGIN: 100..=500 = 270;

    /// Null move: least depth.
    NULL_MOVE_DEPTH: 2..=6 = 3;
    /// Null move: least reduction.
    NULL_MOVE_REDUCTION: 2..=6 = 4;
    /// Null move: the depth divided by this is added to the reduction.
    NULL_MOVE_DEPTH_DIVISOR: 2..=8 = 3;
    /// Null move: centipawns above beta for one ply more of reduction.
    NULL_MOVE_EVAL_DIVISOR: 80..=400 = 200;
    /// Null move: greatest reduction for the evaluation.
    NULL_MOVE_EVAL_MAX: 1..=6 = 4;
    /// Null move: a cutoff is verified from this depth on.
    NULL_MOVE_VERIFY_DEPTH: 8..=20 = 14;
    /// Null move: quarters of the verifying search's depth in which it makes no null move itself.
    NULL_MOVE_VERIFY_QUARTERS: 1..=4 = 3;

    /// Null move: centipawns per ply of depth by which the evaluation may be below beta, ...
    NULL_MOVE_SLACK: 0..=50 = 15;
    /// ... less this.
    NULL_MOVE_SLACK_OFFSET: 0..=400 = 150;

    /// `ProbCut`: least depth.
    PROBCUT_DEPTH: 3..=8 = 5;
    /// `ProbCut`: margin above beta.
    PROBCUT_MARGIN: 80..=400 = 190;
    /// `ProbCut`: depth taken off.
    PROBCUT_REDUCTION: 2..=6 = 4;

    /// Late move pruning: moves at depth zero.
    LATE_MOVE_BASE: 1..=8 = 5;
    /// Late move pruning: the number of moves is divided by this if the node is not improving.
    LATE_MOVE_WORSENING: 1..=4 = 2;
    /// Late move pruning: greatest depth.
    LATE_MOVE_DEPTH: 4..=14 = 9;
    /// Futility: greatest reduced depth.
    FUTILITY_DEPTH: 4..=14 = 8;
    /// Futility: margin at depth zero.
    FUTILITY_BASE: 20..=300 = 100;
    /// Futility: margin per ply.
    FUTILITY_MARGIN: 40..=200 = 90;
    /// History pruning: greatest reduced depth.
    HISTORY_PRUNING_DEPTH: 2..=8 = 4;
    /// History pruning: the history per ply under which a quiet move is not tried.
    HISTORY_PRUNING_MARGIN: -8000..=-1000 = -5500;
    /// SEE pruning: greatest depth.
    SEE_DEPTH: 4..=14 = 9;
    /// SEE pruning: the loss that a quiet move is allowed, times the square of the reduced depth.
    SEE_QUIET_MARGIN: -80..=-5 = -24;
    /// SEE pruning: the loss that a capture is allowed, per ply of depth.
    SEE_TACTICAL_MARGIN: -200..=-30 = -95;

    /// Hindsight: least reduction after which a node may be searched deeper.
    HINDSIGHT_DEEPER: 2..=9 = 3;
    /// Hindsight: least reduction after which a node may be searched less deep.
    HINDSIGHT_SHALLOWER: 1..=9 = 2;
    /// Hindsight: centipawns that the evaluation must have gained for that.
    HINDSIGHT_MARGIN: 0..=500 = 120;

    /// Late move reductions: least depth.
    REDUCTION_DEPTH: 2..=5 = 2;
    /// Late move reductions, quiet moves: constant part.
    REDUCTION_QUIET_BASE: 0..=2048 = 800;
    /// Late move reductions, quiet moves: 1024ths that ln depth × ln moves is divided by.
    REDUCTION_QUIET_DIVISOR: 1024..=4096 = 2600;
    /// Late move reductions, captures: constant part.
    REDUCTION_TACTICAL_BASE: -512..=1024 = 100;
    /// Late move reductions, captures: divisor.
    REDUCTION_TACTICAL_DIVISOR: 1536..=6144 = 3300;
    /// Less reduction on a node that is or was on the principal variation.
    REDUCTION_PV: 0..=2048 = 1024;
    /// More reduction where a cut is expected.
    REDUCTION_CUT: 0..=4096 = 2250;
    /// More reduction where the evaluation is not improving.
    REDUCTION_WORSENING: 0..=2048 = 768;
    /// Less reduction for a killer or counter move.
    REDUCTION_KILLER: 0..=2048 = 850;
    /// Less reduction for a checking move.
    REDUCTION_CHECK: 0..=2048 = 1024;
    /// More reduction for a quiet move where the transposition table's move is a capture.
    REDUCTION_TT_CAPTURE: 0..=2048 = 768;
    /// More reduction where the children of this node and of its siblings have failed high often.
    REDUCTION_CUTOFFS: 0..=2048 = 1000;
    /// More cutoffs than this among the children count as often.
    REDUCTION_CUTOFF_COUNT: 1..=8 = 3;
    /// History that is worth a ply of reduction, for quiet moves.
    REDUCTION_QUIET_HISTORY: 2000..=24000 = 12000;
    /// History that is worth a ply of reduction, for captures.
    REDUCTION_TACTICAL_HISTORY: 2000..=24000 = 8000;
    /// A reduced search that comes out this far above the best is repeated a ply deeper.
    DEEPER_MARGIN: 10..=150 = 45;

    /// Singular extension: least depth.
    SINGULAR_DEPTH: 4..=10 = 6;
    /// Singular extension: plies by which the transposition table's entry may be shallower.
    SINGULAR_TT_DEPTH: 2..=5 = 3;
    /// Singular extension: the other moves are searched to the depth divided by this.
    SINGULAR_DEPTH_DIVISOR: 2..=4 = 2;
    /// Singular extension: 16ths of a centipawn below the stored score, per ply of depth.
    SINGULAR_MARGIN: 8..=64 = 23;
    /// Singular extension: centipawns further below for a second ply.
    SINGULAR_DOUBLE_MARGIN: 5..=60 = 18;
    /// Singular extension: second plies on one line.
    SINGULAR_DOUBLE_MAX: 2..=16 = 8;

    /// Quiescence: a capture must promise to come within this of alpha.
    DELTA_MARGIN: 50..=400 = 180;
    /// Quiescence: captures that are considered at one node, besides recaptures and promotions.
    QUIESCENCE_CAPTURES: 1..=64 = 3;
    /// Quiescence: quarters by which a score above beta is drawn towards it.
    FAIL_FIRM: 0..=4 = 1;

    /// Good captures: history that makes up for a centipawn lost.
    GOOD_CAPTURE_HISTORY: 16..=1000 = 80;

    /// Order of quiet moves: bonus of a safe check.
    ORDER_CHECK: 0..=32000 = 10000;
    /// Order of quiet moves: bonus of a queen that leaves the reach of a lesser piece.
    ORDER_QUEEN: 0..=80000 = 30000;
    /// Order of quiet moves: the same of a rook.
    ORDER_ROOK: 0..=60000 = 18000;
    /// Order of quiet moves: the same of a bishop or knight.
    ORDER_MINOR: 0..=40000 = 12000;

    /// History bonus per ply.
    BONUS_FACTOR: 50..=400 = 160;
    /// History bonus taken off.
    BONUS_OFFSET: 0..=300 = 90;
    /// Greatest history bonus.
    BONUS_MAX: 800..=3000 = 1900;
    /// History malus per ply.
    MALUS_FACTOR: 50..=600 = 220;
    /// History malus taken off.
    MALUS_OFFSET: 0..=400 = 110;
    /// Greatest history malus.
    MALUS_MAX: 500..=3000 = 1300;
    /// Bonus of a quiet move that the opponent could not answer, in 128ths of the bonus at that depth.
    FAIL_LOW_BONUS: 0..=256 = 100;
    /// History per centipawn that a quiet move has gained.
    EVAL_GAIN_FACTOR: 0..=60 = 14;
    /// Centipawns that a quiet move is taken to gain in any case.
    EVAL_GAIN_OFFSET: -100..=100 = 10;
    /// Greatest change of a history by the evaluation gained or lost.
    EVAL_GAIN_MAX: 0..=6000 = 2000;

    /// Correction: weight of the pawns' entry, in 1024ths of a centipawn.
    CORRECTION_PAWNS: 0..=128 = 32;
    /// Correction: weight of the entries of either side's pieces.
    CORRECTION_PIECES: 0..=128 = 32;
    /// Correction: weight of the minor pieces' and kings' entry.
    CORRECTION_MINORS: 0..=128 = 24;
    /// Correction: weight of the last two moves' entry.
    CORRECTION_MOVES: 0..=128 = 16;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_margin_is_listed_once() {
        let names: HashSet<_> = ALL.iter().map(|param| param.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(names.contains("ASPIRATION_WINDOW") && names.contains("MALUS_MAX"));
        assert!(ALL.iter().all(|param| param.get() == param.default));
    }

    #[test]
    fn a_tuning_line_has_seven_fields() {
        assert_eq!(ASPIRATION_WINDOW.spsa(), "ASPIRATION_WINDOW, int, 12, 5, 50, 2.25, 0.002");
        assert_eq!(RAZORING_DEPTH.spsa(), "RAZORING_DEPTH, int, 4, 1, 8, 0.5, 0.002");
        assert!(ALL.iter().all(|param| param.spsa().split(", ").count() == 7));
    }
}
