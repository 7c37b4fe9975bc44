//! The node that all bounded searches share, and the switches.
//!
//! Contract: [`Search::root`] returns a value for a window as the algorithm's own contract says, and
//! keeps what it has learnt (table, killers, history) for the next window. An algorithm is one
//! function that expands an inner node and asks back for its children, so every enhancement works
//! with every algorithm, and each is a switch. With no switch on, this is the bare algorithm.

use super::memory::{DepthRule, Table, TableOptions};
use super::null_move;
use super::ordering::{Orderer, Ordering};
use super::{Bound, Found, Game, Window};
use super::{alphabeta, extension, negascout, pvs, quiescence, scout};
use crate::score::Depth;

/// One ply in the units of [`Node::depth`], which are quarters, since extensions may be fractions.
pub const ONE_PLY: Depth = 4;

/// The bounded searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// [`alphabeta::fail_hard`]
    FailHard,
    /// [`alphabeta::fail_soft`]
    #[default]
    FailSoft,
    /// [`pvs::pvs`]
    Pvs,
    /// [`negascout::negascout`]
    NegaScout,
    /// [`scout::scout`]
    Scout,
}

/// Everything that can be switched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How inner nodes are expanded.
    pub algorithm: Algorithm,
    /// What moves are sorted by.
    pub ordering: Ordering,
    /// The transposition table, if there is one.
    pub table: Option<TableOptions>,
    /// Enhanced transposition cutoff; needs a table.
    pub etc: bool,
    /// Null move.
    pub null_move: bool,
    /// A quiescence search at the leaves in place of the static evaluation.
    pub quiescence: bool,
    /// Selective extensions.
    pub extensions: extension::Extensions,
}

impl Options {
    /// The value of a leaf does not depend on the window, and depth is the distance to the leaves.
    #[must_use]
    pub fn has_plain_leaves(&self) -> bool {
        let deeper = self.table.is_some_and(|table| table.depth_rule == DepthRule::AtLeast);
        !self.quiescence && !deeper && self.extensions.are_off()
    }
}

/// The work that a search has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions visited, the root, the leaves and those of a quiescence search included.
    pub nodes: u64,
    /// Positions at the horizon and finished games.
    pub leaves: u64,
    /// Static evaluations.
    pub evaluations: u64,
    /// Searches repeated with another window, inside a tree or from the root.
    pub researches: u64,
}

/// A position on its place in the tree.
#[derive(Clone, Debug)]
pub struct Node<G: Game> {
    /// The position.
    pub game: G,
    /// Distance to the root in plies.
    pub ply: usize,
    /// Distance to the horizon in quarter plies.
    pub depth: Depth,
    /// The move that led here; `None` at the root and after passing.
    pub last: Option<G::Move>,
}

/// A bounded search of a game with what it remembers from one window to the next.
pub struct Search<G: Game> {
    /// The switches.
    pub options: Options,
    /// The work done so far.
    pub counts: Counts,
    pub(super) table: Option<Table<G::Move>>,
    pub(super) orderer: Orderer<G::Move>,
    /// Horizon of the iteration in plies: extensions stop at a multiple of it.
    pub(super) horizon: usize,
}

impl<G: Game> Search<G> {
    /// A search that remembers nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            counts: Counts::default(),
            table: options.table.map(Table::new),
            orderer: Orderer::new(options.ordering, G::SLOTS),
            horizon: 0,
        }
    }

    /// Searches `game` to `depth` plies for `window`.
    pub fn root(&mut self, game: &G, depth: Depth, window: Window) -> Found<G::Move> {
        self.horizon = depth.max(0) as usize;
        let node = Node { game: game.clone(), ply: 0, depth: depth * ONE_PLY, last: None };
        self.visit(&node, window)
    }

    /// A child's value and line for the parent.
    pub(super) fn ask(&mut self, child: &Node<G>, window: Window) -> Found<G::Move> {
        -self.visit(child, -window)
    }

    /// The value of a node for `window`, from the side to move's view.
    fn visit(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        self.counts.nodes += 1;
        if let Some(value) = node.game.terminal(node.ply) {
            self.counts.leaves += 1;
            return Found::still(value);
        }
        if node.depth < ONE_PLY {
            self.counts.leaves += 1;
            return self.leaf(node, window);
        }
        let cutoff = self
            .table_cutoff(node, window)
            .or_else(|| self.enhanced_cutoff(node, window))
            .or_else(|| null_move::cutoff(self, node, window));
        if let Some(found) = cutoff {
            return found;
        }
        let found = self.expand(node, window);
        if window.bound(found.value) == Bound::Lower
            && let Some(m) = found.line.first()
        {
            self.orderer.cutoff(&node.game, m, node.ply, node.depth);
        }
        self.store(node, window, &found);
        found
    }

    /// The algorithm's own part.
    fn expand(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        match self.options.algorithm {
            Algorithm::FailHard => alphabeta::fail_hard(self, node, window),
            Algorithm::FailSoft => alphabeta::fail_soft(self, node, window),
            Algorithm::Pvs => pvs::pvs(self, node, window),
            Algorithm::NegaScout => negascout::negascout(self, node, window),
            Algorithm::Scout => scout::scout(self, node, window),
        }
    }

    /// The value of a node at the horizon.
    fn leaf(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        if self.options.quiescence {
            return quiescence::quiescence(self, &node.game, node.ply, window);
        }
        self.counts.evaluations += 1;
        Found::still(node.game.evaluate())
    }

    /// The moves of a node in the order in which they are tried.
    pub(super) fn ordered(&self, node: &Node<G>) -> Vec<G::Move> {
        let mut moves = node.game.successors();
        let by_table = self.options.ordering.table_move;
        let table_move = by_table.then(|| self.table_move(node)).flatten();
        self.orderer.sort(&node.game, &mut moves, node.ply, table_move);
        moves
    }

    /// The node after a move: one ply shallower, less what the move is extended by.
    pub(super) fn descend(&mut self, node: &Node<G>, m: G::Move) -> Node<G> {
        let game = node.game.play(m);
        let extension = extension::extension(self, node, m, &game);
        Node { game, ply: node.ply + 1, depth: node.depth - ONE_PLY + extension, last: Some(m) }
    }
}
