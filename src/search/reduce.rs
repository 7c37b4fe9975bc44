//! Late move reductions: moves that come late are searched to a smaller depth first, and a reduction that
//! has proved wrong is made good at the next node.
//!
//! Source: the logarithms are Senpai's and Stockfish's; the adjustments are those of
//! Stockfish, with margins of our own.

use crate::memory;
use crate::position::is_tactical;
use crate::score::{Depth, Score};

use super::node::{Facts, Node, NodeType};
use super::params;
use super::picker::Picked;
use super::stack::Frame;

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

    /// The node's depth less the reduction that a quiet move would get by its number and history, in plies: what
    /// prunes moves at low depth goes by it, so it spares those with a good history. Source: Stockfish.
    pub fn depth_left(&self, depth: Depth, picked: Picked) -> Depth {
        let parts = self.base_parts(false, depth, picked.move_count) - by_history(picked);
        (depth - parts.div_euclid(PLY)).max(0)
    }

    /// Plies by which a late move of `node` is searched less deep at first than to `depth`; `None` for an
    /// early move. `cutoffs` counts those among the children of the node and of its siblings.
    pub fn reduction<N: NodeType>(
        &self,
        node: &Node<'_>,
        facts: &Facts,
        picked: Picked,
        depth: Depth,
        cutoffs: i32,
    ) -> Option<Depth> {
        let unreduced = if N::PV { 2 } else { 1 };
        let is_late = node.depth >= params::reduction_depth() && picked.move_count > unreduced;
        is_late.then(|| {
            let plies = self.parts(node, facts, picked, cutoffs).div_euclid(PLY);
            plies.clamp(0, depth.max(1) - 1)
        })
    }

    /// The reduction in 1024ths of a ply, which may be negative.
    fn parts(&self, node: &Node<'_>, facts: &Facts, picked: Picked, cutoffs: i32) -> Depth {
        let mut parts = self.base_parts(picked.is_tactical, node.depth, picked.move_count);
        if facts.tt_pv {
            parts -= params::reduction_pv();
        }
        if node.is_cut {
            parts += params::reduction_cut();
        }
        if !facts.is_improving {
            parts += params::reduction_worsening();
        }
        if picked.is_refutation {
            parts -= params::reduction_killer();
        }
        if picked.gives_check {
            parts -= params::reduction_check();
        }
        if facts.tt_move.is_some_and(is_tactical) && !picked.is_tactical {
            parts += params::reduction_tt_capture();
        }
        if cutoffs > params::reduction_cutoff_count() {
            parts += params::reduction_cutoffs();
        }
        parts - by_history(picked)
    }

    fn base_parts(&self, is_tactical: bool, depth: Depth, move_count: usize) -> i32 {
        let grid = if is_tactical { &self.tactical } else { &self.quiet };
        grid[(depth.max(0) as usize).min(SIZE - 1)][move_count.min(SIZE - 1)]
    }
}

/// How much less a move is reduced for its history, in 1024ths of a ply; negative if the history is bad.
fn by_history(picked: Picked) -> i32 {
    let unit = if picked.is_tactical {
        params::reduction_tactical_history()
    } else {
        params::reduction_quiet_history()
    };
    picked.history * PLY / unit
}

/// Hindsight: a node that a reduction has led to is searched a ply deeper unless the reduced move has
/// worsened its side's evaluation, and a ply less deep if it clearly has. `before` is the frame of the
/// reduced move, `eval` and `depth` are those of the node. Source: Stockfish, 2024.
pub fn hindsight(before: &Frame, eval: Option<Score>, depth: Depth) -> Depth {
    let (Some(then), Some(now)) = (before.eval, eval) else { return 0 };
    let sum = then.get() + now.get();
    if before.reduction >= params::hindsight_deeper() && sum <= 0 {
        1
    } else if before.reduction >= params::hindsight_shallower()
        && depth >= 2
        && sum > params::hindsight_margin()
    {
        -1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture::{facts, picked};
    use super::super::node::{NonPv, Pv, Window};
    use super::*;
    use crate::position::Position;

    const DEPTH: Depth = 12;

    /// The reduction of move number `move_count` of an improving node of `depth`, in 1024ths of a ply, once
    /// `change` has changed them.
    fn parts(
        depth: Depth,
        move_count: usize,
        change: impl FnOnce(&mut Node<'_>, &mut Facts, &mut Picked),
    ) -> i32 {
        let position = Position::default();
        let mut node = Node::root(&position, Window::FULL, depth);
        let mut facts = facts(&position, 0);
        let mut picked = picked(&position, "g1f3", move_count);
        change(&mut node, &mut facts, &mut picked);
        Reductions::new().parts(&node, &facts, picked, 0)
    }

    #[test]
    fn later_and_deeper_moves_are_reduced_more() {
        let at = |depth, move_count| parts(depth, move_count, |_, _, _| {});
        assert!(at(20, 30) > at(20, 4) && at(20, 30) > at(4, 30));
        assert!(at(2, 2) < 2 * PLY);
    }

    #[test]
    fn each_circumstance_changes_the_reduction_its_own_way() {
        let changed = |change: fn(&mut Node<'_>, &mut Facts, &mut Picked)| {
            parts(DEPTH, 12, change) - parts(DEPTH, 12, |_, _, _| {})
        };
        let unit = params::reduction_quiet_history();
        let history = |history| {
            parts(DEPTH, 12, |_, _, picked| picked.history = history)
                - parts(DEPTH, 12, |_, _, _| {})
        };
        assert_eq!(changed(|node, _, _| node.is_cut = true), params::reduction_cut());
        let worsening = changed(|_, facts, _| facts.is_improving = false);
        assert_eq!(worsening, params::reduction_worsening());
        assert_eq!(changed(|_, facts, _| facts.tt_pv = true), -params::reduction_pv());
        let refutation = changed(|_, _, picked| picked.is_refutation = true);
        assert_eq!(refutation, -params::reduction_killer());
        let check = changed(|_, _, picked| picked.gives_check = true);
        assert_eq!(check, -params::reduction_check());
        let capture = changed(|_, facts, _| {
            let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
            facts.tt_move = Some(position.parse_move("e4d5").unwrap());
        });
        assert_eq!(capture, params::reduction_tt_capture());
        assert_eq!([unit, 0, -unit].map(history), [-PLY, 0, PLY]);
    }

    #[test]
    fn a_good_history_leaves_more_depth() {
        let reductions = Reductions::new();
        let left = |depth, history| {
            let picked = picked(&Position::default(), "g1f3", 12);
            reductions.depth_left(depth, Picked { history, ..picked })
        };
        let unit = params::reduction_quiet_history();
        assert_eq!([-unit, unit].map(|history| left(DEPTH, history) - left(DEPTH, 0)), [-1, 1]);
        assert_eq!(left(2, -9 * unit), 0);
    }

    #[test]
    fn early_moves_and_low_depths_are_not_reduced() {
        let reductions = Reductions::new();
        let position = Position::default();
        let facts = facts(&position, 0);
        let reduction = |is_pv, depth, move_count| {
            let node = Node::root(&position, Window::FULL, depth);
            let picked = picked(&position, "g1f3", move_count);
            if is_pv {
                reductions.reduction::<Pv>(&node, &facts, picked, depth - 1, 0)
            } else {
                reductions.reduction::<NonPv>(&node, &facts, picked, depth - 1, 0)
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
            let eval = Some(Score::new(then));
            let before = Frame { reduction, eval, ..Frame::default() };
            let found = hindsight(&before, now.map(Score::new), depth);
            assert_eq!(found, expected, "{reduction} {then} {now:?} {depth}");
        }
    }
}
