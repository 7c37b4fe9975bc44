//! The clock's limits, one search at a time.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);
const OVERHEAD: Duration = Duration::from_millis(10);

fn sudden_death(remaining: Duration, increment: Duration) -> Limits {
    let side = SideClock { remaining: Some(remaining), increment };
    Limits { white: side, black: side, ..Limits::default() }
}

fn clock(limits: &Limits) -> Clock {
    Clock::new(limits, &Position::default(), OVERHEAD, Instant::now())
}

/// Black to move, at the first move.
fn for_black() -> Position {
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    Position::from_fen(fen).unwrap()
}

/// A search of middling stability: the factors are close to 1.
fn settled() -> Stability {
    Stability { support: Support { stable_iterations: 3.0, share: 0.6 }, score_drop: 0 }
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
        Clock::new(&limits, &for_black(), OVERHEAD, start),
        Clock::new(&limits, &Position::default(), OVERHEAD, start)
    );
}

#[test]
fn our_own_clock_is_the_one_that_counts() {
    let limits = Limits {
        white: SideClock { remaining: Some(50 * MS), increment: Duration::ZERO },
        black: SideClock { remaining: Some(9000 * MS), increment: Duration::ZERO },
        ..Limits::default()
    };
    let hard =
        |position: Position| Clock::new(&limits, &position, OVERHEAD, Instant::now()).hard.unwrap();
    assert!(hard(Position::default()) < 50 * MS);
    assert!(hard(for_black()) > 50 * MS);
}

#[test]
fn fewer_moves_to_go_leave_more_for_each() {
    let soft = |moves_to_go| {
        let limits = Limits { moves_to_go, ..sudden_death(10_000 * MS, Duration::ZERO) };
        clock(&limits).soft.unwrap()
    };
    assert!(soft(Some(1)) > soft(Some(5)));
    assert!(soft(Some(5)) > soft(Some(20)));
    assert_eq!(soft(Some(u32::MAX)), soft(Some(GAME_MOVES)));
    assert_eq!(soft(Some(0)), soft(None));
}

#[test]
fn fewer_moves_are_expected_the_later_it_is() {
    let increment = 100 * MS;
    assert_eq!(expected_moves(0, increment), GAME_MOVES);
    for ply in 0..400 {
        assert!(expected_moves(ply, increment) >= expected_moves(ply + 1, increment));
    }
    for ply in [400, u32::MAX] {
        assert_eq!(expected_moves(ply, increment), LEAST_MOVES);
        assert_eq!(expected_moves(ply, Duration::ZERO), LEAST_MOVES_SUDDEN_DEATH);
    }
}

#[test]
fn the_reserve_pays_the_overhead_of_the_moves_to_come() {
    let soft = |overhead| {
        let limits = Limits { moves_to_go: Some(20), ..sudden_death(10_000 * MS, 10 * MS) };
        Clock::new(&limits, &Position::default(), overhead, Instant::now()).soft.unwrap()
    };
    let lost = soft(10 * MS).saturating_sub(soft(110 * MS)).as_secs_f64();
    // An overhead of 100 ms that the increment does not pay, on this move and the 20 to come,
    // but for the reserve that is there in any case.
    let expected = (100 * MS * 21 - RESERVE).as_secs_f64() / (20.0 * OVERRUN);
    assert!((lost - expected).abs() < 1e-6, "{lost} {expected}");
}

#[test]
fn a_restless_search_takes_longer() {
    let clock = clock(&sudden_death(10_000 * MS, 100 * MS));
    let now = clock.start + clock.soft.unwrap();
    let Stability { support, score_drop } = settled();
    let calm = Support { stable_iterations: f64::from(SETTLED), share: 0.95 };
    let calm = Stability { support: calm, score_drop: -40 };
    let with = |support| Stability { support, score_drop };
    assert!(clock.is_enough(now, calm));
    assert!(!clock.is_enough(now, with(Support { stable_iterations: 0.0, ..support })));
    assert!(!clock.is_enough(now, Stability { score_drop: 60, ..settled() }));
    assert!(!clock.is_enough(now, with(Support { share: 0.1, ..support })));
}

#[test]
fn after_pondering_only_the_hard_limit_counts_from_the_hit() {
    let timed = sudden_death(10_000 * MS, 100 * MS);
    let direct = clock(&timed);
    let (soft, hard) = (direct.soft.unwrap(), direct.hard.unwrap());
    let pondering = clock(&Limits { ponder: true, ..timed.clone() });
    let hit_after = |time| {
        let hit = pondering.start + time;
        (pondering.after_pondering(&timed, &Position::default(), OVERHEAD, hit), hit)
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
    let clock = pondering.after_pondering(&fixed, &Position::default(), OVERHEAD, hit);
    assert!(
        !clock.is_enough(hit + 489 * MS, settled()) && clock.is_enough(hit + 490 * MS, settled())
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
    (of(durations()), durations(), of(durations()), durations(), of(any::<u32>())).prop_flat_map(
        |(white, winc, black, binc, moves_to_go)| {
            of(durations()).prop_map(move |move_time| Limits {
                white: SideClock { remaining: white, increment: winc },
                black: SideClock { remaining: black, increment: binc },
                moves_to_go,
                move_time,
                ..Limits::default()
            })
        },
    )
}

/// White to move, at any move of the game.
fn any_position() -> impl Strategy<Value = Position> {
    any::<NonZeroU32>().prop_map(|fullmoves| {
        Position::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {fullmoves}")).unwrap()
    })
}

fn any_stability() -> impl Strategy<Value = Stability> {
    (any::<f64>(), any::<f64>(), any::<i32>()).prop_map(|(stable_iterations, share, score_drop)| {
        Stability { support: Support { stable_iterations, share }, score_drop }
    })
}

proptest! {
    #[test]
    fn limits_are_in_order(
        limits in any_limits(), position in any_position(), overhead in durations(),
    ) {
        let clock = Clock::new(&limits, &position, overhead, Instant::now());
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
        a in durations(), b in durations(),
        limits in any_limits(), position in any_position(), overhead in durations(),
    ) {
        let start = Instant::now();
        let limits_of = |remaining| {
            let white = SideClock { remaining: Some(remaining), ..limits.white };
            let clock =
                Clock::new(&Limits { white, ..limits.clone() }, &position, overhead, start);
            (clock.soft, clock.hard)
        };
        let (less, more) = (limits_of(a.min(b)), limits_of(a.max(b)));
        prop_assert!(less.0 <= more.0 && less.1 <= more.1);
    }

    #[test]
    fn factors_are_bounded(stability in any_stability()) {
        let drop = drop_factor(stability.score_drop);
        prop_assert!((RISEN..=FALLEN).contains(&drop));
        let Support { stable_iterations, share } = stability.support;
        if !stable_iterations.is_nan() && !share.is_nan() {
            prop_assert!((STABLE..=UNSTABLE).contains(&stability_factor(stable_iterations)));
            prop_assert!((CONTESTED - 1.0..=CONTESTED).contains(&share_factor(share)));
        }
    }
}
