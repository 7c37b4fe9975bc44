//! The bounded search: visits nodes, and combines an algorithm with any set of techniques.
//!
//! Contract: [`Search::root`] returns a value that relates to the window as the algorithm's own
//! contract says, and keeps what it has learnt (transposition table, killers, history) for the next
//! call. An algorithm is one function that expands an inner node and hands its children back, so
//! every technique works with every algorithm. With all of them off, the bare algorithm remains.

pub use super::counts::Counts;
use super::extension::Extensions;
use super::memory::{DepthRule, Memory, TableOptions};
use super::node::{Node, ONE_PLY};
use super::ordering::{Orderer, Ordering};
pub use super::pvs::ReSearch;
pub use super::quiescence::Quiescence;
use super::quiescence::{Plies, quiescence};
use super::searcher::Searcher;
use super::{Bound, Found, Game, Window};
use super::{alphabeta, etc, extension, negascout, null_move, pvs, scout};
use heddle::score::Depth;

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

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 5] =
        [Self::FailHard, Self::FailSoft, Self::Pvs, Self::NegaScout, Self::Scout];
}

/// The algorithm and the techniques to combine with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The algorithm that expands inner nodes.
    pub algorithm: Algorithm,
    /// The window of a re-search, in principal variation search.
    pub re_search: ReSearch,
    /// The criteria that moves are sorted by.
    pub ordering: Ordering,
    /// The transposition table; `None` searches without one.
    pub table: Option<TableOptions>,
    /// Enhanced transposition cutoff; has no effect without a table.
    pub etc: bool,
    /// Null-move pruning.
    pub null_move: bool,
    /// A quiescence search at the leaves instead of the static evaluation.
    pub quiescence: Quiescence,
    /// Selective extensions.
    pub extensions: Extensions,
}

impl Options {
    /// Whether a leaf's value is independent of the window and depth is the distance to the leaves.
    pub fn has_plain_leaves(&self) -> bool {
        let deeper = self.table.is_some_and(|table| table.depth_rule == DepthRule::AtLeast);
        self.quiescence == Quiescence::Off && !deeper && self.extensions.are_off()
    }

    /// Expands an inner node by the algorithm, whatever the search that answers it.
    pub fn expand<G: Game>(
        &self,
        search: &mut impl Searcher<G>,
        node: &Node<G>,
        window: Window,
    ) -> Found<G::Move> {
        match self.algorithm {
            Algorithm::FailHard => alphabeta::fail_hard(search, node, window),
            Algorithm::FailSoft => alphabeta::fail_soft(search, node, window),
            Algorithm::Pvs => pvs::pvs(search, node, window, self.re_search),
            Algorithm::NegaScout => {
                negascout::negascout(search, node, window, self.has_plain_leaves())
            }
            Algorithm::Scout => scout::scout(search, node, window),
        }
    }
}

/// A bounded search and what it remembers from one call to the next.
pub struct Search<G: Game> {
    /// The algorithm and the techniques.
    pub options: Options,
    /// The work done by all calls so far.
    pub counts: Counts,
    memory: Option<Memory<G::Move>>,
    orderer: Orderer<G::Move>,
    root_depth: Depth,
}

impl<G: Game> Search<G> {
    /// A search that has learnt nothing yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            counts: Counts::default(),
            memory: options.table.map(Memory::new),
            orderer: Orderer::new(options.ordering, G::MOVE_INDICES),
            root_depth: 0,
        }
    }

    /// Searches `game` to `depth` plies with `window`.
    pub fn root(&mut self, game: &G, depth: Depth, window: Window) -> Found<G::Move> {
        self.root_depth = depth;
        self.counts.searches += 1;
        let node = Node { game: game.clone(), ply: 0, depth: depth * ONE_PLY, last_move: None };
        self.visit(&node, window)
    }

    /// The value and line of a node, from the side to move's point of view.
    fn visit(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        self.counts.nodes += 1;
        self.counts.null_windows += u64::from(window.is_minimal());
        if let Some(value) = node.game.terminal(node.ply) {
            self.counts.leaves += 1;
            return Found::without_line(value);
        }
        if node.depth < ONE_PLY {
            self.counts.leaves += 1;
            return self.leaf(node, window);
        }
        if let Some(found) = self.cutoff(node, window) {
            return found;
        }
        let memory = self.memory.as_mut();
        let (narrowed, tt_move) = memory.map_or((window, None), |m| m.narrowed(node, window));
        let found = self.expand(node, narrowed);
        let found = on_the_edge(found, window, narrowed, tt_move);
        if window.bound(found.value) == Bound::Lower
            && let Some(m) = found.line.first()
        {
            self.orderer.record_cutoff(&node.game, m, node.ply, node.depth);
        }
        if let Some(memory) = &mut self.memory {
            memory.store(node, window, &found);
        }
        found
    }

    /// The value of a node at the horizon.
    fn leaf(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        let kind = self.options.quiescence;
        if kind != Quiescence::Off {
            let ply = Plies { root: node.ply, quiescence: 0 };
            return quiescence(&mut self.counts, &node.game, ply, window, kind);
        }
        self.counts.evaluations += 1;
        Found::without_line(node.game.evaluate())
    }

    /// The result of a technique that saves expanding the node.
    fn cutoff(&mut self, node: &Node<G>, window: Window) -> Option<Found<G::Move>> {
        let Options { etc, null_move, .. } = self.options;
        let stored = self.memory.as_mut().and_then(|m| m.cutoff(node, window, &mut self.counts));
        stored
            .or_else(|| etc.then(|| etc::cutoff(self, node, window)).flatten())
            .or_else(|| null_move.then(|| null_move::cutoff(self, node, window)).flatten())
    }

    /// Lets the algorithm search the node's moves.
    fn expand(&mut self, node: &Node<G>, window: Window) -> Found<G::Move> {
        self.orderer.enter(node.ply);
        let options = self.options;
        options.expand(self, node, window)
    }
}

/// A value on the edge of a narrowed window, but inside the window asked for, is exact: the stored
/// bound proves the other half. Only the move that reaches it is proved with it.
fn on_the_edge<M: Copy + PartialEq>(
    found: Found<M>,
    window: Window,
    narrowed: Window,
    tt_move: Option<M>,
) -> Found<M> {
    if !window.contains(found.value) || narrowed.contains(found.value) {
        return found;
    }
    let proved = if found.value <= narrowed.alpha { tt_move } else { found.line.first() };
    let value = Found::without_line(found.value);
    proved.map_or(value.clone(), |m| value.after(m))
}

impl<G: Game> Searcher<G> for Search<G> {
    fn ordered_moves(&self, node: &Node<G>) -> Vec<G::Move> {
        let mut moves = node.game.successors();
        let memory = self.memory.as_ref().filter(|_| self.options.ordering.tt_move);
        let tt_move = memory.and_then(|memory| memory.peek(node)?.best_move);
        self.orderer.sort(&node.game, &mut moves, node.ply, tt_move);
        moves
    }

    fn child(&mut self, node: &Node<G>, m: G::Move) -> Node<G> {
        let game = node.game.play(m);
        let extension = extension::extension(self, self.options.extensions, node, m, &game);
        Node {
            game,
            ply: node.ply + 1,
            depth: node.depth - ONE_PLY + extension,
            last_move: Some(m),
        }
    }

    fn ask(&mut self, child: &Node<G>, window: Window) -> Found<G::Move> {
        -self.visit(child, -window)
    }

    fn counts(&mut self) -> &mut Counts {
        &mut self.counts
    }

    fn memory(&mut self) -> Option<&mut Memory<G::Move>> {
        self.memory.as_mut()
    }

    fn root_depth(&self) -> Depth {
        self.root_depth
    }
}
