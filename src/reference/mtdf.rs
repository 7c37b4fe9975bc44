//! MTD(f): minimal windows that start from a guess and follow the values that come back.
//!
//! Texts: lecture notes "MTD-f" (the form with bounds); D. Eppstein, lecture notes on variants of
//! alpha-beta (the short form). Origin: A. Plaat, J. Schaeffer, W. Pijls, A. de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996.
//!
//! Contract: as in [`super::drivers`]. The search has to be fail-soft: a fail-hard one converges as
//! well, but a centipawn at a time. Without a table every step starts from nothing.

use super::semi_pv::compose;
use super::{Found, Window};
use crate::score::Score;

/// Searches after which the driver stops waiting for convergence. A search whose values depend on
/// the path or on the table's contents may contradict itself and swing for ever (Eppstein).
const MAX_SEARCHES: usize = 100;

/// The form with bounds: the next question is whether the value can be better than a lower bound
/// or worse than an upper bound, until both meet.
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

/// The short form: asks "more than the last value?" until the answer is that value again.
///
/// Printed as `score = search(test, test + 1); if test == score break; test = score`, it may stop
/// too early: an answer equal to `test` only says "at most", and `test` itself may have come from
/// a fail-low. So the value is taken only if a search has also failed high at it; if none has, the
/// next question is one lower.
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
