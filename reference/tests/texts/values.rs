//! On random trees, every algorithm returns the same value.

use heddle::score::{Depth, Score};
use heddle_reference::drivers::{Driver, deepen};
use heddle_reference::memory::{CutoffRule, DepthRule, Policy, TableOptions};
use heddle_reference::minimax::{minimax, negamax};
use heddle_reference::ordering::Ordering;
use heddle_reference::search::{Algorithm, Counts, Options, ReSearch, Search};
use heddle_reference::tree::{Shape, Tree, Values};
use heddle_reference::{Bound, Found, Game, Window};
use proptest::prelude::*;

use super::value;

const TREES: u32 = 10_000;

/// Algorithms whose lines are semi-PVs and whose bounds may lie outside the window.
const FAIL_SOFT: [Algorithm; 3] = [Algorithm::FailSoft, Algorithm::Pvs, Algorithm::NegaScout];

fn cases() -> ProptestConfig {
    ProptestConfig { cases: TREES, failure_persistence: None, ..ProptestConfig::default() }
}

/// Uniform or irregular, with many ties or few, with or without transpositions.
fn shapes() -> impl Strategy<Value = Shape> {
    let width = prop_oneof![(1..=4u8).prop_map(|w| (w, w)), (0..=2u8, 2..=4u8)];
    let values = (1..=60u32, prop::option::of(1..=8u32))
        .prop_map(|(distinct, positions)| Values::Hashed { distinct, positions });
    (any::<u64>(), 1..=4usize, width, values).prop_map(|(seed, height, width, values)| Shape {
        seed,
        height,
        width,
        values,
    })
}

/// Every switch that does not change values, or none.
fn switches() -> impl Strategy<Value = Options> {
    let ordering =
        any::<[bool; 5]>().prop_map(|[tt_move, promise, killers, local_killers, history]| {
            Ordering { tt_move, promise, killers, local_killers, history }
        });
    let policy = prop_oneof![
        Just(Policy::Always),
        Just(Policy::DepthPreferred),
        Just(Policy::Fifo),
        Just(Policy::Lru),
        Just(Policy::TwoTier)
    ];
    let table = (1..=64usize, policy, any::<[bool; 4]>()).prop_map(|(capacity, policy, on)| {
        let [equal, exact_only, both_bounds, narrows_window] = on;
        let depth_rule = if equal { DepthRule::Equal } else { DepthRule::AtLeast };
        let cutoff_rule = if exact_only { CutoffRule::ExactInside } else { CutoffRule::Bounds };
        TableOptions { capacity, policy, depth_rule, cutoff_rule, both_bounds, narrows_window }
    });
    let re_search =
        prop::sample::select(&[ReSearch::FromValue, ReSearch::FromAlpha, ReSearch::BelowValue][..]);
    (ordering, prop::option::of(table), any::<bool>(), re_search).prop_map(
        |(ordering, table, etc, re_search)| Options {
            ordering,
            table,
            etc: etc && table.is_some(),
            re_search,
            ..Options::default()
        },
    )
}

fn height(tree: Shape) -> Depth {
    tree.height as Depth
}

fn solve(tree: &Tree, depth: Depth, options: Options, driver: Driver, guess: Score) -> Found<u8> {
    let mut search = Search::new(options);
    driver.run(guess, |window| search.root(tree, depth, window))
}

fn searched(tree: &Tree, depth: Depth, algorithm: Algorithm) -> (Found<u8>, Counts) {
    let mut search = Search::new(Options { algorithm, ..Options::default() });
    let found = search.root(tree, depth, Window::FULL);
    (found, search.counts)
}

/// Every position on the line has the value of the root.
fn is_true_pv(tree: &Tree, depth: Depth, found: &Found<u8>) -> bool {
    let (mut at, mut left, mut expected) = (*tree, depth, found.value);
    for m in found.line.moves() {
        at = at.play(m);
        left -= 1;
        expected = -expected;
        if value(&at, left) != expected {
            return false;
        }
    }
    true
}

/// Every position of the tree with its distance to the leaves.
fn positions(tree: &Tree, depth: Depth) -> Vec<(Tree, Depth)> {
    let mut all = vec![(*tree, depth)];
    let mut next = 0;
    while let Some(&(at, left)) = all.get(next) {
        if at.terminal(0).is_none() {
            all.extend(at.successors().into_iter().map(|m| (at.play(m), left - 1)));
        }
        next += 1;
    }
    all
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn minimax_is_negamax(shape in shapes(), depth in 0..=4) {
        let tree = Tree::new(shape);
        let (mut max, mut nega) = (Counts::default(), Counts::default());
        let found = minimax(&tree, depth, &mut max);
        prop_assert_eq!(found.value, negamax(&tree, 0, depth, &mut nega).value);
        prop_assert_eq!(max, nega);
        prop_assert!(is_true_pv(&tree, depth, &found));
    }

    #[test]
    fn every_algorithm_returns_the_minimax_value(shape in shapes(), switches in switches()) {
        let tree = Tree::new(shape);
        let truth = value(&tree, height(shape));
        for algorithm in Algorithm::ALL {
            for options in [Options::default(), switches] {
                let options = Options { algorithm, ..options };
                let found = solve(&tree, height(shape), options, Driver::FullWindow, truth);
                prop_assert_eq!(found.value, truth, "{:?}", options);
            }
        }
    }

    #[test]
    fn every_driver_returns_the_minimax_value_and_a_true_pv(
        shape in shapes(),
        switches in switches(),
        algorithm in prop::sample::select(&Algorithm::ALL[..]),
        guess in -100..=100i32,
    ) {
        let tree = Tree::new(shape);
        let truth = value(&tree, height(shape));
        for driver in Driver::ALL {
            let options = Options { algorithm, ..switches };
            let found = solve(&tree, height(shape), options, driver, Score::new(guess));
            prop_assert_eq!(found.value, truth, "{:?} {:?}", driver, options);
            prop_assert!(is_true_pv(&tree, height(shape), &found), "{:?} {:?}", driver, options);
        }
    }

    #[test]
    fn deepening_returns_the_minimax_value(
        shape in shapes(),
        switches in switches(),
        algorithm in prop::sample::select(&Algorithm::ALL[..]),
        driver in prop::sample::select(&Driver::ALL[..]),
    ) {
        let tree = Tree::new(shape);
        let mut search = Search::new(Options { algorithm, ..switches });
        let mut wrong = None;
        let found = deepen(height(shape), |depth, guess| {
            let found = driver.run(guess, |window| search.root(&tree, depth, window));
            if found.value != value(&tree, depth) || !is_true_pv(&tree, depth, &found) {
                wrong = Some(depth);
            }
            found
        });
        prop_assert_eq!(wrong, None);
        prop_assert_eq!(found.value, value(&tree, height(shape)));
    }

    #[test]
    fn returned_bounds_bracket_the_value_at_every_node(
        shape in shapes(),
        switches in switches(),
        alpha in -30..=30i32,
        width in 1..=20i32,
    ) {
        let tree = Tree::new(shape);
        let window = Window::new(Score::new(alpha), Score::new(alpha + width));
        for algorithm in Algorithm::ALL {
            let mut search = Search::new(Options { algorithm, ..switches });
            for (at, left) in positions(&tree, height(shape)) {
                let truth = value(&at, left);
                let found = search.root(&at, left, window);
                let holds = match window.bound(found.value) {
                    Bound::Exact => truth == found.value,
                    Bound::Lower => truth >= found.value,
                    Bound::Upper => truth <= found.value,
                };
                prop_assert!(holds, "{:?} {:?} {:?}: {:?}", algorithm, window, found, truth);
            }
        }
    }

    #[test]
    fn a_fail_hard_value_is_inside_the_window(shape in shapes(), alpha in -30..=30i32) {
        let tree = Tree::new(shape);
        let window = Window::new(Score::new(alpha), Score::new(alpha + 5));
        let mut search = Search::new(Options::default());
        search.options.algorithm = Algorithm::FailHard;
        let found = search.root(&tree, height(shape), window);
        prop_assert!(window.alpha <= found.value && found.value <= window.beta);
    }

    #[test]
    fn semi_pvs_bound_the_value_all_along(
        shape in shapes(),
        algorithm in prop::sample::select(&FAIL_SOFT[..]),
        alpha in -30..=30i32,
    ) {
        let tree = Tree::new(shape);
        let mut search = Search::new(Options { algorithm, ..Options::default() });
        let window = Window::minimal(Score::new(alpha));
        let found = search.root(&tree, height(shape), window);
        let failed_high = found.value >= window.beta;
        let (mut at, mut left, mut sign) = (tree, height(shape), 1);
        for m in found.line.moves() {
            at = at.play(m);
            left -= 1;
            sign = -sign;
            let truth = Score::new(value(&at, left).get() * sign);
            let holds = if failed_high { truth >= found.value } else { truth <= found.value };
            prop_assert!(holds);
        }
        prop_assert!(at.terminal(0).is_some(), "without a table the line ends at a leaf");
    }

    #[test]
    fn alpha_beta_never_visits_more_leaves_than_negamax(shape in shapes()) {
        let tree = Tree::new(shape);
        let mut full = Counts::default();
        let _ = negamax(&tree, 0, height(shape), &mut full);
        let [hard, soft] = [Algorithm::FailHard, Algorithm::FailSoft]
            .map(|algorithm| searched(&tree, height(shape), algorithm).1);
        prop_assert!(hard.leaves <= full.leaves);
        prop_assert!(soft.leaves <= hard.leaves);
    }

    #[test]
    fn perfect_order_takes_the_knuth_moore_minimum(
        seed in any::<u64>(),
        width in 1..=5u8,
        height in 1..=5u32,
        root in -50..=50i32,
    ) {
        let values = Values::Planted { root: Score::new(root), ordered: true };
        let tree =
            Tree::new(Shape { seed, height: height as usize, width: (width, width), values });
        let w = u64::from(width);
        let minimum = w.pow(height.div_ceil(2)) + w.pow(height / 2) - 1;
        for algorithm in [Algorithm::FailHard, Algorithm::FailSoft] {
            let (found, counts) = searched(&tree, height as Depth, algorithm);
            prop_assert_eq!(found.value, Score::new(root));
            prop_assert_eq!(counts.leaves, minimum);
        }
        for algorithm in [Algorithm::Pvs, Algorithm::NegaScout, Algorithm::Scout] {
            let (found, counts) = searched(&tree, height as Depth, algorithm);
            prop_assert_eq!(found.value, Score::new(root));
            prop_assert!(counts.leaves <= minimum);
            prop_assert_eq!(counts.researches, 0);
        }
    }

    #[test]
    fn a_planted_value_is_found(
        seed in any::<u64>(),
        height in 0..=5usize,
        least in 0..=3u8,
        root in -50..=50i32,
        ordered in any::<bool>(),
    ) {
        let root = Score::new(root);
        let values = Values::Planted { root, ordered };
        let tree = Tree::new(Shape { seed, height, width: (least, 4), values });
        prop_assert_eq!(value(&tree, height as Depth), root);
        prop_assert_eq!(searched(&tree, height as Depth, Algorithm::FailSoft).0.value, root);
    }
}
