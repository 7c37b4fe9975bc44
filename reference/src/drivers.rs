//! Drivers: ways to find the value with bounded searches of the root.
//!
//! Texts: D. Eppstein, lecture notes on variants of alpha-beta (aspiration, binary search);
//! P. Verhelst, "Chess Tree Search", 1997, *Aspiration search* and *Iterative Deepening*.
//!
//! Contract of every driver: given a `search` that keeps the contract of fail-soft alpha-beta, it
//! returns the minimax value and a PV that is never wrong, though it may be short.

use super::semi_pv::compose;
use super::{Found, Window, mtdf};
use heddle::score::{Depth, Score};

/// Half the width of the aspiration window, in centipawns: half a pawn, as in Eppstein's text.
const ASPIRATION: i32 = 50;
/// How far the centre of the off-centre window lies above the guess, in centipawns.
const OFF_CENTRE: i32 = 25;
/// Half the width of the first gradual window, in centipawns; doubles with every failure.
const GRADUAL: i32 = 15;

/// The drivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// [`full_window`]
    #[default]
    FullWindow,
    /// [`aspiration`]
    Aspiration,
    /// [`off_centre_aspiration`]
    OffCentreAspiration,
    /// [`gradual_aspiration`]
    GradualAspiration,
    /// [`bisection`]
    Bisection,
    /// [`mtdf::mtd_f`]
    MtdF,
    /// [`mtdf::mtd_f_short`]
    MtdFShort,
    /// [`mtdf::mtd_step`]
    MtdStep,
    /// [`mtdf::sss_star`]
    SssStar,
    /// [`mtdf::dual_star`]
    DualStar,
}

impl Driver {
    /// Every driver.
    pub const ALL: [Self; 10] = [
        Self::FullWindow,
        Self::Aspiration,
        Self::OffCentreAspiration,
        Self::GradualAspiration,
        Self::Bisection,
        Self::MtdF,
        Self::MtdFShort,
        Self::MtdStep,
        Self::SssStar,
        Self::DualStar,
    ];

    /// Runs the driver on `search`, starting from a guess of the value.
    pub fn run<M: Copy + PartialEq>(
        self,
        guess: Score,
        search: impl FnMut(Window) -> Found<M>,
    ) -> Found<M> {
        match self {
            Self::FullWindow => full_window(search),
            Self::Aspiration => aspiration(guess, search),
            Self::OffCentreAspiration => off_centre_aspiration(guess, search),
            Self::GradualAspiration => gradual_aspiration(guess, search),
            Self::Bisection => bisection(search),
            Self::MtdF => mtdf::mtd_f(guess, search),
            Self::MtdFShort => mtdf::mtd_f_short(guess, search),
            Self::MtdStep => mtdf::mtd_step(guess, search),
            Self::SssStar => mtdf::sss_star(search),
            Self::DualStar => mtdf::dual_star(search),
        }
    }
}

/// A single search that cannot fail high or low.
pub fn full_window<M>(mut search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    search(Window::FULL)
}

/// Starts with a window around the guess; a bound that fails is opened completely.
pub fn aspiration<M>(guess: Score, search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    opening(clamped(guess - ASPIRATION, guess + ASPIRATION), search)
}

/// The same with a window of the same width whose centre lies above the guess: Eppstein's "not
/// necessarily centered".
pub fn off_centre_aspiration<M>(guess: Score, search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    let centre = guess + OFF_CENTRE;
    opening(clamped(centre - ASPIRATION, centre + ASPIRATION), search)
}

/// Searches a window, whose bounds are opened completely when they fail, until none does.
fn opening<M>(mut window: Window, mut search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    loop {
        let found = search(window);
        if found.value <= window.alpha {
            window.alpha = Window::FULL.alpha;
        } else if found.value >= window.beta {
            window.beta = Window::FULL.beta;
        } else {
            return found;
        }
    }
}

/// Starts with a small window around the guess; a bound that fails moves beyond the value found, by
/// a distance that doubles with every failure.
pub fn gradual_aspiration<M>(guess: Score, mut search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    let mut delta = GRADUAL;
    let mut window = clamped(guess - delta, guess + delta);
    loop {
        let found = search(window);
        delta *= 2;
        if found.value <= window.alpha {
            window.alpha = clamped(found.value - delta, window.beta).alpha;
        } else if found.value >= window.beta {
            window.beta = clamped(window.alpha, found.value + delta).beta;
        } else {
            return found;
        }
    }
}

/// Halves the range of scores with minimal windows.
///
/// Eppstein's loop runs while `beta > alpha + 1`, which leaves two candidates; this one goes on
/// until one is left. The midpoint has to be rounded down: otherwise a range of `-1..=0` would
/// repeat the same search forever.
pub fn bisection<M: Copy + PartialEq>(mut search: impl FnMut(Window) -> Found<M>) -> Found<M> {
    let Window { mut alpha, mut beta } = Window::FULL;
    let (mut high, mut low) = (Found::without_line(alpha), Found::without_line(beta));
    while alpha < beta {
        let test = Score::new((alpha.get() + beta.get()).div_euclid(2));
        let found = search(Window::minimal(test));
        if found.value <= test {
            beta = test;
            low = found;
        } else {
            alpha = test + 1;
            high = found;
        }
    }
    Found { value: alpha, line: compose(&high.line, &low.line) }
}

/// Iterative deepening, one ply at a time. Each iteration's guess is the value of the one before;
/// the first guess is 0.
pub fn deepen<M: Copy + PartialEq>(
    depth: Depth,
    mut iteration: impl FnMut(Depth, Score) -> Found<M>,
) -> Found<M> {
    (2..=depth).fold(iteration(depth.min(1), Score::DRAW), |found, d| iteration(d, found.value))
}

/// The window cut off at the ends of the score range.
fn clamped(alpha: Score, beta: Score) -> Window {
    let Window { alpha: least, beta: greatest } = Window::FULL;
    Window::new(alpha.clamp(least, greatest), beta.clamp(least, greatest))
}
