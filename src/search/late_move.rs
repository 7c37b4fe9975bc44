//! Which moves are reduced, and what a reduction is found to have been worth.

use crate::position::is_tactical;
use crate::score::Depth;

use super::mode::Mode;
use super::node::{Candidate, Node, NodeType};
use super::params;
use super::reduce::Circumstances;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// Plies by which a late move is searched less deep at first; `None` for an early move.
    pub fn late_move_reduction<N: NodeType>(
        &self,
        next: usize,
        depth: Depth,
        node: &Node,
        candidate: Candidate,
    ) -> Option<Depth> {
        let unreduced = if N::PV { 2 } else { 1 };
        if !M::SELECTIVE
            || node.depth < params::REDUCTION_DEPTH.get()
            || candidate.move_count <= unreduced
        {
            return None;
        }
        let circumstances = Circumstances {
            is_tactical: candidate.picked.is_tactical,
            tt_pv: node.tt_pv,
            is_cut: node.is_cut,
            is_improving: node.is_improving,
            is_refutation: candidate.picked.is_refutation,
            gives_check: candidate.gives_check,
            is_tt_move_tactical: node.tt_move.is_some_and(is_tactical),
            cutoffs: self.stack.at(next).cutoffs,
            history: candidate.picked.history,
        };
        let reduction = self.reductions.reduction(node.depth, candidate.move_count, circumstances);
        Some(reduction.clamp(0, depth.max(1) - 1))
    }

    /// Hindsight: a node that a reduction has led to is searched a ply deeper unless the reduced move has
    /// worsened its side's evaluation, and a ply less deep if it clearly has. Source: Stockfish, 2024.
    pub fn hindsight(&self, ply: usize, node: &Node) -> Depth {
        let before = self.stack.before(ply, 1);
        let (Some(then), Some(now)) = (before.eval, node.eval) else { return 0 };
        let sum = then.get() + now.get();
        if before.reduction >= params::HINDSIGHT_DEEPER.get() && sum <= 0 {
            1
        } else if before.reduction >= params::HINDSIGHT_SHALLOWER.get()
            && node.depth >= 2
            && sum > params::HINDSIGHT_MARGIN.get()
        {
            -1
        } else {
            0
        }
    }
}
