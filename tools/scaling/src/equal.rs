//! What many threads are worth in strength: the node multiple at which one thread plays as well.
//!
//! Many threads of n nodes each play one thread of m times n, for several m. The logarithm of the
//! odds of their points falls in a straight line with that of m, as strength grows with the logarithm
//! of time; where the line crosses zero both are equally strong. It is fitted by maximum likelihood
//! (logistic regression, D. R. Cox, 1958), the interval by a bootstrap over pairs of games.

use fastrand::Rng;
use serde::Serialize;

use crate::duel::{Duel, Odds};
use crate::stats::{Estimate, mean};
use heddle::engine::{EngineError, Settings};
use heddle::sync::{Mutex, thread};

/// The multiples played at unless others are asked for, over the number of threads.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Resamples of the bootstrap.
const RESAMPLES: usize = 1000;
/// Newton's method is done long before so many steps, or never.
const STEPS: usize = 50;
/// It is done when a step is smaller.
const PRECISION: f64 = 1e-9;
/// A steeper line is one of points that are all won or all lost, which no line fits.
const STEEPEST: f64 = 50.0;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Nodes of each thread in a move.
    pub nodes: u64,
    /// Games of each number of threads, an even number at each multiple.
    pub games: usize,
}

/// One pair of games to be played.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Pair {
    odds: Odds,
    opening: u64,
}

/// The points of the many at one multiple.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// Nodes of one thread over those of each of the many.
    pub multiple: f64,
    /// Points of the many in each pair of games, 0 to 1.
    pub pairs: Vec<f64>,
}

/// How strong a number of threads is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equality {
    /// Workers.
    pub threads: usize,
    /// Nodes of each in a move.
    pub nodes: u64,
    /// Games that were to be played.
    pub planned: usize,
    /// Those that were.
    pub trials: Vec<Trial>,
    /// The node multiple at which one thread is as strong; `None` if the games do not tell.
    pub multiple: Option<Estimate>,
    /// That over the number of threads.
    pub efficiency: Option<Estimate>,
}

impl Contest {
    /// Every pair, so ordered that an interruption leaves as many games at each multiple.
    fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for &threads in &self.threads {
            let openings = (self.games / (2 * SHARES.len())).max(1) as u64;
            for opening in 0..openings {
                pairs.extend(SHARES.map(|share| {
                    let multiple = share * threads as f64;
                    Pair { odds: Odds { threads, nodes: self.nodes, multiple }, opening }
                }));
            }
        }
        pairs
    }

    /// Pairs of games in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs().len()
    }

    /// Nothing is to be played.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Plays all pairs, one at a time for each of `duels`, until it is done or they give up;
    /// `before` is told of each. `seed` determines the bootstrap.
    ///
    /// # Errors
    /// [`EngineError`], when the threads cannot be had.
    pub fn play(
        &self,
        duels: &mut [Duel],
        settings: &Settings,
        seed: u64,
        before: impl Fn(&Odds) + Sync,
    ) -> Result<Vec<Equality>, EngineError> {
        let pairs = self.pairs();
        let results = Mutex::new(vec![None; pairs.len()]);
        let queue = Mutex::new(pairs.iter().enumerate());
        let work = |duel: &mut Duel| -> Result<(), EngineError> {
            loop {
                let Some((index, pair)) = queue.lock().next() else { return Ok(()) };
                before(&pair.odds);
                let Some(points) = duel.play_pair(pair.opening, &pair.odds, settings)? else {
                    return Ok(());
                };
                results.lock()[index] = Some(points);
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> = duels.iter_mut().map(|duel| scope.spawn(|| work(duel))).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })?;
        let results = results.into_inner();
        Ok(self.equalities(&pairs, &results, seed))
    }

    fn equalities(&self, pairs: &[Pair], results: &[Option<f64>], seed: u64) -> Vec<Equality> {
        let equality = |&threads: &usize| {
            let mut trials: Vec<Trial> = Vec::new();
            for (pair, &points) in pairs.iter().zip(results) {
                let (true, Some(points)) = (pair.odds.threads == threads, points) else { continue };
                let multiple = pair.odds.multiple;
                match trials.iter_mut().find(|trial| trial.multiple == multiple) {
                    Some(trial) => trial.pairs.push(points),
                    None => trials.push(Trial { multiple, pairs: vec![points] }),
                }
            }
            let planned = 2 * pairs.iter().filter(|pair| pair.odds.threads == threads).count();
            Equality::new(threads, self.nodes, planned, trials, seed)
        };
        self.threads.iter().map(equality).collect()
    }
}

impl Trial {
    /// Games.
    #[must_use]
    pub fn games(&self) -> usize {
        2 * self.pairs.len()
    }

    /// The share of the points that the many have won, 0 to 1; a half if nothing was played.
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
    /// What the games say, of which so many were `planned`; `seed` determines the draws of the
    /// interval.
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

/// The multiple at which the fitted line gives both sides half of the points.
fn equal_at(trials: &[Trial]) -> Option<f64> {
    let (height, slope) = line(trials)?;
    (slope < 0.0 && -slope < STEEPEST).then(|| (-height / slope).exp())
}

/// The line of the log-odds over the logarithm of the multiple: its height at a multiple of 1 and its
/// slope. Newton's method, for two parameters by hand.
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

    /// Games whose points fall exactly as the law has it, equal at `multiple`.
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

    #[test]
    fn every_multiple_gets_as_many_games() {
        let contest = Contest { threads: vec![2, 8], nodes: 100, games: 24 };
        let pairs = contest.pairs();
        assert_eq!(contest.len(), 24);
        let results: Vec<_> = pairs.iter().map(|_| Some(0.5)).collect();
        let found = contest.equalities(&pairs, &results, 1);
        assert_eq!(found.len(), 2);
        for equality in &found {
            assert_eq!(equality.trials.len(), SHARES.len());
            assert!(equality.trials.iter().all(|trial| trial.games() == 6));
        }
        // Interrupted, what was played counts.
        let half: Vec<_> = (0..pairs.len()).map(|i| (i < 4).then_some(0.5)).collect();
        let found = contest.equalities(&pairs, &half, 1);
        assert_eq!((found[0].games(), found[0].planned), (8, 24));
        assert!(found[1].trials.is_empty() && found[1].multiple.is_none());
    }
}
