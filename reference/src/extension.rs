//! Selective extensions.
//!
//! Text: P. Verhelst, "Chess Tree Search", 1997, *Selective extensions*. Singular extensions:
//! T. Anantharaman, M. Campbell, F. Hsu, "Singular Extensions: Adding Selectivity to Brute-Force
//! Searching", 1988, in the cheap form that examines only the transposition table's move.
//!
//! Contract: an extension searches a forcing line deeper, so values are those of a different,
//! irregular tree. All algorithms agree on it as long as extensions depend on the line alone;
//! singular extensions do not, because they depend on the transposition table.

use super::node::{Node, ONE_PLY};
use super::searcher::Searcher;
use super::{Game, Window};
use heddle::score::Depth;

/// Moves are extended up to this many times the nominal depth of the search from the root.
const GROWTH: Depth = 2;
/// Checks, if extensions are fractional: three quarters of a ply.
const CHECK: Depth = 3;
/// Recaptures and promotion threats, if extensions are fractional: half a ply.
const HALF: Depth = 2;
/// The least depth, in quarter plies, at which looking for singular moves pays.
const SINGULAR_DEPTH: Depth = 4 * ONE_PLY;
/// How much shallower the other moves are searched, and how much shallower the stored entry may be.
const SINGULAR_REDUCTION: Depth = 2 * ONE_PLY;
/// How much worse all other moves have to be, in centipawns.
const SINGULAR_MARGIN: i32 = 50;

/// The moves to search deeper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Moves that give check.
    pub check: bool,
    /// Captures of the piece that has just captured.
    pub recapture: bool,
    /// Moves that threaten to promote.
    pub promotion_threat: bool,
    /// The transposition table's move, if all others are much worse; needs a table.
    pub singular: bool,
    /// Checks, recaptures and promotion threats extend by less than a ply; fractions add up along a
    /// line.
    pub fractional: bool,
}

impl Extensions {
    /// Whether no move is extended.
    pub fn are_off(&self) -> bool {
        *self == Self { fractional: self.fractional, ..Self::default() }
    }
}

/// The extension of the move `m` from `node` to `child`, in quarter plies: at most one ply.
pub(super) fn extension<G: Game>(
    search: &mut impl Searcher<G>,
    on: Extensions,
    node: &Node<G>,
    m: G::Move,
    child: &G,
) -> Depth {
    if on.are_off() || node.ply as Depth >= GROWTH * search.root_depth() {
        return 0;
    }
    let size = |fraction| if on.fractional { fraction } else { ONE_PLY };
    let mut sum = 0;
    if on.check && child.in_check() {
        sum += size(CHECK);
    }
    if on.recapture && node.last_move.is_some_and(|last| node.game.is_recapture(m, last)) {
        sum += size(HALF);
    }
    if on.promotion_threat && node.game.threatens_promotion(m) {
        sum += size(HALF);
    }
    if on.singular && sum < ONE_PLY && is_singular(search, node, m) {
        sum += ONE_PLY;
    }
    sum.min(ONE_PLY)
}

/// Whether `m` is the transposition table's move and, in a shallower search, every other move is
/// worse by the margin than the stored lower bound.
fn is_singular<G: Game>(search: &mut impl Searcher<G>, node: &Node<G>, m: G::Move) -> bool {
    if node.depth < SINGULAR_DEPTH {
        return false;
    }
    let entry = search.memory().and_then(|memory| memory.peek(node));
    let Some(entry) = entry.filter(|e| {
        e.best_move == Some(m)
            && e.depth >= node.depth - SINGULAR_REDUCTION
            && !e.lower.is_decisive()
    }) else {
        return false;
    };
    let limit = entry.lower - SINGULAR_MARGIN;
    let depth = node.depth - ONE_PLY - SINGULAR_REDUCTION;
    node.game.successors().into_iter().filter(|&other| other != m).all(|other| {
        let game = node.game.play(other);
        let child = Node { game, ply: node.ply + 1, depth, last_move: Some(other) };
        search.ask(&child, Window::minimal(limit - 1)).value < limit
    })
}
