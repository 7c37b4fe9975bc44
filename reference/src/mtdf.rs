//! MTD(f): minimal windows that start at a guess and follow the values returned.
//!
//! Texts: lecture notes "MTD-f" (the form with bounds); D. Eppstein, lecture notes on variants of
//! alpha-beta (the short form). Origin: A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996.
//!
//! The same paper makes a family of it, the memory-enhanced tests: SSS\* is the member that starts
//! above every value, DUAL\* the one that starts below, and one in steps jumps past the value
//! returned.
//!
//! Contract: as in [`super::drivers`]. The search should be fail-soft: a fail-hard one converges
//! too, but by one centipawn at a time. Without a transposition table every search starts from
//! scratch.

use super::semi_pv::compose;
use super::{Found, Window};
use heddle::score::Score;

/// The number of searches after which the driver gives up and opens the window. A search whose
/// values depend on the path or on the table's contents may contradict itself and swing forever
/// (Eppstein).
const MAX_SEARCHES: usize = 400;
/// How far [`mtd_step`] jumps past the value returned, in centipawns.
const STEP: i32 = 10;

/// The form with bounds: every search raises the lower bound or lowers the upper bound, until the
/// two meet.
pub fn mtd_f<M: Copy + PartialEq>(
    guess: Score,
    search: impl FnMut(Window) -> Found<M>,
) -> Found<M> {
    memory_enhanced_test(guess, 0, search)
}

/// The same in steps: after a failure the next test lies beyond the value returned. It is worth
/// more the further the guess is off.
pub fn mtd_step<M: Copy + PartialEq>(
    guess: Score,
    search: impl FnMut(Window) -> Found<M>,
) -> Found<M> {
    memory_enhanced_test(guess, STEP, search)
}

/// SSS\* (G. Stockman, 1979) as MTD(+∞): the upper bound comes down until it is the value.
pub fn sss_star<M: Copy + PartialEq>(search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    memory_enhanced_test(Window::FULL.beta, 0, search)
}

/// DUAL\* (T. A. Marsland, A. Reinefeld, J. Schaeffer, 1987) as MTD(-∞): the lower bound goes up
/// until it is the value.
pub fn dual_star<M: Copy + PartialEq>(search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    memory_enhanced_test(Window::FULL.alpha, 0, search)
}

/// Tests whether the value reaches `first`, and from then on the bound just returned, moved on by
/// `step`, until lower and upper bound meet.
fn memory_enhanced_test<M: Copy + PartialEq>(
    first: Score,
    step: i32,
    mut search: impl FnMut(Window) -> Found<M>,
) -> Found<M> {
    let mut high = Found::without_line(Window::FULL.alpha);
    let mut low = Found::without_line(Window::FULL.beta);
    let mut beta = first.max(high.value + 1);
    for _ in 0..MAX_SEARCHES {
        let found = search(Window::minimal(beta - 1));
        let value = found.value;
        let next = if value < beta {
            low = found;
            value - step
        } else {
            high = found;
            value + 1 + step
        };
        if high.value >= low.value {
            return Found { value, line: compose(&high.line, &low.line) };
        }
        beta = next.clamp(high.value + 1, low.value);
    }
    search(Window::FULL)
}

/// The short form: tests whether the value exceeds the last one returned, until that one is
/// returned again.
///
/// As printed, `score = search(test, test + 1); if test == score break; test = score`, it can stop
/// too early: a result equal to `test` only means "at most", and `test` itself may come from a
/// fail-low. This version accepts a value only if a search has also failed high with it; if none
/// has, the next test is one lower.
pub fn mtd_f_short<M: Copy + PartialEq>(
    guess: Score,
    mut search: impl FnMut(Window) -> Found<M>,
) -> Found<M> {
    let mut high = Found::without_line(Window::FULL.alpha);
    let mut low = Found::without_line(Window::FULL.beta);
    let mut test = guess;
    for _ in 0..MAX_SEARCHES {
        let found = search(Window::minimal(test));
        let value = found.value;
        if value > test {
            high = found;
        } else {
            low = found;
        }
        if high.value == low.value {
            return Found { value, line: compose(&high.line, &low.line) };
        }
        test = if value == test { test - 1 } else { value };
    }
    search(Window::FULL)
}
