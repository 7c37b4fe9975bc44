//! MTD(f): minimal windows that start at a guess and follow the values returned.
//!
//! Texts: lecture notes "MTD-f" (the form with bounds); D. Eppstein, lecture notes on variants of
//! alpha-beta (the short form). Origin: A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996.
//!
//! Contract: as in [`super::drivers`]. The search should be fail-soft: a fail-hard one converges
//! too, but by one centipawn at a time. Without a transposition table every search starts from
//! scratch.

use super::semi_pv::compose;
use super::{Found, Window};
use crate::score::Score;

/// The number of searches after which the driver gives up and opens the window. A search whose
/// values depend on the path or on the table's contents may contradict itself and swing forever
/// (Eppstein).
const MAX_SEARCHES: usize = 100;

/// The form with bounds: every search raises the lower bound or lowers the upper bound, until the
/// two meet.
pub fn mtd_f<M: Copy + PartialEq>(
    guess: Score,
    mut search: impl FnMut(Window) -> Found<M>,
) -> Found<M> {
    let mut high = Found::without_line(Window::FULL.alpha);
    let mut low = Found::without_line(Window::FULL.beta);
    let mut value = guess;
    for _ in 0..MAX_SEARCHES {
        if high.value >= low.value {
            return Found { value, line: compose(&high.line, &low.line) };
        }
        let beta = value.max(high.value + 1);
        let found = search(Window::minimal(beta - 1));
        value = found.value;
        if value < beta {
            low = found;
        } else {
            high = found;
        }
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
