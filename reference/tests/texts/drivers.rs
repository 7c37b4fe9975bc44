//! The windows that each driver asks the root, one after another.

use heddle::score::{Depth, Score};
use heddle_reference::Found;
use heddle_reference::Window;
use heddle_reference::drivers::Driver;
use heddle_reference::search::{Options, Search};
use heddle_reference::tree::{Shape, Tree, Values};

use super::{INFINITE, some_trees, value};

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

/// The safeguard: a search that contradicts itself is stopped and repeated once with the full
/// window.
#[test]
fn a_search_that_never_converges_is_stopped() {
    for driver in [Driver::MtdF, Driver::MtdFShort, Driver::MtdStep] {
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
