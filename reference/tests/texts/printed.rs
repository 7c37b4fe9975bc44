//! Where the published algorithms are not followed to the letter, and what they would do.

use heddle::score::{Depth, Score};
use heddle_reference::memory::{DepthRule, Policy, TableOptions};
use heddle_reference::search::{Algorithm, Options, Search};
use heddle_reference::tree::Tree;
use heddle_reference::{Game, Window};

use super::{some_trees, value};

/// The published algorithms accept a deeper entry; the tree is then no longer that of the fixed
/// depth.
#[test]
fn a_deeper_entry_stands_in_for_a_shallower_search_only_by_the_rule_of_the_texts() {
    let mut differing = 0;
    for (tree, depth) in some_trees() {
        let second = |depth_rule| {
            let table = TableOptions {
                capacity: 1024,
                policy: Policy::Lru,
                depth_rule,
                ..TableOptions::default()
            };
            let mut search = Search::new(Options { table: Some(table), ..Options::default() });
            let _ = search.root(&tree, depth, Window::FULL);
            search.root(&tree, depth - 1, Window::FULL).value
        };
        let (deep, shallow) = (value(&tree, depth), value(&tree, depth - 1));
        assert_eq!(second(DepthRule::AtLeast), deep);
        assert_eq!(second(DepthRule::Equal), shallow);
        differing += usize::from(deep != shallow);
    }
    assert!(differing > 0);
}

/// Why `mtd_f_short` asks once more than its published source.
#[test]
fn the_short_mtd_f_as_printed_can_stop_at_an_upper_bound() {
    let printed = |tree: &Tree, depth| {
        let mut search = Search::new(Options::default());
        let mut test = Score::DRAW;
        loop {
            let value = search.root(tree, depth, Window::minimal(test)).value;
            if value == test {
                return test;
            }
            test = value;
        }
    };
    let wrong = some_trees().filter(|(tree, depth)| printed(tree, *depth) != value(tree, *depth));
    let mut found = 0;
    for (tree, depth) in wrong {
        assert!(printed(&tree, depth) > value(&tree, depth), "only ever an upper bound");
        found += 1;
    }
    assert!(found > 0);
}

/// Why every algorithm here replaces the best move only on `>`.
#[test]
fn taking_equal_values_as_printed_can_play_a_mistake() {
    fn printed_best(search: &mut Search<Tree>, tree: &Tree, depth: Depth) -> u8 {
        let (mut alpha, mut best) = (Window::FULL.alpha, 0);
        for m in tree.successors() {
            let reply = Window::new(-Window::FULL.beta, -alpha);
            let value = -search.root(&tree.play(m), depth - 1, reply).value;
            if value >= alpha {
                (alpha, best) = (value, m);
            }
        }
        best
    }
    let mistakes = some_trees()
        .filter(|(tree, depth)| {
            let mut search = Search::new(Options::default());
            search.options.algorithm = Algorithm::FailHard;
            let best = printed_best(&mut search, tree, *depth);
            -value(&tree.play(best), depth - 1) != value(tree, *depth)
        })
        .count();
    assert!(mistakes > 0);
}
