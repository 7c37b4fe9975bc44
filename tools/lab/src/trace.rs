//! A search that writes down every node it visits: the reference's algorithms without any
//! technique.

use heddle::score::{Depth, Score};
use heddle_reference::memory::Memory;
use heddle_reference::node::{Node, ONE_PLY};
use heddle_reference::search::{Counts, Options};
use heddle_reference::searcher::Searcher;
use heddle_reference::{Found, Game, Window};

/// A node as it was visited.
#[derive(Clone, Debug)]
pub struct Visit<M> {
    /// The moves from the root.
    pub path: Vec<M>,
    /// What was asked, and the answer, from the side to move's point of view.
    pub window: Window,
    /// The value returned.
    pub value: Score,
}

/// The search.
pub struct Tracer<M> {
    /// The visits in the order in which they began.
    pub visits: Vec<Visit<M>>,
    options: Options,
    path: Vec<M>,
    counts: Counts,
    root_depth: Depth,
}

impl<M: Copy + PartialEq> Tracer<M> {
    /// A search by the algorithm of `options`, which has visited nothing yet.
    pub fn new(options: Options) -> Self {
        let (visits, path) = (Vec::new(), Vec::new());
        Self { visits, options, path, counts: Counts::default(), root_depth: 0 }
    }

    /// Searches `game` to `depth` plies with `window`.
    pub fn root<G: Game<Move = M>>(&mut self, game: &G, depth: Depth, window: Window) -> Found<M> {
        self.root_depth = depth;
        let node = Node { game: game.clone(), ply: 0, depth: depth * ONE_PLY, last_move: None };
        self.visit(&node, window)
    }

    fn visit<G: Game<Move = M>>(&mut self, node: &Node<G>, window: Window) -> Found<M> {
        let index = self.visits.len();
        self.visits.push(Visit { path: self.path.clone(), window, value: Score::DRAW });
        let found = match node.game.terminal(node.ply) {
            Some(value) => Found::without_line(value),
            None if node.depth < ONE_PLY => Found::without_line(node.game.evaluate()),
            None => {
                let options = self.options;
                options.expand(self, node, window)
            }
        };
        self.visits[index].value = found.value;
        found
    }
}

impl<G: Game> Searcher<G> for Tracer<G::Move> {
    fn ordered_moves(&self, node: &Node<G>) -> Vec<G::Move> {
        node.game.successors()
    }

    fn child(&mut self, node: &Node<G>, m: G::Move) -> Node<G> {
        let (game, depth) = (node.game.play(m), node.depth - ONE_PLY);
        Node { game, ply: node.ply + 1, depth, last_move: Some(m) }
    }

    fn ask(&mut self, child: &Node<G>, window: Window) -> Found<G::Move> {
        self.path.extend(child.last_move);
        let found = -self.visit(child, -window);
        self.path.pop();
        found
    }

    fn counts(&mut self) -> &mut Counts {
        &mut self.counts
    }

    fn memory(&mut self) -> Option<&mut Memory<G::Move>> {
        None
    }

    fn root_depth(&self) -> Depth {
        self.root_depth
    }
}

#[cfg(test)]
mod tests {
    use heddle_reference::search::{Algorithm, Search};
    use heddle_reference::tree::{Shape, Tree, Values};

    use super::*;

    #[test]
    fn the_tracer_visits_what_the_search_visits() {
        for algorithm in Algorithm::ALL {
            for seed in 0..50 {
                let values = Values::Hashed { distinct: 30, positions: None };
                let tree = Tree::new(Shape { seed, height: 4, width: (2, 3), values });
                let options = Options { algorithm, ..Options::default() };
                let mut tracer = Tracer::new(options);
                let mut search = Search::new(options);
                let traced = tracer.root(&tree, 4, Window::FULL);
                let found = search.root(&tree, 4, Window::FULL);
                assert_eq!((traced.value, traced.line), (found.value, found.line));
                assert_eq!(tracer.visits.len() as u64, search.counts.nodes);
                assert_eq!(tracer.visits[0].value, traced.value);
            }
        }
    }
}
