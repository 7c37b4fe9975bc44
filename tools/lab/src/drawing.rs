//! A small tree, drawn as two algorithms search it: what is visited, cut off and searched again.

use std::collections::BTreeMap;

use heddle::score::Score;
use heddle_reference::Window;
use heddle_reference::search::{Algorithm, Options};
use heddle_reference::tree::{Shape, Tree, Values};
use maud::{Markup, html};

use crate::report::score;
use crate::trace::{Tracer, Visit};

/// The tree: small enough to draw, and one in which PVS searches again and still visits less than
/// alpha-beta.
const SHAPE: Shape = Shape {
    seed: SEED,
    height: HEIGHT,
    width: (WIDTH, WIDTH),
    values: Values::Hashed { distinct: 90, positions: None },
};
const SEED: u64 = 158;
const HEIGHT: usize = 3;
const WIDTH: u8 = 3;
/// The algorithms that are drawn side by side.
const ALGORITHMS: [(&str, Algorithm); 2] =
    [("alpha-beta", Algorithm::FailSoft), ("PVS", Algorithm::Pvs)];

/// Between neighbouring leaves, in pixels.
const LEAF: usize = 22;
/// Between two plies.
const PLY: usize = 64;
const MARGIN: usize = 26;
const RADIUS: usize = 8;

/// What a search did at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Never visited.
    Cut,
    /// Visited once.
    Visited,
    /// Visited again with another window.
    Again,
}

/// A path from the root.
type Path = Vec<u8>;
/// The visits to each node.
type Visits = BTreeMap<Path, Vec<Visit<u8>>>;

/// Both drawings, each in its own figure.
pub fn figures() -> Markup {
    let (tree, all) = (Tree::new(SHAPE), paths());
    html! {
        @for (name, algorithm) in ALGORITHMS {
            @let visits = visits(&tree, algorithm);
            figure {
                (svg(&visits, &all))
                figcaption { (name) ": " (caption(&visits, &all)) }
            }
        }
    }
}

fn caption(visits: &Visits, all: &[Path]) -> String {
    let count =
        |wanted: fn(State) -> bool| all.iter().filter(|path| wanted(state(visits, path))).count();
    format!(
        "{} visits to {} of {} nodes, {} cut off, {} searched again",
        visits.values().map(Vec::len).sum::<usize>(),
        count(|state| state != State::Cut),
        all.len(),
        count(|state| state == State::Cut),
        count(|state| state == State::Again)
    )
}

fn visits(tree: &Tree, algorithm: Algorithm) -> Visits {
    let mut tracer = Tracer::new(Options { algorithm, ..Options::default() });
    let _ = tracer.root(tree, HEIGHT as i32, Window::FULL);
    let mut visits = Visits::new();
    for visit in tracer.visits {
        visits.entry(visit.path.clone()).or_default().push(visit);
    }
    visits
}

fn state(visits: &Visits, path: &Path) -> State {
    match visits.get(path).map_or(0, Vec::len) {
        0 => State::Cut,
        1 => State::Visited,
        _ => State::Again,
    }
}

/// Every node of the tree, the root first, ply by ply.
fn paths() -> Vec<Path> {
    let mut all = vec![Path::new()];
    let mut next = 0;
    while let Some(path) = all.get(next).filter(|path| path.len() < HEIGHT).cloned() {
        all.extend((0..WIDTH).map(|m| [&path[..], &[m]].concat()));
        next += 1;
    }
    all
}

/// The centre of a node: above the middle of its leaves.
fn centre(path: &[u8]) -> (usize, usize) {
    let leaves = usize::from(WIDTH).pow((HEIGHT - path.len()) as u32);
    let first =
        path.iter().fold(0, |index, &m| index * usize::from(WIDTH) + usize::from(m)) * leaves;
    (MARGIN + (2 * first + leaves - 1) * LEAF / 2, MARGIN + path.len() * PLY)
}

fn svg(visits: &Visits, all: &[Path]) -> Markup {
    let leaves = usize::from(WIDTH).pow(HEIGHT as u32);
    let (width, height) = (2 * MARGIN + (leaves - 1) * LEAF, 2 * MARGIN + HEIGHT * PLY);
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" {
            @for path in &all[1..] {
                @let ((x1, y1), (x2, y2)) = (centre(&path[..path.len() - 1]), centre(path));
                line class=(class(visits, path)) x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
            }
            @for path in all {
                @let (x, y) = centre(path);
                @let asked = visits.get(path).map_or("cut off".into(), |visits| asked(visits));
                circle class=(class(visits, path)) cx=(x) cy=(y) r=(RADIUS) { title { (asked) } }
                @if let Some(last) = visits.get(path).and_then(|visits| visits.last()) {
                    @let below = y + RADIUS + 12;
                    @let (x, y) = if path.len() == HEIGHT { (x, below) } else { (x + 22, y - 4) };
                    text x=(x) y=(y) { (last.value.get()) }
                }
            }
        }
    }
}

fn class(visits: &Visits, path: &Path) -> &'static str {
    match state(visits, path) {
        State::Cut => "cut",
        State::Visited => "visited",
        State::Again => "again",
    }
}

/// The windows that a node was searched with, and the answers.
fn asked(visits: &[Visit<u8>]) -> String {
    let one = |visit: &Visit<u8>| {
        let Window { alpha, beta } = visit.window;
        format!("({}, {}) -> {}", whole(alpha), whole(beta), whole(visit.value))
    };
    visits.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// A value of the tree: a whole number and no pawns.
fn whole(value: Score) -> String {
    if value.abs() == Score::INFINITE { score(value) } else { value.get().to_string() }
}

#[cfg(test)]
mod tests {
    use heddle_reference::Game;

    use super::*;

    #[test]
    fn the_drawn_tree_has_cut_nodes_and_nodes_that_pvs_searches_again() {
        let tree = Tree::new(SHAPE);
        assert!(paths().iter().all(|path| {
            let end = path.iter().fold(tree, |at, &m| at.play(m));
            end.terminal(0).is_some() == (path.len() == HEIGHT)
        }));
        let [soft, pvs] = ALGORITHMS.map(|(_, algorithm)| visits(&tree, algorithm));
        let has = |visits, wanted: fn(State) -> bool| {
            paths().iter().any(|path| wanted(state(visits, path)))
        };
        assert!(has(&soft, |state| state == State::Cut) && has(&pvs, |state| state == State::Cut));
        assert!(!has(&soft, |state| state == State::Again));
        assert!(has(&pvs, |state| state == State::Again));
        assert_eq!(soft[&vec![]][0].value, pvs[&vec![]][0].value);
    }
}
