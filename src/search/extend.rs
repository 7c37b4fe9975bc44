//! Extensions: moves that are searched deeper than the others.

use crate::position::Move;
use crate::score::{Depth, MAX_PLY, Score};
use crate::tt::Bound;

use super::node::{Node, NodeType, NonPv, Window};
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
/// Plies for the TT move where other moves may fail high as well.
const NEGATIVE_EXTENSION: Depth = -2;

impl Search<'_> {
    /// How much deeper `m` is searched.
    pub fn extension<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        m: Move,
    ) -> Result<Extension, Aborted> {
        // The move before may have been extended twice.
        self.own.stack.inherit(node.ply);
        if self.shared.is_plain
            || N::ROOT
            || node.ply as Depth >= 2 * self.path.iteration
            || node.ply + 4 > MAX_PLY
        {
            return Ok(Extension::Plies(0));
        }
        if node.tt_move == Some(m)
            && node.excluded.is_none()
            && let Some(score) = singular_candidate(node)
        {
            return self.singular::<N>(node, m, score);
        }
        Ok(Extension::Plies(0))
    }

    /// Singular extension: the transposition table's move is extended if every other move is
    /// clearly worse, by a search to half the depth without it. If the others fail high as well,
    /// the node is cut (multicut); if they merely might, the move is reduced. Sources: P. Verhelst,
    /// 1997; T. Anantharaman, M. Campbell and F. Hsu, 1988; in this form, Stockfish.
    fn singular<N: NodeType>(
        &mut self,
        node: &Node<'_>,
        m: Move,
        score: Score,
    ) -> Result<Extension, Aborted> {
        let target = score - params::singular_margin() * node.depth / MARGIN_GRAIN;
        let depth = (node.depth - 1) / params::singular_depth_divisor();
        let window = Window::below(target);
        let mut without = node.again(window, depth);
        without.excluded = Some(m);
        let others = self.pvs::<NonPv>(&mut without)?;
        let doubles = &mut self.own.stack.at_mut(node.ply).double_extensions;
        let may_double = !N::PV && *doubles < params::singular_double_max();
        let extension = by_the_others(node, score, others, target, may_double);
        *doubles += i32::from(extension == Extension::Plies(2));
        Ok(extension)
    }
}

/// The extension of a move with the transposition table's `score`, once a search of the others in a
/// null window below `target` has returned `others`.
fn by_the_others(
    node: &Node<'_>,
    score: Score,
    others: Score,
    target: Score,
    may_double: bool,
) -> Extension {
    if others < target {
        let clearly = may_double && others < target - params::singular_double_margin();
        Extension::Plies(1 + Depth::from(clearly))
    } else if others >= node.window.beta && !others.is_decisive() {
        Extension::Multicut(others)
    } else if score >= node.window.beta || node.is_cut {
        Extension::Plies(NEGATIVE_EXTENSION)
    } else {
        Extension::Plies(0)
    }
}

/// The transposition table's score, if its move may be singular.
fn singular_candidate(node: &Node<'_>) -> Option<Score> {
    let entry = node.tt_entry?;
    let (score, bound) = entry.score?;
    let is_trusted =
        entry.depth >= node.depth - params::singular_tt_depth() && bound != Bound::Upper;
    (node.depth >= params::singular_depth() && is_trusted && !score.is_decisive()).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::super::node::fixture;
    use super::*;
    use crate::position::{PackedMove, Position};
    use crate::tt::Entry;

    const WINDOW: Window = Window { alpha: Score::new(0), beta: Score::new(100) };
    const DEPTH: Depth = 10;

    #[test]
    fn a_move_is_extended_by_what_the_others_are_worth() {
        use Extension::{Multicut, Plies};
        let position = Position::default();
        let double = params::singular_double_margin();
        let win = Score::mate_in(9);
        // The TT score, the score of the other moves by a search with target 50, whether a
        // fail-high is expected, whether a double extension is allowed.
        for (score, others, is_cut, may_double, expected) in [
            (60, Score::new(49), false, true, Plies(1)),
            (60, Score::new(50 - double), false, true, Plies(1)),
            (60, Score::new(49 - double), false, true, Plies(2)),
            (60, Score::new(49 - double), false, false, Plies(1)),
            (60, Score::new(50), false, true, Plies(0)),
            (60, Score::new(99), false, true, Plies(0)),
            (60, Score::new(50), true, true, Plies(NEGATIVE_EXTENSION)),
            (100, Score::new(50), false, true, Plies(NEGATIVE_EXTENSION)),
            (60, Score::new(100), false, true, Multicut(Score::new(100))),
            (60, win, false, true, Plies(0)),
        ] {
            let node = Node { is_cut, ..Node::root(&position, WINDOW, DEPTH) };
            let (score, target) = (Score::new(score), Score::new(50));
            let found = by_the_others(&node, score, others, target, may_double);
            assert_eq!(found, expected, "{score:?} {others:?} {is_cut} {may_double}");
        }
    }

    #[test]
    fn a_move_may_be_singular_if_its_entry_is_deep_enough() {
        let position = Position::default();
        let candidate = |depth, entry_depth, score, bound| {
            let score = Some((score, bound));
            let best = PackedMove::NONE;
            let entry = Entry { best, score, eval: None, depth: entry_depth, was_pv: false };
            let node = Node { tt_entry: Some(entry), ..fixture::node(&position, depth) };
            singular_candidate(&node).is_some()
        };
        let (even, mate) = (Score::new(30), Score::mate_in(9));
        let (least, behind) = (params::singular_depth(), params::singular_tt_depth());
        assert!(candidate(DEPTH, DEPTH - behind, even, Bound::Lower));
        assert!(candidate(DEPTH, DEPTH, even, Bound::Exact));
        assert!(!candidate(DEPTH, DEPTH, even, Bound::Upper));
        assert!(!candidate(DEPTH, DEPTH - behind - 1, even, Bound::Lower));
        assert!(!candidate(DEPTH, DEPTH, mate, Bound::Lower));
        assert!(candidate(least, least, even, Bound::Lower));
        assert!(!candidate(least - 1, least, even, Bound::Lower));
        assert_eq!(singular_candidate(&fixture::node(&position, DEPTH)), None);
    }
}
