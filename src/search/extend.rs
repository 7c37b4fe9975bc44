//! Extensions: moves that are searched deeper than the others.

use crate::position::Move;
use crate::score::{Depth, MAX_PLY, Score};
use crate::tt::Bound;

use super::mode::Mode;
use super::node::{Facts, Node, NodeType, NonPv};
use super::window::Window;
use super::worker::Search;
use super::{Aborted, params};

/// How the depth of a move's search changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    /// Plies more, or less.
    Plies(Depth),
    /// The node fails high even without the move.
    Multicut(Score),
}

/// Units of the singular margin in a centipawn.
const MARGIN_GRAIN: i32 = 16;
/// Plies for a move that is not singular where the others may fail high as well.
const NEGATIVE_EXTENSION: Depth = -2;

impl<M: Mode> Search<'_, M> {
    /// How much deeper `m` is searched.
    pub fn extension<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        facts: &Facts,
        m: Move,
    ) -> Result<Extension, Aborted> {
        // The move before may have been extended twice.
        self.stack.inherit(node.ply);
        if !M::SELECTIVE
            || N::ROOT
            || node.ply as Depth >= 2 * self.iteration
            || node.ply + 4 > MAX_PLY
        {
            return Ok(Extension::Plies(0));
        }
        if facts.tt_move == Some(m)
            && node.excluded.is_none()
            && let Some(score) = singular_candidate(node, facts)
        {
            return self.singular::<N>(node, m, score);
        }
        Ok(Extension::Plies(0))
    }

    /// Singular extension: the transposition table's move is extended if every other move is clearly
    /// worse, by a search to half the depth without it. If the others fail high as well, the node is cut
    /// (multicut); if they merely might, the move is reduced. Sources: P. Verhelst, 1997;
    /// T. Anantharaman, M. Campbell and F. Hsu, 1988; in this form, Stockfish.
    fn singular<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        m: Move,
        score: Score,
    ) -> Result<Extension, Aborted> {
        let target = score - params::SINGULAR_MARGIN.get() * node.depth / MARGIN_GRAIN;
        let depth = (node.depth - 1) / params::SINGULAR_DEPTH_DIVISOR.get();
        let window = Window::below(target);
        let others = self.pvs::<NonPv>(Node { window, depth, excluded: Some(m), ..*node })?;
        let doubles = self.stack.at(node.ply).double_extensions;
        Ok(if others < target {
            let clearly = !N::PV
                && others < target - params::SINGULAR_DOUBLE_MARGIN.get()
                && doubles < params::SINGULAR_DOUBLE_MAX.get();
            self.stack.at_mut(node.ply).double_extensions = doubles + i32::from(clearly);
            Extension::Plies(1 + Depth::from(clearly))
        } else if others >= node.window.beta && !others.is_decisive() {
            Extension::Multicut(others)
        } else if score >= node.window.beta || node.is_cut {
            Extension::Plies(NEGATIVE_EXTENSION)
        } else {
            Extension::Plies(0)
        })
    }
}

/// The transposition table's score, where its move may be singular.
fn singular_candidate(node: &Node<'_>, facts: &Facts) -> Option<Score> {
    let entry = facts.tt_entry?;
    let (score, bound) = entry.score?;
    let is_trusted =
        entry.depth >= node.depth - params::SINGULAR_TT_DEPTH.get() && bound != Bound::Upper;
    (node.depth >= params::SINGULAR_DEPTH.get() && is_trusted && !score.is_decisive())
        .then_some(score)
}
