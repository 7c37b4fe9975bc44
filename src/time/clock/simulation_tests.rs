//! Games against the clock alone: a search takes its soft limit times a random factor, at most the
//! hard limit, and its answer is late by a few milliseconds.

use std::ops::Range;

use super::*;

const MS: Duration = Duration::from_millis(1);
/// The default of the option `Move Overhead`.
const OVERHEAD: Duration = Duration::from_millis(10);
/// Games played for each time control and length.
const GAMES: u64 = 20;
/// The move that the games begin at: those before it were a book's.
const FIRST_MOVE: u32 = 5;
/// The least and the most soft limits that a search takes.
const FACTORS: (f64, f64) = (0.6, 2.5);

/// The time control of a game.
#[derive(Copy, Clone, Debug)]
struct Control {
    /// Time for the game, or for each `period`.
    base: Duration,
    /// Added after each move.
    increment: Duration,
    /// Moves after which the base time is added again.
    period: Option<u32>,
}

const BULLET: Control = control(1_000, 10);
const BLITZ: Control = control(3_000, 30);
const RAPID: Control = control(10_000, 100);
const LONG: Control = control(60_000, 600);
const SUDDEN_DEATH: Control = control(10_000, 0);
const REPEATING: Control = Control { period: Some(40), ..control(10_000, 0) };

const fn control(base: u64, increment: u64) -> Control {
    let (base, increment) = (Duration::from_millis(base), Duration::from_millis(increment));
    Control { base, increment, period: None }
}

/// One side's game.
struct Played {
    /// The time of each move, with the delay of its answer.
    used: Vec<Duration>,
    /// The hard limit of each move.
    hard: Vec<Duration>,
    /// The time left after the last move.
    left: Duration,
}

impl Played {
    /// The mean time of some of the moves, in seconds.
    fn mean(&self, moves: Range<usize>) -> f64 {
        let used = &self.used[moves];
        used.iter().map(Duration::as_secs_f64).sum::<f64>() / used.len() as f64
    }
}

/// White's move with that number.
fn position(number: u32) -> Position {
    Position::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}")).unwrap()
}

/// How many soft limits a search takes: 1.2 on average, most fewer, some far more.
fn factor(rng: &mut fastrand::Rng) -> f64 {
    let product: f64 = (0..3).map(|_| 0.6 + 0.9 * rng.f64()).product();
    product.clamp(FACTORS.0, FACTORS.1)
}

/// Plays `moves` moves; panics if the time runs out.
fn play(control: Control, moves: u32, rng: &mut fastrand::Rng) -> Played {
    let Control { base, increment, period } = control;
    let mut played = Played { used: Vec::new(), hard: Vec::new(), left: base };
    for number in 0..moves {
        let moves_to_go = period.map(|period| period - number % period);
        if number > 0 && moves_to_go == period && period.is_some() {
            played.left += base;
        }
        let side = SideClock { remaining: Some(played.left), increment };
        let limits = Limits { white: side, black: side, moves_to_go, ..Limits::default() };
        let clock = Clock::new(&limits, &position(FIRST_MOVE + number), OVERHEAD, Instant::now());
        let (soft, hard) = (clock.soft.unwrap(), clock.hard.unwrap());
        let delay = MS.mul_f64(1.0 + 2.0 * rng.f64());
        let used = soft.mul_f64(factor(rng)).min(hard) + delay;
        assert!(used < played.left, "{control:?} move {number}: {used:?} of {:?}", played.left);
        played.left = played.left - used + increment;
        played.used.push(used);
        played.hard.push(hard);
    }
    played
}

/// Some games, the same ones each time.
fn games(control: Control, moves: u32) -> impl Iterator<Item = Played> {
    (0..GAMES).map(move |seed| play(control, moves, &mut fastrand::Rng::with_seed(seed)))
}

/// The mean of a figure over games.
fn mean(games: impl Iterator<Item = Played>, figure: impl Fn(&Played) -> f64) -> f64 {
    games.map(|played| figure(&played)).sum::<f64>() / GAMES as f64
}

#[test]
fn no_game_is_lost_on_time() {
    for control in [BULLET, BLITZ, RAPID, LONG, SUDDEN_DEATH, REPEATING] {
        for moves in [40, 60, 100, 150] {
            assert_eq!(games(control, moves).count() as u64, GAMES);
        }
    }
}

#[test]
fn long_games_use_their_time() {
    // Of 3 s: at most a quarter of a second is left after 60 moves or more.
    for moves in [60, 80, 100, 150] {
        let left = mean(games(BLITZ, moves), |played| played.left.as_secs_f64());
        assert!(left <= 0.25, "{left} s after {moves} moves");
    }
    for (control, share) in [(BULLET, 0.25), (RAPID, 0.05), (LONG, 0.05), (SUDDEN_DEATH, 0.05)] {
        let base = control.base.as_secs_f64();
        let left = mean(games(control, 100), |played| played.left.as_secs_f64());
        assert!(left <= share * base, "{left} s of {control:?}");
    }
}

#[test]
fn late_moves_still_get_their_increment() {
    for control in [BULLET, BLITZ, RAPID, LONG] {
        let increment = control.increment.as_secs_f64();
        let late = mean(games(control, 150), |played| played.mean(80..150));
        assert!(late >= 0.95 * increment, "{late} s for a move of {control:?}");
        for played in games(control, 150) {
            let hard = played.hard[80..].iter().min().copied();
            let paid = control.increment.saturating_sub(OVERHEAD);
            assert!(hard >= Some(paid), "at most {hard:?} for a move of {control:?}");
        }
    }
}

#[test]
fn the_opening_does_not_take_the_middlegames_time() {
    for control in [BULLET, BLITZ, RAPID, LONG, SUDDEN_DEATH, REPEATING] {
        let mean_of =
            |moves: Range<usize>| mean(games(control, 60), |game| game.mean(moves.clone()));
        let (opening, middlegame, endgame) = (mean_of(0..10), mean_of(10..30), mean_of(40..60));
        assert!(opening <= 1.15 * middlegame, "{control:?}: {opening} s, then {middlegame} s");
        if control.period.is_none() {
            assert!(endgame < middlegame, "{control:?}: {middlegame} s, then {endgame} s");
        }
    }
}

#[test]
fn a_period_is_spread_evenly_and_its_rest_is_kept() {
    for start in [0, 40, 80] {
        let quarter = |n: usize| {
            let first = start + 10 * n;
            mean(games(REPEATING, 120), |game| game.mean(first..first + 10))
        };
        let quarters = [0, 1, 2, 3].map(quarter);
        let most = quarters.iter().copied().fold(0.0, f64::max);
        let least = quarters.iter().copied().fold(f64::MAX, f64::min);
        assert!(most < 1.3 * least, "{quarters:?}");
    }
    let left = mean(games(REPEATING, 120), |game| game.left.as_secs_f64());
    assert!(left <= 0.05 * REPEATING.base.as_secs_f64(), "{left} s");
}
