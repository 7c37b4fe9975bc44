//! The reference's table: when a stored value may stand in for a search, what is kept, and what
//! each rule does to the value.

use heddle::score::{Depth, Score};
use heddle_reference::drivers::Driver;
use heddle_reference::memory::{CutoffRule, DepthRule, Entry, Memory, Policy, TableOptions};
use heddle_reference::node::{Node, ONE_PLY};
use heddle_reference::search::{Algorithm, Counts, Options, ReSearch, Search};
use heddle_reference::tree::{Shape, Tree, Values};
use heddle_reference::{Found, Game, Window};

use super::{INFINITE, value};

fn window(alpha: i32, beta: i32) -> Window {
    Window::new(Score::new(alpha), Score::new(beta))
}

/// Trees of few positions, each met at many plies.
fn recurring() -> impl Iterator<Item = Tree> {
    (0..500).map(|seed| {
        let values = Values::Recurring { distinct: 40, positions: 12 };
        Tree::new(Shape { seed, height: 0, width: (1, 3), values })
    })
}

/// Trees with transpositions, but only within a ply.
fn transposing() -> impl Iterator<Item = Tree> {
    (0..500).map(|seed| {
        let values = Values::Hashed { distinct: 40, positions: Some(5) };
        Tree::new(Shape { seed, height: 5, width: (2, 4), values })
    })
}

const ROOMY: TableOptions = TableOptions {
    capacity: 1024,
    policy: Policy::Always,
    depth_rule: DepthRule::Equal,
    cutoff_rule: CutoffRule::Bounds,
    both_bounds: false,
    narrows_window: false,
};

fn search(algorithm: Algorithm, table: TableOptions) -> Search<Tree> {
    Search::new(Options { algorithm, table: Some(table), ..Options::default() })
}

fn entry(lower: i32, upper: i32) -> Entry<u8> {
    let (lower, upper) = (Score::new(lower), Score::new(upper));
    Entry { key: 0, depth: 0, lower, upper, best_move: None }
}

/// The rule at the end of the TalkChess thread: an exact value always, a lower bound from beta on,
/// an upper bound up to alpha.
#[test]
fn a_stored_value_settles_the_windows_that_the_texts_say() {
    let settles = |lower, upper| {
        let value = entry(lower, upper).settles(window(10, 20), CutoffRule::Bounds);
        value.map(Score::get)
    };
    for exact in [5, 10, 15, 20, 25] {
        assert_eq!(settles(exact, exact), Some(exact));
    }
    let from_below = [19, 20, 21].map(|lower| settles(lower, INFINITE));
    assert_eq!(from_below, [None, Some(20), Some(21)]);
    let from_above = [9, 10, 11].map(|upper| settles(-INFINITE, upper));
    assert_eq!(from_above, [Some(9), Some(10), None]);
    assert_eq!([settles(12, 18), settles(20, 30), settles(0, 10)], [None, Some(20), Some(10)]);
}

/// The rule that the thread begins with.
#[test]
fn the_rule_of_exact_values_alone_leaves_every_bound_unused() {
    let settles = |lower, upper| {
        let value = entry(lower, upper).settles(window(10, 20), CutoffRule::ExactInside);
        value.map(Score::get)
    };
    assert_eq!([10, 11, 19, 20].map(|v| settles(v, v)), [None, Some(11), Some(19), None]);
    assert_eq!([settles(20, INFINITE), settles(-INFINITE, 10)], [None, None]);
}

/// Where positions recur at other plies, entries deeper than asked for are met within one search.
/// Used, as the texts allow, they change values; left alone, they do not.
#[test]
fn where_positions_recur_the_rule_of_the_texts_is_not_exact_and_that_of_equal_depth_is() {
    const DEPTH: Depth = 5;
    for algorithm in Algorithm::ALL {
        let mut differing = 0;
        for tree in recurring() {
            let found = |depth_rule| {
                let table = TableOptions { depth_rule, ..ROOMY };
                search(algorithm, table).root(&tree, DEPTH, Window::FULL).value
            };
            let truth = value(&tree, DEPTH);
            assert_eq!(found(DepthRule::Equal), truth, "{algorithm:?}");
            differing += usize::from(found(DepthRule::AtLeast) != truth);
        }
        assert!(differing > 50, "{algorithm:?}: {differing} of 500");
    }
}

/// A shallower entry settles nothing under either rule.
#[test]
fn an_entry_from_a_shallower_search_is_never_used() {
    for tree in recurring() {
        for depth_rule in [DepthRule::Equal, DepthRule::AtLeast] {
            let mut memory = Memory::new(TableOptions { depth_rule, ..ROOMY });
            let node = |plies| Node { game: tree, ply: 1, depth: plies * ONE_PLY, last_move: None };
            let found = Found::without_line(Score::new(7)).after(0);
            memory.store(&node(2), Window::FULL, &found);
            let mut counts = Counts::default();
            let cuts: Vec<bool> = (1..=3)
                .map(|plies| memory.cutoff(&node(plies), Window::FULL, &mut counts).is_some())
                .collect();
            assert_eq!(cuts, [depth_rule == DepthRule::AtLeast, true, false]);
            assert_eq!((counts.probes, counts.hits), (3, counts.cutoffs));
        }
    }
}

#[test]
fn a_search_that_failed_low_does_not_displace_the_known_move() {
    let tree = transposing().next().expect("a tree");
    let node = Node { game: tree, ply: 1, depth: ONE_PLY, last_move: None };
    let mut memory = Memory::new(ROOMY);
    let stored = |memory: &Memory<u8>| memory.peek(&node).expect("an entry").best_move;
    let found = |value, m| Found::without_line(Score::new(value)).after(m);
    memory.store(&node, window(10, 20), &found(5, 3));
    assert_eq!(stored(&memory), Some(3), "better than none");
    memory.store(&node, window(10, 20), &found(25, 1));
    memory.store(&node, window(30, 40), &found(30, 2));
    assert_eq!(stored(&memory), Some(1));
    memory.store(&node, window(10, 20), &Found::without_line(Score::new(20)));
    assert_eq!(stored(&memory), Some(1), "a fail-high without a line");
    memory.store(&node, window(10, 20), &found(15, 2));
    assert_eq!(stored(&memory), Some(2));
}

#[test]
fn both_bounds_are_kept_while_they_are_of_one_depth() {
    let tree = transposing().next().expect("a tree");
    let node = |plies| Node { game: tree, ply: 1, depth: plies * ONE_PLY, last_move: None };
    let bounds = |both_bounds, plies| {
        let mut memory = Memory::new(TableOptions { both_bounds, ..ROOMY });
        memory.store(&node(1), window(10, 11), &Found::without_line(Score::new(12)));
        memory.store(&node(plies), window(20, 21), &Found::without_line(Score::new(19)));
        let entry: Entry<u8> = memory.peek(&node(1)).expect("an entry");
        (entry.lower.get(), entry.upper.get())
    };
    assert_eq!(bounds(true, 1), (12, 19));
    assert_eq!(bounds(true, 2), (-INFINITE, 19));
    assert_eq!(bounds(false, 1), (-INFINITE, 19));
}

#[test]
fn the_move_that_is_kept_reaches_the_lower_bound_that_is_kept() {
    let tree = transposing().next().expect("a tree");
    let node = Node { game: tree, ply: 1, depth: ONE_PLY, last_move: None };
    let mut memory = Memory::new(TableOptions { both_bounds: true, ..ROOMY });
    for (beta, value, m) in [(12, 12, 1), (6, 7, 2)] {
        let found = Found::without_line(Score::new(value)).after(m);
        memory.store(&node, window(beta - 1, beta), &found);
    }
    let entry: Entry<u8> = memory.peek(&node).expect("an entry");
    assert_eq!((entry.lower.get(), entry.best_move), (12, Some(1)));
}

/// A driver over the trees, with and without one option of the table: the values are right, and the
/// option saves nodes on the whole.
fn saves_nodes(driver: Driver, option: fn(&mut TableOptions)) {
    let nodes = |on: bool| -> u64 {
        let one = |tree: Tree| {
            let mut table = ROOMY;
            if on {
                option(&mut table);
            }
            let mut search = search(Algorithm::FailSoft, table);
            let found = driver.run(Score::DRAW, |window| search.root(&tree, 5, window));
            assert_eq!(found.value, value(&tree, 5));
            search.counts.nodes
        };
        transposing().map(one).sum()
    };
    let (without, with) = (nodes(false), nodes(true));
    assert!(with < without, "{with} against {without}");
}

#[test]
fn keeping_both_bounds_saves_nodes_where_the_root_is_searched_again() {
    saves_nodes(Driver::Bisection, |table| table.both_bounds = true);
}

#[test]
fn narrowing_the_window_saves_nodes() {
    saves_nodes(Driver::FullWindow, |table| table.narrows_window = true);
}

/// The moves of a line can be played to the end of the game.
fn is_complete(tree: &Tree, found: &Found<u8>) -> bool {
    found.line.moves().fold(*tree, |at, m| at.play(m)).terminal(0).is_some()
}

/// Letouzey: it is the re-search from the value that loses a part of the line.
#[test]
fn the_line_of_a_re_search_is_complete_only_if_its_window_holds_the_value() {
    let lines = |re_search| {
        let trees = (0..2_000).map(|seed| {
            let values = Values::Hashed { distinct: 20, positions: None };
            Tree::new(Shape { seed, height: 4, width: (3, 3), values })
        });
        let complete = trees.filter(|tree| {
            let options = Options { algorithm: Algorithm::Pvs, re_search, ..Options::default() };
            let found = Search::new(options).root(tree, 4, Window::FULL);
            assert_eq!(found.value, value(tree, 4));
            is_complete(tree, &found)
        });
        complete.count()
    };
    assert_eq!(lines(ReSearch::BelowValue), 2_000);
    assert_eq!(lines(ReSearch::FromAlpha), 2_000);
    let from_value = lines(ReSearch::FromValue);
    assert!((1_000..2_000).contains(&from_value), "{from_value}");
}
