//! Turns limits into deadlines: how long one search may take.
//!
//! A [`Clock`] is a pure function of the limits, the position's place in the game, the start time
//! and the `now` that is passed in; it never reads the time itself. The *soft* limit is what the
//! move deserves: no iteration begins after it, and it stretches or shrinks with the [`Stability`]
//! of the search. The *hard* limit is what the game can afford: the search stops there, whatever
//! it is doing.
//!
//! The soft limit divides the time left, and the increments still to come, among the moves that the
//! game is expected to last. Fewer are expected the later it is, so that the opening, where little
//! is decided, does not take what the middlegame needs.
//!
//! Sources: soft and hard limits are from R. Hyatt, "Using Time Wisely", ICGA Journal 7(1), 1984;
//! shares and maxima that grow with the game's ply are an idea from Stockfish (`timeman.cpp`);
//! scaling by stability, falling score and node share is common among today's engines (ideas from
//! Stockfish and Viridithas). The formulas and the numbers are our own.

use std::time::{Duration, Instant};

use crate::position::Position;
use crate::score::Depth;
use crate::time::limits::{Limits, SideClock};

/// Moves that a game is expected to last; also the largest number of moves to go that counts.
const GAME_MOVES: u32 = 45;
/// Of every five moves played, this many are no longer expected, ...
const MOVES_OFF_IN_FIVE: u32 = 4;
/// ... but at least this many are always still to come, ...
const LEAST_MOVES: u32 = 6;
/// ... and more without an increment, since time that is spent then never comes back.
const LEAST_MOVES_SUDDEN_DEATH: u32 = 26;
/// Soft limits that a search takes on average: an iteration that has begun is completed.
const OVERRUN: f64 = 1.2;
/// Time held back in case the machine is busy; more if the increment does not cover the overhead of
/// the moves to come, ...
const RESERVE: Duration = Duration::from_millis(60);
/// ... but at most the remaining time divided by this.
const RESERVE_DIVISOR: u32 = 2;
/// Fraction of the usable time that a single move may take.
const HARD_SHARE: f64 = 0.6;
/// The hard limit is at most this many soft limits at the beginning of the game, ...
const HARD_FACTOR: u32 = 4;
/// ... one more each time that this many plies have been played, ...
const HARD_FACTOR_PLIES: u32 = 40;
/// ... and at most this many.
const HARD_FACTOR_MAX: u32 = 6;

/// Iterations after which a best move that all workers have kept is settled.
pub const SETTLED: Depth = 5;
/// Factor of the soft limit before the first iteration, ...
const UNSTABLE: f64 = 1.5;
/// ... and when the best move is settled.
const STABLE: f64 = 0.75;

/// Increase of the soft limit's factor for every centipawn that the score has fallen, ...
const DROP_STEP: f64 = 0.01;
/// ... its minimum, when the score has risen, ...
const RISEN: f64 = 0.85;
/// ... and its maximum, when the score has fallen far.
const FALLEN: f64 = 1.6;

/// Factor of the soft limit when hardly any nodes went into the best move. The best move's share of
/// the nodes is subtracted, so a move without a rival gets `CONTESTED - 1`.
const CONTESTED: f64 = 1.6;

/// How far all workers agree on a move.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Support {
    /// Consecutive iterations, including the last, that kept the move: the mean over the workers,
    /// of whom each counts for at most [`SETTLED`], and one who prefers another move for none.
    pub stable_iterations: f64,
    /// Share of all workers' nodes that went into the move, 0 to 1.
    pub share: f64,
}

/// How settled the search is, as of the main worker's last iteration.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Stability {
    /// The workers' support for the best move.
    pub support: Support,
    /// Centipawns by which the score has fallen since the previous iteration (negative: risen).
    pub score_drop: i32,
}

/// The soft and hard limit of one search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// When our time started to run; the hard limit counts from here.
    start: Instant,
    /// When the search began; the soft limit counts from here. Earlier than `start` if the search
    /// pondered.
    thinking_since: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

impl Clock {
    /// The clock for the side to move in `position` under `limits`, starting at `start`; `overhead`
    /// is the time lost on the way to the GUI. `infinite` and `ponder` searches have no deadline;
    /// see [`Clock::after_pondering`].
    pub fn new(limits: &Limits, position: &Position, overhead: Duration, start: Instant) -> Self {
        if limits.infinite || limits.ponder {
            return Self { start, thinking_since: start, soft: None, hard: None };
        }
        let fixed = limits.move_time.map(|time| time.saturating_sub(overhead));
        let game = own_clock(limits, position).map(|(remaining, increment)| {
            let moves_to_go = limits.moves_to_go.filter(|&moves| moves > 0);
            game_limits(remaining, increment, moves_to_go, position.game_ply(), overhead)
        });
        let hard = match (fixed, game.map(|(_, hard)| hard)) {
            (Some(fixed), Some(hard)) => Some(fixed.min(hard)),
            (fixed, hard) => fixed.or(hard),
        };
        let soft = game.map(|(soft, _)| hard.map_or(soft, |hard| soft.min(hard)));
        Self { start, thinking_since: start, soft, hard }
    }

    /// The clock of the same search after a `ponderhit` at `hit`; `limits` no longer contain
    /// `ponder`. The hard limit counts from `hit`, the soft limit from the start of the search:
    /// time spent pondering counts as thinking time.
    #[must_use]
    pub fn after_pondering(
        &self,
        limits: &Limits,
        position: &Position,
        overhead: Duration,
        hit: Instant,
    ) -> Self {
        Self { thinking_since: self.thinking_since, ..Self::new(limits, position, overhead, hit) }
    }

    /// When the search must end, whatever it has found. `None` if only `stop` ends it, or if the
    /// deadline is too far away to be represented.
    pub fn deadline(&self) -> Option<Instant> {
        self.hard.and_then(|hard| self.start.checked_add(hard))
    }

    /// Whether no new iteration should begin at `now`.
    pub fn is_enough(&self, now: Instant, stability: Stability) -> bool {
        let thought = now.saturating_duration_since(self.thinking_since);
        let scale = stability_factor(stability.support.stable_iterations)
            * drop_factor(stability.score_drop)
            * share_factor(stability.support.share);
        self.hard.is_some_and(|hard| now.saturating_duration_since(self.start) >= hard)
            || self.soft.is_some_and(|soft| thought.as_secs_f64() >= soft.as_secs_f64() * scale)
    }
}

/// Time left and increment of the side to move. If only the opponent's clock is known, it is used
/// instead: a search under a clock must not run forever.
fn own_clock(limits: &Limits, position: &Position) -> Option<(Duration, Duration)> {
    let turn = position.turn();
    [turn, !turn].into_iter().find_map(|color| {
        let SideClock { remaining, increment } = limits.side(color);
        remaining.map(|remaining| (remaining, increment))
    })
}

/// The soft and the hard limit of a move under a game clock.
fn game_limits(
    remaining: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
    ply: u32,
    overhead: Duration,
) -> (Duration, Duration) {
    let moves = match moves_to_go {
        Some(moves) => moves.min(GAME_MOVES),
        None => expected_moves(ply, increment),
    };
    let unpaid = overhead.saturating_sub(increment).saturating_mul(moves);
    let left = remaining.saturating_sub(overhead);
    let usable = left - RESERVE.max(unpaid).min(left / RESERVE_DIVISOR);

    // The increments of the moves to come are divided among them as well.
    let share = 1.0 / (f64::from(moves) * OVERRUN);
    let gain = increment.saturating_sub(overhead);
    let soft = usable.mul_f64(share).saturating_add(gain.mul_f64(1.0 - share));
    let factor = (HARD_FACTOR + ply / HARD_FACTOR_PLIES).min(HARD_FACTOR_MAX);
    let hard = usable.mul_f64(HARD_SHARE).min(soft.saturating_mul(factor));
    (soft.min(hard), hard)
}

/// The moves that each side is expected still to play in a game without a control to come. A ply
/// that is too low, as in a position set up in the middle of a game, only makes for caution.
fn expected_moves(ply: u32, increment: Duration) -> u32 {
    let least = if increment.is_zero() { LEAST_MOVES_SUDDEN_DEATH } else { LEAST_MOVES };
    let played = ply / 2;
    GAME_MOVES.saturating_sub(played.saturating_mul(MOVES_OFF_IN_FIVE) / 5).max(least)
}

/// Less time the longer the best move has been stable: from [`UNSTABLE`] down to [`STABLE`].
fn stability_factor(stable_iterations: f64) -> f64 {
    let settled = (stable_iterations / f64::from(SETTLED)).clamp(0.0, 1.0);
    UNSTABLE - (UNSTABLE - STABLE) * settled
}

/// More time for a falling score, less for a rising one: [`RISEN`] to [`FALLEN`].
fn drop_factor(score_drop: i32) -> f64 {
    (1.0 + f64::from(score_drop) * DROP_STEP).clamp(RISEN, FALLEN)
}

/// Less time the larger the best move's share of the tree: from [`CONTESTED`] down by one.
fn share_factor(best_move_share: f64) -> f64 {
    CONTESTED - best_move_share.clamp(0.0, 1.0)
}

#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod tests;
