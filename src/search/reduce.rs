//! Late move reductions: moves that come late are searched to a smaller depth first, and a
//! reduction that has proved wrong is made good at the next node.
//!
//! Source: the logarithms are Senpai's and Stockfish's; the adjustments are those of
//! Stockfish, with margins of our own.

use crate::memory;
use crate::position::is_tactical;
use crate::score::{Depth, Score};

use super::node::{Node, NodeType};
use super::params;
use super::picker::Picked;

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

impl Reductions {
    /// The reductions by the present margins.
    pub fn new() -> Self {
        let mut new = Self { quiet: memory::zeroed(), tactical: memory::zeroed() };
        new.update();
        new
    }

    /// Follows the margins, which may have changed.
    pub fn update(&mut self) {
        fill(&mut self.quiet, params::reduction_quiet_base(), params::reduction_quiet_divisor());
        let (base, divisor) =
            (params::reduction_tactical_base(), params::reduction_tactical_divisor());
        fill(&mut self.tactical, base, divisor);
    }

    /// The depth left, in plies, after the reduction that a quiet move would get by its number and
    /// history. Pruning at low depth uses it instead of the node's depth, and so spares moves with
    /// a good history. Source: Stockfish.
    pub(super) fn depth_left(&self, node: &Node<'_>, picked: Picked) -> Depth {
        let parts = self.base_parts(false, node) - by_history(picked);
        (node.depth - parts.div_euclid(PLY)).max(0)
    }

    /// Plies by which the current move of `node`, if it is late, is searched less deep at first
    /// than to `depth`; `None` for an early move. `cutoffs` counts those among the children of the
    /// node and of its siblings.
    pub(super) fn reduction<N: NodeType>(
        &self,
        node: &Node<'_>,
        picked: Picked,
        depth: Depth,
        cutoffs: i32,
    ) -> Option<Depth> {
        let unreduced = if N::PV { 2 } else { 1 };
        let is_late = node.depth >= params::reduction_depth() && node.move_count > unreduced;
        is_late.then(|| {
            let plies = self.parts(node, picked, cutoffs).div_euclid(PLY);
            plies.clamp(0, depth.max(1) - 1)
        })
    }

    /// The reduction in 1024ths of a ply, which may be negative.
    fn parts(&self, node: &Node<'_>, picked: Picked, cutoffs: i32) -> i32 {
        let mut parts = self.base_parts(picked.is_tactical, node);
        if node.tt_pv {
            parts -= params::reduction_pv();
        }
        if node.is_cut && !node.tt_pv {
            parts += params::reduction_cut();
        }
        if !node.is_improving {
            parts += params::reduction_worsening();
        }
        if picked.is_refutation {
            parts -= params::reduction_killer();
        }
        if node.gives_check(picked.m) {
            parts -= params::reduction_check();
        }
        if node.tt_move.is_some_and(is_tactical) && !picked.is_tactical {
            parts += params::reduction_tt_capture();
        }
        if cutoffs > params::reduction_cutoff_count() {
            parts += params::reduction_cutoffs();
        }
        parts - by_history(picked)
    }

    fn base_parts(&self, is_tactical: bool, node: &Node<'_>) -> i32 {
        let grid = if is_tactical { &self.tactical } else { &self.quiet };
        grid[(node.depth.max(0) as usize).min(SIZE - 1)][node.move_count.min(SIZE - 1)]
    }
}

/// How much less a move is reduced for its history, in 1024ths of a ply; negative if the history is
/// bad.
fn by_history(picked: Picked) -> i32 {
    let unit = if picked.is_tactical {
        params::reduction_tactical_history()
    } else {
        params::reduction_quiet_history()
    };
    picked.history * PLY / unit
}

/// Hindsight: a node that a reduction has led to is searched a ply deeper unless the reduced move
/// has worsened its side's evaluation, and a ply less deep if it clearly has. `before` is the
/// evaluation at the node before. Source: Stockfish, 2024.
pub(super) fn hindsight(node: &Node<'_>, before: Option<Score>) -> Depth {
    let (Some(then), Some(now)) = (before, node.eval) else { return 0 };
    let sum = then.get() + now.get();
    if node.reduction >= params::hindsight_deeper() && sum <= 0 {
        1
    } else if node.reduction >= params::hindsight_shallower()
        && node.depth >= 2
        && sum > params::hindsight_margin()
    {
        -1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture::{node, picked};
    use super::super::node::{NonPv, Pv, Window};
    use super::*;
    use crate::position::Position;

    const DEPTH: Depth = 12;

    /// The reduction of move number 12 of an improving node, in 1024ths of a ply, once `change` has
    /// changed them.
    fn parts(change: impl FnOnce(&mut Node<'_>, &mut Picked)) -> i32 {
        let position = Position::default();
        let mut node = Node { move_count: 12, ..node(&position, DEPTH) };
        let mut picked = picked(&position, "g1f3");
        change(&mut node, &mut picked);
        Reductions::new().parts(&node, picked, 0)
    }

    #[test]
    fn later_and_deeper_moves_are_reduced_more() {
        let at = |depth, move_count| {
            parts(|node, _| (node.depth, node.move_count) = (depth, move_count))
        };
        assert!(at(20, 30) > at(20, 4) && at(20, 30) > at(4, 30));
        assert!(at(2, 2) < 2 * PLY);
    }

    #[test]
    fn each_circumstance_changes_the_reduction_its_own_way() {
        let changed = |change: fn(&mut Node<'_>, &mut Picked)| parts(change) - parts(|_, _| {});
        let unit = params::reduction_quiet_history();
        let history = |history| parts(|_, picked| picked.history = history) - parts(|_, _| {});
        assert_eq!(changed(|node, _| node.is_cut = true), params::reduction_cut());
        let both = changed(|node, _| (node.is_cut, node.tt_pv) = (true, true));
        assert_eq!(both, -params::reduction_pv(), "a former principal variation is no cut node");
        let worsening = changed(|node, _| node.is_improving = false);
        assert_eq!(worsening, params::reduction_worsening());
        assert_eq!(changed(|node, _| node.tt_pv = true), -params::reduction_pv());
        let refutation = changed(|_, picked| picked.is_refutation = true);
        assert_eq!(refutation, -params::reduction_killer());
        let capture = changed(|node, _| {
            let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
            node.tt_move = Some(position.parse_move("e4d5").unwrap());
        });
        assert_eq!(capture, params::reduction_tt_capture());
        assert_eq!([unit, 0, -unit].map(history), [-PLY, 0, PLY]);
    }

    #[test]
    fn checks_are_reduced_less() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/3QK3 w - - 0 1").unwrap();
        let node = Node { move_count: 12, ..node(&position, DEPTH) };
        let [check, other] =
            ["d1a4", "d1c2"].map(|m| Reductions::new().parts(&node, picked(&position, m), 0));
        assert_eq!(check - other, -params::reduction_check());
    }

    #[test]
    fn a_good_history_leaves_more_depth() {
        let reductions = Reductions::new();
        let left = |depth, history| {
            let position = Position::default();
            let node = Node { move_count: 12, ..node(&position, depth) };
            reductions.depth_left(&node, Picked { history, ..picked(&position, "g1f3") })
        };
        let unit = params::reduction_quiet_history();
        assert_eq!([-unit, unit].map(|history| left(DEPTH, history) - left(DEPTH, 0)), [-1, 1]);
        assert_eq!(left(2, -9 * unit), 0);
    }

    #[test]
    fn early_moves_and_low_depths_are_not_reduced() {
        let reductions = Reductions::new();
        let position = Position::default();
        let reduction = |is_pv, depth, move_count| {
            let node = Node { move_count, ..node(&position, depth) };
            let picked = picked(&position, "g1f3");
            if is_pv {
                reductions.reduction::<Pv>(&node, picked, depth - 1, 0)
            } else {
                reductions.reduction::<NonPv>(&node, picked, depth - 1, 0)
            }
        };
        assert!(reduction(false, DEPTH, 1).is_none() && reduction(false, DEPTH, 2).is_some());
        assert!(reduction(true, DEPTH, 2).is_none() && reduction(true, DEPTH, 3).is_some());
        let least = params::reduction_depth();
        assert!(reduction(false, least - 1, 40).is_none());
        for depth in least..DEPTH {
            let plies = reduction(false, depth, 200).unwrap();
            assert!((0..(depth - 1).max(1)).contains(&plies), "{plies} at depth {depth}");
        }
    }

    #[test]
    fn hindsight_follows_the_evaluation_of_both_sides() {
        let deeper = params::hindsight_deeper();
        let shallower = params::hindsight_shallower();
        let better = params::hindsight_margin() + 1;
        for (reduction, then, now, depth, expected) in [
            (deeper, 50, Some(-50), 5, 1),
            (deeper, 50, Some(-49), 5, 0),
            (deeper - 1, 50, Some(-50), 5, 0),
            (deeper, 50, None, 5, 0),
            (shallower, 0, Some(better), 2, -1),
            (shallower, 0, Some(better - 1), 2, 0),
            (shallower, 0, Some(better), 1, 0),
            (shallower - 1, 0, Some(better), 2, 0),
        ] {
            let position = Position::default();
            let node = Node::root(&position, Window::FULL, depth);
            let node = Node { reduction, eval: now.map(Score::new), ..node };
            let found = hindsight(&node, Some(Score::new(then)));
            assert_eq!(found, expected, "{reduction} {then} {now:?} {depth}");
        }
    }
}
