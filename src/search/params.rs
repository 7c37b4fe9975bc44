//! Every margin of the search, with its bounds: `name: least..=greatest = value`. Each is a
//! function.
//!
//! Scores are in centipawns, depths in plies, reductions in 1024ths of a ply, histories in their
//! own units (at most [`HISTORY_LIMIT`](super::history)).
//!
//! The margins are constants in a release. They are variables in a build for development, whose
//! tests so compare both, and in a release with the feature `spsa`: each is a UCI option of the
//! same name within its bounds, for tuning by simultaneous perturbation (J. Spall, 1992).

use crate::sync::{AtomicI32, Ordering::Relaxed};

/// The margins are variables.
pub const TUNABLE: bool = cfg!(any(feature = "spsa", debug_assertions));

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
    value: AtomicI32,
}

impl Param {
    const fn new(name: &'static str, least: i32, greatest: i32, default: i32) -> Self {
        assert!(least <= default && default <= greatest);
        Self { name, least, greatest, default, value: AtomicI32::new(default) }
    }

    /// The value. Relaxed, for it is set while no worker runs, and the crew's lock publishes it.
    #[inline]
    fn get(&self) -> i32 {
        self.value.load(Relaxed)
    }

    /// Sets the value, which the caller keeps within the bounds; only while no worker runs, and
    /// without effect unless margins are variables. What workers have derived from the old value
    /// lasts until they are cleared.
    pub fn set(&self, value: i32) {
        self.value.store(value, Relaxed);
    }

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
    if TUNABLE { ALL } else { &[] }
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
            #[inline(always)]
            pub fn $name() -> i32 {
                if TUNABLE { margins::$name.get() } else { $value }
            }
        )*

        /// The margins by the names of their functions.
        #[expect(non_upper_case_globals, reason = "named as their functions")]
        mod margins {
            use super::Param;

            $(pub static $name: Param = Param::new(stringify!($name), $least, $greatest, $value);)*
        }

        /// Every margin.
        pub static ALL: &[&Param] = &[$(&margins::$name),*];
    };
}

params! {
    /// Half of the first aspiration window.
    aspiration_window: 5..=50 = 12;
    /// Iterations below this depth search the full window.
    aspiration_depth: 2..=8 = 4;
    /// A failed window grows by this many 128ths of itself.
    aspiration_growth: 16..=256 = 64;
    /// A window that has grown by more than this is opened on the side that failed.
    aspiration_limit: 200..=2000 = 600;

    /// Tablebase cutoff: depth beyond the node's own at which the result is stored.
    tb_depth: 0..=20 = 6;

    /// Static evaluation: the factor, in 1024ths, that brings the network's scores to the scale of
    /// the other margins. A network of another scale needs another factor.
    eval_scale: 512..=2048 = 930;
    /// Static evaluation: 1024ths that are taken off when no material is left.
    material_fade: 0..=600 = 350;

    /// Internal iterative reduction: least depth.
    iir_depth: 2..=8 = 4;

    /// Reverse futility: greatest depth.
    reverse_futility_depth: 4..=16 = 11;
    /// Reverse futility: margin per ply.
    reverse_futility_margin: 30..=150 = 75;
    /// Reverse futility: margin taken off when improving.
    reverse_futility_improving: 0..=150 = 45;

    /// Razoring: greatest depth.
    razoring_depth: 1..=8 = 4;
    /// Razoring: margin per ply.
    razoring_margin: 100..=500 = 270;

    /// Null move: least depth.
    null_move_depth: 2..=6 = 3;
    /// Null move: least reduction.
    null_move_reduction: 2..=6 = 4;
    /// Null move: the depth divided by this is added to the reduction.
    null_move_depth_divisor: 2..=8 = 3;
    /// Null move: centipawns above beta for one ply more of reduction.
    null_move_eval_divisor: 80..=400 = 200;
    /// Null move: greatest reduction for the evaluation.
    null_move_eval_max: 1..=6 = 4;
    /// Null move: a cutoff is verified from this depth on.
    null_move_verify_depth: 8..=20 = 14;
    /// Null move: quarters of the verifying search's depth in which it makes no null move itself.
    null_move_verify_quarters: 1..=4 = 3;

    /// Null move: centipawns per ply of depth by which the evaluation may be below beta, ...
    null_move_slack: 0..=50 = 15;
    /// ... less this.
    null_move_slack_offset: 0..=400 = 150;

    /// `ProbCut`: least depth.
    probcut_depth: 3..=8 = 5;
    /// `ProbCut`: margin above beta.
    probcut_margin: 80..=400 = 190;
    /// `ProbCut`: depth taken off.
    probcut_reduction: 2..=6 = 4;

    /// Late move pruning: moves at depth zero.
    late_move_base: 1..=8 = 5;
    /// Late move pruning: the number of moves is divided by this if the node is not improving.
    late_move_worsening: 1..=4 = 2;
    /// Late move pruning: greatest depth.
    late_move_depth: 4..=14 = 9;
    /// Futility: greatest reduced depth.
    futility_depth: 4..=14 = 8;
    /// Futility: margin at depth zero.
    futility_base: 20..=300 = 100;
    /// Futility: margin per ply.
    futility_margin: 40..=200 = 90;
    /// History pruning: greatest reduced depth.
    history_pruning_depth: 2..=8 = 4;
    /// History pruning: the history per ply under which a quiet move is not tried.
    history_pruning_margin: -8000..=-1000 = -5500;
    /// SEE pruning: greatest depth.
    see_depth: 4..=14 = 9;
    /// SEE pruning: the loss that a quiet move is allowed, times the square of the reduced depth.
    see_quiet_margin: -80..=-5 = -24;
    /// SEE pruning: the loss that a capture is allowed, per ply of depth.
    see_tactical_margin: -200..=-30 = -95;

    /// Hindsight: least reduction after which a node may be searched deeper.
    hindsight_deeper: 2..=9 = 3;
    /// Hindsight: least reduction after which a node may be searched less deep.
    hindsight_shallower: 1..=9 = 2;
    /// Hindsight: centipawns that the evaluation must have gained for that.
    hindsight_margin: 0..=500 = 120;

    /// Late move reductions: least depth.
    reduction_depth: 2..=5 = 2;
    /// Late move reductions, quiet moves: constant part.
    reduction_quiet_base: 0..=2048 = 800;
    /// Late move reductions, quiet moves: 1024ths that ln depth × ln moves is divided by.
    reduction_quiet_divisor: 1024..=4096 = 2600;
    /// Late move reductions, captures: constant part.
    reduction_tactical_base: -512..=1024 = 100;
    /// Late move reductions, captures: divisor.
    reduction_tactical_divisor: 1536..=6144 = 3300;
    /// Less reduction on a node that is or was on the principal variation.
    reduction_pv: 0..=2048 = 1024;
    /// More reduction where a cut is expected and the node was never on the principal variation.
    reduction_cut: 0..=4096 = 2250;
    /// More reduction where the evaluation is not improving.
    reduction_worsening: 0..=2048 = 768;
    /// Less reduction for a killer or counter move.
    reduction_killer: 0..=2048 = 850;
    /// Less reduction for a checking move.
    reduction_check: 0..=2048 = 1024;
    /// More reduction for a quiet move where the transposition table's move is a capture.
    reduction_tt_capture: 0..=2048 = 768;
    /// More reduction where the children of this node and of its siblings have failed high often.
    reduction_cutoffs: 0..=2048 = 1000;
    /// More cutoffs than this among the children count as often.
    reduction_cutoff_count: 1..=8 = 3;
    /// History that is worth a ply of reduction, for quiet moves.
    reduction_quiet_history: 2000..=24000 = 12000;
    /// History that is worth a ply of reduction, for captures.
    reduction_tactical_history: 2000..=24000 = 8000;
    /// A reduced search that comes out this far above the best is repeated a ply deeper.
    deeper_margin: 10..=150 = 45;
    /// One that comes out less than this above it is repeated a ply less deep.
    shallower_margin: 0..=50 = 3;

    /// Singular extension: least depth.
    singular_depth: 4..=10 = 6;
    /// Singular extension: plies by which the transposition table's entry may be shallower.
    singular_tt_depth: 2..=5 = 3;
    /// Singular extension: the other moves are searched to the depth divided by this.
    singular_depth_divisor: 2..=4 = 2;
    /// Singular extension: 16ths of a centipawn below the stored score, per ply of depth.
    singular_margin: 8..=64 = 23;
    /// Singular extension: centipawns further below for a second ply.
    singular_double_margin: 5..=60 = 18;
    /// Singular extension: second plies on one line.
    singular_double_max: 2..=16 = 8;

    /// Quiescence: a capture must promise to come within this of alpha.
    delta_margin: 50..=400 = 180;
    /// Quiescence: captures that are considered at one node, besides recaptures and promotions.
    quiescence_captures: 1..=64 = 3;
    /// Quiescence: quarters by which a score above beta is drawn towards it.
    fail_firm: 0..=4 = 1;

    /// Good captures: history that makes up for a centipawn lost.
    good_capture_history: 16..=1000 = 80;

    /// Order of quiet moves: bonus of a safe check.
    order_check: 0..=32000 = 10000;
    /// Order of quiet moves: bonus of a queen that leaves the reach of a lesser piece.
    order_queen: 0..=80000 = 30000;
    /// Order of quiet moves: the same of a rook.
    order_rook: 0..=60000 = 18000;
    /// Order of quiet moves: the same of a bishop or knight.
    order_minor: 0..=40000 = 12000;

    /// History bonus per ply.
    bonus_factor: 50..=400 = 160;
    /// History bonus taken off.
    bonus_offset: 0..=300 = 90;
    /// Greatest history bonus.
    bonus_max: 800..=3000 = 1900;
    /// History malus per ply.
    malus_factor: 50..=600 = 220;
    /// History malus taken off.
    malus_offset: 0..=400 = 110;
    /// Greatest history malus.
    malus_max: 500..=3000 = 1300;
    /// Bonus of a quiet move that the opponent could not answer, in 128ths of the bonus at that
    /// depth.
    fail_low_bonus: 0..=256 = 100;
    /// History per centipawn that a quiet move has gained.
    eval_gain_factor: 0..=60 = 14;
    /// History by evaluation: a node that is met again teaches below this depth alone.
    eval_gain_depth: 0..=64 = 6;
    /// Centipawns that a quiet move is taken to gain in any case.
    eval_gain_offset: -100..=100 = 10;
    /// Greatest change of a history by the evaluation gained or lost.
    eval_gain_max: 0..=6000 = 2000;

    /// Correction: weight of the pawns' entry, in 1024ths of a centipawn.
    correction_pawns: 0..=128 = 32;
    /// Correction: weight of the entries of either side's pieces.
    correction_pieces: 0..=128 = 32;
    /// Correction: weight of the minor pieces' and kings' entry.
    correction_minors: 0..=128 = 24;
    /// Correction: weight of the last two moves' entry.
    correction_moves: 0..=128 = 16;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_margin_is_listed_once() {
        let names: HashSet<_> = ALL.iter().map(|param| param.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(names.contains("aspiration_window") && names.contains("malus_max"));
        assert!(ALL.iter().all(|param| param.get() == param.default));
    }

    #[test]
    fn a_tuning_line_has_seven_fields() {
        assert_eq!(
            margins::aspiration_window.spsa(),
            "aspiration_window, int, 12, 5, 50, 2.25, 0.002"
        );
        assert_eq!(margins::razoring_depth.spsa(), "razoring_depth, int, 4, 1, 8, 0.5, 0.002");
        assert!(ALL.iter().all(|param| param.spsa().split(", ").count() == 7));
    }
}
