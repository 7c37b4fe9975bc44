//! Turns limits into deadlines: how long one search may take.
//!
//! A [`Clock`] is a pure function of the limits, the start time and the `now` that is passed in; it
//! never reads the time itself. The *soft* limit is what the move deserves: no iteration begins
//! after it, and it stretches or shrinks with the [`Stability`] of the search. The *hard* limit is
//! what the game can afford: the search stops there, whatever it is doing.
//!
//! Sources: soft and hard limits are from R. Hyatt, "Using Time Wisely", ICGA Journal 7(1), 1984;
//! scaling by stability, falling score and node share is common among today's engines (ideas from
//! Stockfish and Viridithas; the formulas and the numbers are our own).

use std::time::{Duration, Instant};

use crate::position::Color;
use crate::time::limits::{Limits, SideClock};

/// The largest number of moves that the remaining time is divided among.
const HORIZON: u32 = 25;
/// Fraction of the increment, less the overhead, that a move may spend.
const INCREMENT_SHARE: f64 = 0.8;
/// Time held back in case the machine is busy, ...
const RESERVE: Duration = Duration::from_millis(100);
/// ... but at most the remaining time divided by this.
const RESERVE_DIVISOR: u32 = 2;
/// Fraction of the usable time that a single move may take.
const HARD_SHARE: f64 = 0.7;
/// The hard limit is at most this many soft limits.
const HARD_FACTOR: u32 = 4;

/// Factor of the soft limit when the best move has just changed, ...
const UNSTABLE: f64 = 1.5;
/// ... its decrease for every iteration that keeps the best move, ...
const STABLE_STEP: f64 = 0.15;
/// ... and its minimum.
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

/// How settled the search is, as of the main worker's last iteration.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Stability {
    /// Consecutive iterations, including the last, that kept the best move.
    pub stable_iterations: u32,
    /// Centipawns by which the score has fallen since the previous iteration (negative: risen).
    pub score_drop: i32,
    /// Share of the main worker's nodes that went into the best move, 0 to 1.
    pub best_move_share: f64,
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
    /// The clock for the side to move under `limits`, starting at `start`; `overhead` is the time
    /// lost on the way to the GUI. `infinite` and `ponder` searches have no deadline; see
    /// [`Clock::after_pondering`].
    #[must_use]
    pub fn new(limits: &Limits, turn: Color, overhead: Duration, start: Instant) -> Self {
        if limits.infinite || limits.ponder {
            return Self { start, thinking_since: start, soft: None, hard: None };
        }
        let fixed = limits.move_time.map(|time| time.saturating_sub(overhead));
        let game = own_clock(limits, turn).map(|(remaining, increment)| {
            game_limits(remaining, increment, limits.moves_to_go, overhead)
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
        turn: Color,
        overhead: Duration,
        hit: Instant,
    ) -> Self {
        Self { thinking_since: self.thinking_since, ..Self::new(limits, turn, overhead, hit) }
    }

    /// When the search must end, whatever it has found. `None` if only `stop` ends it, or if the
    /// deadline is too far away to be represented.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.hard.and_then(|hard| self.start.checked_add(hard))
    }

    /// Whether no new iteration should begin at `now`.
    #[must_use]
    pub fn is_enough(&self, now: Instant, stability: Stability) -> bool {
        let thought = now.saturating_duration_since(self.thinking_since);
        let scale = stability_factor(stability.stable_iterations)
            * drop_factor(stability.score_drop)
            * share_factor(stability.best_move_share);
        self.hard.is_some_and(|hard| self.elapsed(now) >= hard)
            || self.soft.is_some_and(|soft| thought.as_secs_f64() >= soft.as_secs_f64() * scale)
    }

    /// Time since our clock started; zero before that.
    #[must_use]
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.start)
    }
}

/// Time left and increment of the side to move. If only the opponent's clock is known, it is used
/// instead: a search under a clock must not run forever.
fn own_clock(limits: &Limits, turn: Color) -> Option<(Duration, Duration)> {
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
    overhead: Duration,
) -> (Duration, Duration) {
    let reserve = RESERVE.min(remaining / RESERVE_DIVISOR);
    let usable = remaining.saturating_sub(overhead).saturating_sub(reserve);
    let moves = moves_to_go.filter(|&moves| moves > 0).map_or(HORIZON, |moves| moves.min(HORIZON));
    let earned = increment.saturating_sub(overhead).mul_f64(INCREMENT_SHARE);

    let soft = (usable / moves).saturating_add(earned);
    let hard = usable.mul_f64(HARD_SHARE).min(soft.saturating_mul(HARD_FACTOR));
    (soft.min(hard), hard)
}

/// Less time the longer the best move has been stable: from [`UNSTABLE`] down to [`STABLE`].
fn stability_factor(stable_iterations: u32) -> f64 {
    (UNSTABLE - f64::from(stable_iterations) * STABLE_STEP).max(STABLE)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const OVERHEAD: Duration = Duration::from_millis(10);

    fn sudden_death(remaining: Duration, increment: Duration) -> Limits {
        let side = SideClock { remaining: Some(remaining), increment };
        Limits { white: side, black: side, ..Limits::default() }
    }

    fn clock(limits: &Limits) -> Clock {
        Clock::new(limits, Color::White, OVERHEAD, Instant::now())
    }

    /// A search of middling stability: the factors are close to 1.
    fn settled() -> Stability {
        Stability { stable_iterations: 3, score_drop: 0, best_move_share: 0.6 }
    }

    #[test]
    fn without_time_limits_nothing_is_ever_enough() {
        let timed = sudden_death(1000 * MS, Duration::ZERO);
        for limits in [
            Limits::default(),
            Limits { depth: Some(9), ..Limits::default() },
            Limits { infinite: true, ..timed.clone() },
            Limits { ponder: true, move_time: Some(5 * MS), ..timed.clone() },
        ] {
            let clock = clock(&limits);
            assert_eq!(clock.deadline(), None, "{limits:?}");
            assert!(!clock.is_enough(clock.start + 86_400_000 * MS, Stability::default()));
        }
    }

    #[test]
    fn move_time_is_used_up_except_for_the_overhead() {
        let limits = Limits { move_time: Some(500 * MS), ..Limits::default() };
        let clock = clock(&limits);
        assert_eq!(clock.deadline(), Some(clock.start + 490 * MS));
        assert!(!clock.is_enough(clock.start + 489 * MS, settled()));
        assert!(clock.is_enough(clock.start + 490 * MS, settled()));
    }

    #[test]
    fn the_nearer_of_two_limits_counts() {
        let with_move_time = |time| {
            let limits = Limits { move_time: Some(time), ..sudden_death(60_000 * MS, MS) };
            clock(&limits).hard.unwrap()
        };
        let game = clock(&sudden_death(60_000 * MS, MS)).hard.unwrap();
        assert_eq!(with_move_time(100 * MS), 90 * MS);
        assert_eq!(with_move_time(60_000 * MS), game);
    }

    #[test]
    fn no_time_left_is_no_time_to_think() {
        for remaining in [Duration::ZERO, MS, OVERHEAD] {
            let clock = clock(&sudden_death(remaining, Duration::ZERO));
            assert_eq!(clock.deadline(), Some(clock.start), "{remaining:?}");
            assert!(clock.is_enough(clock.start, settled()));
        }
        let with_increment = clock(&sudden_death(MS, 1000 * MS));
        assert_eq!(with_increment.hard, Some(Duration::ZERO), "the increment is not ours yet");
    }

    #[test]
    fn the_opponents_clock_stands_in_for_ours() {
        let side = SideClock { remaining: Some(5000 * MS), increment: Duration::ZERO };
        let limits = Limits { white: side, ..Limits::default() };
        let start = Instant::now();
        assert_eq!(
            Clock::new(&limits, Color::Black, OVERHEAD, start),
            Clock::new(&limits, Color::White, OVERHEAD, start)
        );
    }

    #[test]
    fn our_own_clock_is_the_one_that_counts() {
        let limits = Limits {
            white: SideClock { remaining: Some(50 * MS), increment: Duration::ZERO },
            black: SideClock { remaining: Some(9000 * MS), increment: Duration::ZERO },
            ..Limits::default()
        };
        let hard = |turn| Clock::new(&limits, turn, OVERHEAD, Instant::now()).hard.unwrap();
        assert!(hard(Color::White) < 50 * MS);
        assert!(hard(Color::Black) > 50 * MS);
    }

    #[test]
    fn fewer_moves_to_go_leave_more_for_each() {
        let soft = |moves_to_go| {
            let limits = Limits { moves_to_go, ..sudden_death(10_000 * MS, Duration::ZERO) };
            clock(&limits).soft.unwrap()
        };
        assert!(soft(Some(1)) > soft(Some(5)));
        assert!(soft(Some(5)) > soft(Some(20)));
        assert_eq!(soft(Some(u32::MAX)), soft(None));
        assert_eq!(soft(Some(0)), soft(None));
    }

    #[test]
    fn a_restless_search_takes_longer() {
        let clock = clock(&sudden_death(10_000 * MS, 100 * MS));
        let now = clock.start + clock.soft.unwrap();
        let calm = Stability { stable_iterations: 9, score_drop: -40, best_move_share: 0.95 };
        assert!(clock.is_enough(now, calm));
        assert!(!clock.is_enough(now, Stability { stable_iterations: 0, ..settled() }));
        assert!(!clock.is_enough(now, Stability { score_drop: 60, ..settled() }));
        assert!(!clock.is_enough(now, Stability { best_move_share: 0.1, ..settled() }));
    }

    #[test]
    fn after_pondering_the_hard_limit_counts_from_the_hit_and_the_soft_from_the_start() {
        let timed = sudden_death(10_000 * MS, 100 * MS);
        let direct = clock(&timed);
        let (soft, hard) = (direct.soft.unwrap(), direct.hard.unwrap());
        let pondering = clock(&Limits { ponder: true, ..timed.clone() });
        let hit_after = |time| {
            let hit = pondering.start + time;
            (pondering.after_pondering(&timed, Color::White, OVERHEAD, hit), hit)
        };
        let (clock, hit) = hit_after(soft / 4);
        assert_eq!(clock.deadline(), Some(hit + hard));
        assert!(!clock.is_enough(hit, settled()));
        assert!(clock.is_enough(hit + soft, settled()), "at most {soft:?} of our own time");
        let (clock, hit) = hit_after(2 * soft);
        assert_eq!(clock.deadline(), Some(hit + hard));
        assert!(clock.is_enough(hit, settled()), "pondering covered the soft limit");
        let fixed = Limits { move_time: Some(500 * MS), ..Limits::default() };
        let hit = pondering.start + 9_000 * MS;
        let clock = pondering.after_pondering(&fixed, Color::White, OVERHEAD, hit);
        assert!(
            !clock.is_enough(hit + 489 * MS, settled())
                && clock.is_enough(hit + 490 * MS, settled())
        );
    }

    #[test]
    fn a_game_against_the_clock_never_runs_out() {
        // Every move uses the whole hard limit, and loses the overhead on top.
        for (base, increment) in [(2000, 20), (3000, 30), (1000, 0), (100, 10)] {
            let mut remaining = base * MS;
            for ply in 0..500 {
                let hard = clock(&sudden_death(remaining, increment * MS)).hard.unwrap();
                assert!(hard <= remaining.saturating_sub(OVERHEAD), "ply {ply}: {remaining:?}");
                if increment == 0 {
                    remaining -= hard;
                } else {
                    assert!(remaining > hard + OVERHEAD, "ply {ply}: {remaining:?}");
                    remaining = remaining - hard - OVERHEAD + increment * MS;
                }
            }
        }
    }

    fn durations() -> impl Strategy<Value = Duration> {
        prop_oneof![
            (0_u64..200_000).prop_map(Duration::from_micros),
            (0_u64..10_000_000).prop_map(Duration::from_millis),
            any::<u64>().prop_map(Duration::from_millis),
            any::<u64>().prop_map(Duration::from_secs),
            Just(Duration::MAX),
        ]
    }

    fn any_limits() -> impl Strategy<Value = Limits> {
        use proptest::option::of;
        (of(durations()), durations(), of(durations()), durations(), of(any::<u32>()))
            .prop_flat_map(|(white, winc, black, binc, moves_to_go)| {
                of(durations()).prop_map(move |move_time| Limits {
                    white: SideClock { remaining: white, increment: winc },
                    black: SideClock { remaining: black, increment: binc },
                    moves_to_go,
                    move_time,
                    ..Limits::default()
                })
            })
    }

    fn any_stability() -> impl Strategy<Value = Stability> {
        (any::<u32>(), any::<i32>(), any::<f64>()).prop_map(
            |(stable_iterations, score_drop, best_move_share)| Stability {
                stable_iterations,
                score_drop,
                best_move_share,
            },
        )
    }

    proptest! {
        #[test]
        fn limits_are_in_order(limits in any_limits(), overhead in durations()) {
            let clock = Clock::new(&limits, Color::White, overhead, Instant::now());
            if let Some(soft) = clock.soft {
                prop_assert!(soft <= clock.hard.unwrap());
            }
            let hard = clock.hard.unwrap_or_default();
            if let Some(time) = limits.move_time {
                prop_assert!(hard <= time.saturating_sub(overhead));
            }
            if let Some(remaining) = limits.white.remaining {
                let left = remaining.saturating_sub(overhead);
                prop_assert!(hard < left || left.is_zero());
                prop_assert!(hard <= left.mul_f64(HARD_SHARE));
            }
        }

        #[test]
        fn whatever_the_progress_the_hard_limit_is_enough(
            limits in any_limits(), stability in any_stability(), late in durations(),
        ) {
            let clock = clock(&limits);
            let _ = clock.is_enough(clock.start, stability);
            if let Some(deadline) = clock.deadline() {
                prop_assert!(clock.is_enough(deadline, stability));
                if let Some(later) = deadline.checked_add(late) {
                    prop_assert!(clock.is_enough(later, stability));
                }
            }
        }

        #[test]
        fn more_time_left_never_means_less_time(
            a in durations(), b in durations(), limits in any_limits(), overhead in durations(),
        ) {
            let start = Instant::now();
            let limits_of = |remaining| {
                let white = SideClock { remaining: Some(remaining), ..limits.white };
                let clock =
                    Clock::new(&Limits { white, ..limits.clone() }, Color::White, overhead, start);
                (clock.soft, clock.hard)
            };
            let (less, more) = (limits_of(a.min(b)), limits_of(a.max(b)));
            prop_assert!(less.0 <= more.0 && less.1 <= more.1);
        }

        #[test]
        fn factors_are_bounded(stability in any_stability()) {
            let factor = stability_factor(stability.stable_iterations);
            prop_assert!((STABLE..=UNSTABLE).contains(&factor));
            let drop = drop_factor(stability.score_drop);
            prop_assert!((RISEN..=FALLEN).contains(&drop));
            if !stability.best_move_share.is_nan() {
                let share = share_factor(stability.best_move_share);
                prop_assert!((CONTESTED - 1.0..=CONTESTED).contains(&share));
            }
        }
    }
}
