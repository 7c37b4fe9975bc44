//! The reference algorithms prove each other right on random trees.

use heddle::reference::drivers::{Driver, deepen};
use heddle::reference::memory::{CutoffRule, DepthRule, Policy, TableOptions};
use heddle::reference::minimax::{minimax, negamax};
use heddle::reference::ordering::Ordering;
use heddle::reference::search::{Algorithm, Counts, Options, ReSearch, Search};
use heddle::reference::tree::{Shape, Tree, Values};
use heddle::reference::{Bound, Found, Game, Window};
use heddle::score::{Depth, Score};
use proptest::prelude::*;

const TREES: u32 = 10_000;

const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::FailHard,
    Algorithm::FailSoft,
    Algorithm::Pvs,
    Algorithm::NegaScout,
    Algorithm::Scout,
];
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

fn value(tree: &Tree, depth: Depth) -> Score {
    negamax(tree, 0, depth, &mut Counts::default()).value
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
        for algorithm in ALGORITHMS {
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
        algorithm in prop::sample::select(&ALGORITHMS[..]),
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
        algorithm in prop::sample::select(&ALGORITHMS[..]),
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
        for algorithm in ALGORITHMS {
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
            let truth = value(&at, left) * sign;
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

/// Trees with few distinct values and with many.
fn some_trees() -> impl Iterator<Item = (Tree, Depth)> {
    (0..2_000).map(|seed| {
        let values = Values::Hashed { distinct: 4 + seed as u32 % 40, positions: None };
        (Tree::new(Shape { seed, height: 3, width: (3, 3), values }), 3)
    })
}

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

/// The safeguard: a search that contradicts itself is stopped and repeated once with the full
/// window.
#[test]
fn a_search_that_never_converges_is_stopped() {
    for driver in [Driver::MtdF, Driver::MtdFShort] {
        let mut searches = 0;
        let found: Found<u8> = driver.run(Score::DRAW, |window| {
            searches += 1;
            let contradiction = if searches % 2 == 0 { window.beta } else { window.alpha - 1 };
            Found::without_line(if window == Window::FULL { Score::new(7) } else { contradiction })
        });
        assert!(searches <= 401, "{driver:?} took {searches} searches");
        assert!(found.value.abs() < Score::INFINITE);
    }
}

/// A driver's searches, each as alpha, beta and the value returned.
type Searches = Vec<(i32, i32, i32)>;

/// The searches of a driver. Without a table, a search depends only on the tree and the window.
fn searches(driver: Driver, guess: Score, tree: &Tree, depth: Depth) -> Searches {
    let mut search = Search::new(Options::default());
    let mut searches = Vec::new();
    let found = driver.run(guess, |window| {
        let found = search.root(tree, depth, window);
        searches.push((window.alpha.get(), window.beta.get(), found.value.get()));
        found
    });
    assert_eq!(found.value, value(tree, depth), "{driver:?}");
    searches
}

/// The searches of a driver in a tree with values from -300 to 299.
fn pinned(driver: Driver, guess: i32, seed: u64) -> Searches {
    let values = Values::Hashed { distinct: 600, positions: None };
    let tree = Tree::new(Shape { seed, height: 4, width: (3, 3), values });
    searches(driver, Score::new(guess), &tree, 4)
}

const INFINITE: i32 = Score::INFINITE.get();

/// The value is 22, far above the guess.
#[test]
fn drivers_follow_a_value_above_the_guess() {
    let above = |driver| pinned(driver, -100, 0);
    assert_eq!(above(Driver::FullWindow), [(-INFINITE, INFINITE, 22)]);
    assert_eq!(above(Driver::Aspiration), [(-150, -50, 22), (-150, INFINITE, 22)]);
    assert_eq!(above(Driver::GradualAspiration), [(-115, -85, 22), (-115, 22 + 30, 22)]);
    assert_eq!(above(Driver::MtdF), [(-101, -100, 22), (22, 23, 22)]);
    assert_eq!(above(Driver::MtdFShort), [(-100, -99, 22), (22, 23, 22)]);
}

/// The value is -86, and most upper bounds on the way are weaker.
#[test]
fn drivers_follow_a_value_below_the_guess() {
    let below = |driver| pinned(driver, 0, 4);
    assert_eq!(below(Driver::Aspiration), [(-50, 50, -51), (-INFINITE, 50, -86)]);
    let gradual = [(-15, 15, -18), (-18 - 30, 15, -51), (-51 - 60, 15, -86)];
    assert_eq!(below(Driver::GradualAspiration), gradual);
    let with_bounds = [
        (-1, 0, -18),
        (-19, -18, -47),
        (-48, -47, -51),
        (-52, -51, -82),
        (-83, -82, -83),
        (-84, -83, -86),
        (-87, -86, -86),
    ];
    assert_eq!(below(Driver::MtdF), with_bounds);
    // Every bound that no search has failed high with is tested twice.
    let short = [
        (0, 1, -18),
        (-18, -17, -18),
        (-19, -18, -47),
        (-47, -46, -47),
        (-48, -47, -51),
        (-51, -50, -51),
        (-52, -51, -82),
        (-82, -81, -82),
        (-83, -82, -83),
        (-84, -83, -86),
        (-86, -85, -86),
        (-87, -86, -86),
    ];
    assert_eq!(below(Driver::MtdFShort), short);
}

#[test]
fn bisection_halves_the_range_whatever_is_returned() {
    let expected = [
        (0, 1, 22),
        (16_001, 16_002, 288),
        (8_001, 8_002, 288),
        (4_001, 4_002, 288),
        (2_001, 2_002, 288),
        (1_001, 1_002, 288),
        (501, 502, 288),
        (251, 252, 229),
        (126, 127, 115),
        (63, 64, 43),
        (32, 33, 22),
        (16, 17, 22),
        (24, 25, 22),
        (20, 21, 22),
        (22, 23, 22),
        (21, 22, 22),
    ];
    for guess in [-100, 0, 22] {
        assert_eq!(pinned(Driver::Bisection, guess, 0), expected);
    }
}

#[test]
fn a_correct_guess_takes_two_searches_with_mtd_f_and_one_with_aspiration() {
    for (tree, depth) in some_trees() {
        let truth = value(&tree, depth);
        let v = truth.get();
        let of = |driver| searches(driver, truth, &tree, depth);
        assert_eq!(of(Driver::MtdF), [(v - 1, v, v), (v, v + 1, v)]);
        assert_eq!(of(Driver::MtdFShort), [(v, v + 1, v), (v - 1, v, v)]);
        assert_eq!(of(Driver::Aspiration), [(v - 50, v + 50, v)]);
        assert_eq!(of(Driver::GradualAspiration), [(v - 15, v + 15, v)]);
    }
}

#[test]
fn the_off_centre_window_lies_higher() {
    let off_centre = |guess, seed| pinned(Driver::OffCentreAspiration, guess, seed);
    assert_eq!(off_centre(0, 0), [(-25, 75, 22)]);
    assert_eq!(off_centre(-100, 0), [(-125, -25, 22), (-125, INFINITE, 22)]);
}

/// SSS* comes down from above every value, DUAL* up from below.
#[test]
fn sss_star_follows_upper_bounds_and_dual_star_lower_ones() {
    for (tree, depth) in some_trees() {
        let v = value(&tree, depth).get();
        let down = searches(Driver::SssStar, Score::DRAW, &tree, depth);
        let up = searches(Driver::DualStar, Score::DRAW, &tree, depth);
        assert_eq!(down[0].1, INFINITE);
        assert_eq!(up[0].0, -INFINITE);
        assert!(down.windows(2).all(|pair| pair[1].1 == pair[0].2), "{down:?}");
        assert!(up.windows(2).all(|pair| pair[1].0 == pair[0].2), "{up:?}");
        assert_eq!(down.last(), Some(&(v - 1, v, v)), "the only one to fail high");
        assert_eq!(up.last(), Some(&(v, v + 1, v)), "the only one to fail low");
    }
}

/// A test that fails jumps ten past the value returned, but not past a bound.
#[test]
fn mtd_in_steps_overshoots_and_comes_back() {
    let above = [(-101, -100, 22), (22 + 10, 33, 22)];
    assert_eq!(pinned(Driver::MtdStep, -100, 0), above);
    let below = pinned(Driver::MtdStep, 0, 4);
    assert_eq!(below[..3], [(-1, 0, -18), (-29, -28, -47), (-58, -57, -82)]);
    assert_eq!(below.last().map(|last| last.2), Some(-86));
}
