//! How strong many threads are: the node multiple at which one thread plays equally well.
//!
//! Many threads with n nodes each play one thread with m times n, for several m. Strength grows
//! with the logarithm of time, so the log-odds of their points fall linearly with the logarithm of
//! m; where the line crosses zero both are equally strong. It is fitted by maximum likelihood
//! (logistic regression, D. R. Cox, 1958); the interval comes from a bootstrap over pairs of games.

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

/// The points of the many side at one multiple.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// Nodes of the single thread relative to each of the many.
    pub multiple: f64,
    /// Points of the many side in each pair of games, 0 to 1.
    pub pairs: Vec<f64>,
}

/// The strength of a number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equality {
    /// Number of workers.
    pub threads: usize,
    /// Nodes of each per move.
    pub nodes: u64,
    /// Games planned.
    pub planned: usize,
    /// Games played.
    pub trials: Vec<Trial>,
    /// The node multiple at which one thread is equally strong; `None` if the games do not
    /// determine it.
    pub multiple: Option<Estimate>,
    /// The multiple relative to the number of threads.
    pub efficiency: Option<Estimate>,
}

impl Trial {
    /// The number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.pairs.len()
    }

    /// The share of the points won by the many side, 0 to 1; one half without games.
    #[must_use]
    pub fn score(&self) -> f64 {
        mean(self.pairs.iter().copied()).unwrap_or(0.5)
    }

    fn resampled(&self, rng: &mut Rng) -> Self {
        let draw = |_| rng.choice(&self.pairs).copied();
        Self { multiple: self.multiple, pairs: (0..self.pairs.len()).filter_map(draw).collect() }
    }
}

impl Equality {
    /// The result of the games of `trials`, out of those `planned`; `seed` seeds the bootstrap.
    #[must_use]
    pub fn new(threads: usize, nodes: u64, planned: usize, trials: Vec<Trial>, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let multiple = equal_at(&trials).map(|value| {
            let drawn = (0..RESAMPLES).filter_map(|_| {
                equal_at(&trials.iter().map(|t| t.resampled(&mut rng)).collect::<Vec<_>>())
            });
            Estimate::new(value, drawn.collect())
        });
        let share = |value: f64| value / threads as f64;
        let efficiency = multiple.map(|Estimate { value, low, high }| Estimate {
            value: share(value),
            low: share(low),
            high: share(high),
        });
        Self { threads, nodes, planned, trials, multiple, efficiency }
    }

    /// Games that were played.
    #[must_use]
    pub fn games(&self) -> usize {
        self.trials.iter().map(Trial::games).sum()
    }
}

/// The multiple at which the fitted line gives both sides half of the points; `None` if the games
/// do not determine it.
#[must_use]
pub fn equal_at(trials: &[Trial]) -> Option<f64> {
    let (height, slope) = line(trials)?;
    (slope < 0.0 && -slope < STEEPEST).then(|| (-height / slope).exp())
}

/// The line of the log-odds over the logarithm of the multiple, by Newton's method: its height at a
/// multiple of 1 and its slope.
fn line(trials: &[Trial]) -> Option<(f64, f64)> {
    let (mut height, mut slope) = (0.0, 0.0);
    for _ in 0..STEPS {
        let (mut gradient, mut curvature) = ([0.0; 2], [0.0; 3]);
        for trial in trials {
            let (x, weight) = (trial.multiple.ln(), trial.games() as f64);
            let expected = 1.0 / (1.0 + f64::exp(-(height + slope * x)));
            let error = weight * (trial.score() - expected);
            let spread = weight * expected * (1.0 - expected);
            gradient = [gradient[0] + error, gradient[1] + error * x];
            let add = [spread, spread * x, spread * x * x];
            curvature.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
        }
        let [a, b, c] = curvature;
        let determinant = a * c - b * b;
        if determinant.abs() < f64::EPSILON {
            return None;
        }
        let up = (c * gradient[0] - b * gradient[1]) / determinant;
        let turn = (a * gradient[1] - b * gradient[0]) / determinant;
        height += up;
        slope += turn;
        if up.abs() + turn.abs() < PRECISION {
            return Some((height, slope));
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

    #[test]
    fn the_multiple_is_found_where_points_are_equal() {
        for multiple in [3.0, 5.5, 12.0] {
            let found = Equality::new(8, 100, 400, trials(multiple, 1.4), 1);
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
            let found = Equality::new(8, 100, 400, trials, 1).multiple.unwrap();
            assert!((found.value - 4.0).abs() < 1e-6 && found.low < 4.0 && found.high > 4.0);
            found.high - found.low
        };
        assert!(width(400) < width(40));
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
            assert_eq!(Equality::new(8, 100, 400, trials.clone(), 1).multiple, None, "{trials:?}");
        }
    }
}
