//! How strong a side is: the multiple at which the other plays equally well.
//!
//! The second side gets m times as many nodes, or as much time, as each thread of the first one,
//! for several m. Strength grows with the logarithm of time, so the log-odds of the points fall
//! linearly with the logarithm of m; where the line crosses zero both are equally strong. It is
//! fitted by maximum likelihood (logistic regression, D. R. Cox, 1958); the interval comes from a
//! bootstrap over pairs of games.
//!
//! How steeply the line falls is what more time is worth to the second side, whoever the first
//! is. So the lines of all numbers of threads are fitted together, with one slope.

use fastrand::Rng;
use serde::Serialize;

use crate::stats::{Estimate, mean};

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1000;
/// The most steps of Newton's method: it converges long before, or never.
const STEPS: usize = 50;
/// The step size at which it has converged.
const PRECISION: f64 = 1e-9;
/// The slope limit. Steeper lines come from games that are all won or all lost, which no line fits.
const STEEPEST: f64 = 50.0;

/// The points of the first side at one multiple.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// What the second side gets relative to each thread of the first one.
    pub multiple: f64,
    /// Points of the first side in each pair of games, 0 to 1.
    pub pairs: Vec<f64>,
}

/// The strength of a number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equality {
    /// Number of threads.
    pub threads: usize,
    /// Nodes of each per move; 0 under a clock.
    pub nodes: u64,
    /// Games planned.
    pub planned: usize,
    /// Games played.
    pub trials: Vec<Trial>,
    /// The multiple at which the second side is equally strong; `None` if the games do not
    /// determine it.
    pub multiple: Option<Estimate>,
    /// The multiple relative to the number of threads.
    pub efficiency: Option<Estimate>,
}

impl Trial {
    /// The number of games.
    pub fn games(&self) -> usize {
        2 * self.pairs.len()
    }

    /// The share of the points won by the first side, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        mean(self.pairs.iter().copied()).unwrap_or(0.5)
    }
}

/// The games of one number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Number of workers.
    pub threads: usize,
    /// Games planned.
    pub planned: usize,
    /// Games played.
    pub trials: Vec<Trial>,
}

impl Equality {
    /// Games that were played.
    pub fn games(&self) -> usize {
        self.trials.iter().map(Trial::games).sum()
    }
}

/// The strength of each side, with `nodes` per thread and move; `seed` seeds the
/// bootstrap.
pub fn equalities(nodes: u64, sides: Vec<Side>, seed: u64) -> Vec<Equality> {
    let played: Vec<&[Trial]> = sides.iter().map(|side| side.trials.as_slice()).collect();
    let mut rng = Rng::with_seed(seed);
    let mut resampled = || {
        let trials = played.iter().map(|side| resampled(side, &mut rng));
        multiples(&trials.collect::<Vec<_>>())
    };
    let drawn: Vec<_> = (0..RESAMPLES).map(|_| resampled()).collect();
    let found = multiples(&played).into_iter().enumerate().map(|(place, multiple)| {
        let drawn = drawn.iter().filter_map(|drawn| drawn[place]);
        multiple.map(|value| Estimate::new(value, drawn.collect()))
    });
    let equality = |(Side { threads, planned, trials }, multiple): (Side, Option<Estimate>)| {
        let share = |value: f64| value / threads as f64;
        let efficiency = multiple.map(|Estimate { value, low, high }| Estimate {
            value: share(value),
            low: share(low),
            high: share(high),
        });
        Equality { threads, nodes, planned, trials, multiple, efficiency }
    };
    sides.into_iter().zip(found).map(equality).collect()
}

/// As many pairs, drawn from all of a side's: each multiple may have too few to draw from alone.
fn resampled(trials: &[Trial], rng: &mut Rng) -> Vec<Trial> {
    let places = trials.iter().enumerate();
    let pairs: Vec<_> = places
        .flat_map(|(place, trial)| trial.pairs.iter().map(move |&points| (place, points)))
        .collect();
    let empty = |trial: &Trial| Trial { multiple: trial.multiple, pairs: Vec::new() };
    let mut drawn: Vec<_> = trials.iter().map(empty).collect();
    for _ in 0..pairs.len() {
        if let Some(&(place, points)) = rng.choice(&pairs) {
            drawn[place].pairs.push(points);
        }
    }
    drawn
}

/// The multiple at which the line fitted to one side's games gives both half of the points; `None`
/// if the games do not determine it.
pub fn equal_at(trials: &[Trial]) -> Option<f64> {
    multiples(&[trials])[0]
}

/// The multiples at which the lines give both sides half of the points, `None` where the games do
/// not determine it.
fn multiples(sides: &[impl AsRef<[Trial]>]) -> Vec<Option<f64>> {
    // No line fits games that are all won or all lost.
    let is_told = |&place: &usize| {
        let side = sides[place].as_ref();
        let points: f64 = side.iter().map(|t| t.score() * t.games() as f64).sum();
        points > 0.0 && points < side.iter().map(Trial::games).sum::<usize>() as f64
    };
    let places: Vec<usize> = (0..sides.len()).filter(is_told).collect();
    let told: Vec<&[Trial]> = places.iter().map(|&place| sides[place].as_ref()).collect();
    let mut found = vec![None; sides.len()];
    if let Some((heights, slope)) = lines(&told).filter(|(_, s)| *s < 0.0 && -s < STEEPEST) {
        for (place, height) in places.into_iter().zip(heights) {
            found[place] = Some((-height / slope).exp());
        }
    }
    found
}

/// The lines of the log-odds over the logarithm of the multiple, by Newton's method: each side's
/// height at a multiple of 1, and the slope of all.
fn lines(sides: &[&[Trial]]) -> Option<(Vec<f64>, f64)> {
    let (mut heights, mut slope) = (vec![0.0; sides.len()], 0.0);
    for _ in 0..STEPS {
        // What the slope's equation keeps when the heights are eliminated from it.
        let (mut rise, mut bend) = (0.0, 0.0);
        let mut rows = Vec::with_capacity(sides.len());
        for (side, &height) in sides.iter().zip(&heights) {
            let [mut error, mut turning, mut a, mut b, mut c] = [0.0; 5];
            for trial in *side {
                let (x, weight) = (trial.multiple.ln(), trial.games() as f64);
                let expected = 1.0 / (1.0 + f64::exp(-(height + slope * x)));
                let missing = weight * (trial.score() - expected);
                let spread = weight * expected * (1.0 - expected);
                error += missing;
                turning += missing * x;
                a += spread;
                b += spread * x;
                c += spread * x * x;
            }
            rise += turning - b * error / a;
            bend += c - b * b / a;
            rows.push((error, a, b));
        }
        if bend.is_nan() || bend.abs() < f64::EPSILON {
            return None;
        }
        let turn = rise / bend;
        let mut most = turn.abs();
        slope += turn;
        for (height, (error, a, b)) in heights.iter_mut().zip(rows) {
            let up = (error - b * turn) / a;
            *height += up;
            most = most.max(up.abs());
        }
        if most < PRECISION {
            return Some((heights, slope));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games whose points follow the law exactly, with equal strength at `multiple`.
    fn trials(multiple: f64, slope: f64) -> Vec<Trial> {
        [2.0, 4.0, 6.0, 8.0]
            .map(|m: f64| {
                let score = 1.0 / (1.0 + (m / multiple).powf(slope));
                Trial { multiple: m, pairs: vec![score; 50] }
            })
            .to_vec()
    }

    /// The strength of eight threads by their own games alone.
    fn alone(trials: Vec<Trial>) -> Equality {
        equalities(100, vec![side(8, trials)], 1).remove(0)
    }

    fn side(threads: usize, trials: Vec<Trial>) -> Side {
        Side { threads, planned: 400, trials }
    }

    #[test]
    fn the_multiple_is_found_where_points_are_equal() {
        for multiple in [3.0, 5.5, 12.0] {
            let found = alone(trials(multiple, 1.4));
            let estimate = found.multiple.unwrap();
            assert!((estimate.value - multiple).abs() < 1e-6, "{found:?}");
            assert!((found.efficiency.unwrap().value - multiple / 8.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_interval_narrows_with_the_games() {
        let width = |pairs: usize| {
            let points =
                |win: usize| (0..pairs).map(|i| f64::from(u8::from(i % 4 < win))).collect();
            let trials = vec![
                Trial { multiple: 2.0, pairs: points(3) },
                Trial { multiple: 8.0, pairs: points(1) },
            ];
            let found = alone(trials).multiple.unwrap();
            assert!((found.value - 4.0).abs() < 1e-6 && found.low < 4.0 && found.high > 4.0);
            found.high - found.low
        };
        assert!(width(400) < width(40));
    }

    #[test]
    fn single_pairs_at_many_multiples_have_an_interval() {
        let points = [1.0, 0.5, 0.75, 0.5, 0.25, 0.5, 0.0, 0.25];
        let trial = |(place, points): (i32, f64)| Trial {
            multiple: f64::from(place).exp2().sqrt(),
            pairs: vec![points],
        };
        let found = alone((0..).zip(points).map(trial).collect()).multiple.unwrap();
        assert!(found.low < 0.9 * found.value && 1.1 * found.value < found.high, "{found:?}");
    }

    #[test]
    fn games_that_tell_nothing_yield_nothing() {
        let trial = |multiple, points| Trial { multiple, pairs: vec![points; 10] };
        for trials in [
            vec![],
            vec![trial(4.0, 0.5)],
            vec![trial(2.0, 1.0), trial(8.0, 1.0)],
            vec![trial(2.0, 0.3), trial(8.0, 0.7)],
            vec![trial(2.0, 1.0), trial(8.0, 0.0)],
        ] {
            assert_eq!(alone(trials.clone()).multiple, None, "{trials:?}");
        }
    }

    #[test]
    fn sides_with_few_games_borrow_the_slope() {
        let trial = |multiple, points| Trial { multiple, pairs: vec![points; 4] };
        let sides = vec![
            side(4, trials(3.0, 1.4)),
            side(16, vec![trial(8.0, 0.5)]),
            side(32, vec![trial(8.0, 1.0), trial(16.0, 1.0)]),
            side(64, Vec::new()),
        ];
        let found = equalities(100, sides, 1);
        let value = |place: usize| found[place].multiple.map(|estimate| estimate.value);
        assert!((value(0).unwrap() - 3.0).abs() < 1e-6, "{found:?}");
        assert!((value(1).unwrap() - 8.0).abs() < 1e-6, "{found:?}");
        assert_eq!([value(2), value(3)], [None, None], "all won, and nothing played");
    }

    #[test]
    fn one_slope_is_fitted_to_all() {
        // The same law twice: together they say what each says alone.
        let both = multiples(&[trials(3.0, 1.4), trials(12.0, 1.4)]);
        for (found, expected) in both.into_iter().zip([3.0, 12.0]) {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-6, "{found:?}");
        }
        // Points at one side of the crossing alone: a steeper common slope brings it nearer.
        let above = || {
            let trial = |m: f64| Trial { multiple: m, pairs: vec![1.0 / (1.0 + m / 16.0); 50] };
            vec![trial(2.0), trial(4.0)]
        };
        let steeper = multiples(&[trials(3.0, 2.0), above()])[1].unwrap();
        assert!((equal_at(&above()).unwrap() - 16.0).abs() < 1e-6);
        assert!(steeper < 15.0, "{steeper}");
    }
}
