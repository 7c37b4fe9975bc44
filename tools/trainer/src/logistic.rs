//! Winning chances of scores.
//!
//! A score of s centipawns stands for a chance of σ(s / L), where L is fitted to the results of
//! the games at hand. A flatter curve would spend the network's effort on positions that are
//! decided anyway.

use std::path::PathBuf;

use heddle_selfplay::{FileError, is_quiet, open};

/// Centipawns for a network's output of 1.0.
pub const SCALE: f32 = 400.0;
/// Positions from which the curve is fitted.
const FITTED: u64 = 2_000_000;
/// The flattest and the steepest curve that is tried, in centipawns.
const RANGE: [f64; 2] = [50.0, 1600.0];
/// Scores beyond this are as good as won, in centipawns, and say nothing about the curve.
const MAX_SCORE: i16 = 1500;
/// Centipawns between the scores that are counted together.
const STEP: i16 = 5;
/// The precision of a fitted logarithm.
const TOLERANCE: f64 = 1e-4;

/// The winning chance, 0 to 1, for a score in centipawns; `logistic` centipawns multiply the odds
/// by e.
#[must_use]
pub fn chance(centipawns: i16, logistic: f32) -> f32 {
    sigmoid(f32::from(centipawns) / logistic)
}

/// The logistic function.
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The positive number that minimises `loss` within `range`, by golden-section search over its
/// logarithm. Source: J. Kiefer, "Sequential Minimax Search for a Maximum", 1953.
pub fn minimise(range: [f64; 2], loss: impl Fn(f64) -> f64) -> f64 {
    const RATIO: f64 = 1.0 / std::f64::consts::GOLDEN_RATIO;
    let loss = |power: f64| loss(power.exp());
    let [mut low, mut high] = range.map(f64::ln);
    let inner = |low: f64, high: f64| (high - RATIO * (high - low), low + RATIO * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut left_loss, mut right_loss) = (loss(left), loss(right));
    while high - low > TOLERANCE {
        if left_loss < right_loss {
            (high, right, right_loss) = (right, left, left_loss);
            left = inner(low, high).0;
            left_loss = loss(left);
        } else {
            (low, left, left_loss) = (left, right, right_loss);
            right = inner(low, high).1;
            right_loss = loss(right);
        }
    }
    f64::midpoint(low, high).exp()
}

/// The centipawns that multiply the odds by e, fitted to the results of the first games of `files`.
///
/// # Errors
/// [`FileError`] if a file cannot be read or holds an illegal move.
pub fn fit(files: &[PathBuf]) -> Result<f32, FileError> {
    let mut results = Results::default();
    for path in files {
        let mut reader = open(path)?;
        while results.count < FITTED
            && let Some(record) = reader.next()
        {
            let record = record?;
            let result = f64::from(record.result() as u8) / 2.0;
            record
                .walk(|found| {
                    if is_quiet(found) {
                        results.add(found.score, result);
                    }
                })
                .map_err(|error| reader.blame(error))?;
        }
    }
    Ok(results.fit() as f32)
}

/// Results by score.
#[derive(Default)]
struct Results {
    /// For each step of the score, from the lowest: positions and their results' sum.
    steps: Vec<(f64, f64)>,
    count: u64,
}

impl Results {
    /// Counts a position with White's score and result, 0 to 1.
    fn add(&mut self, score: i16, result: f64) {
        self.steps.resize(2 * usize::from((MAX_SCORE / STEP).unsigned_abs()) + 1, (0.0, 0.0));
        if score.abs() <= MAX_SCORE {
            let (positions, sum) = &mut self.steps
                [usize::from((score + MAX_SCORE).unsigned_abs() / STEP.unsigned_abs())];
            *positions += 1.0;
            *sum += result;
            self.count += 1;
        }
    }

    /// The curve with the least squared error.
    fn fit(&self) -> f64 {
        minimise(RANGE, |logistic| {
            let error = |(index, &(positions, sum)): (usize, &(f64, f64))| {
                let score = f64::from(STEP) * (index as f64 + 0.5) - f64::from(MAX_SCORE);
                let chance = 1.0 / (1.0 + (-score / logistic).exp());
                // The spread of the results themselves does not depend on the curve.
                positions * chance * chance - 2.0 * chance * sum
            };
            self.steps.iter().enumerate().map(error).sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn the_curve_of_the_results_is_found() {
        for wanted in [120.0, 200.0, 400.0] {
            let mut rng = Pcg64::new(1, 1);
            let mut results = Results::default();
            for _ in 0..200_000 {
                let score: i16 = rng.random_range(-800..800);
                let is_won = rng.random_bool(f64::from(chance(score, wanted)));
                results.add(score, if is_won { 1.0 } else { 0.0 });
            }
            let found = results.fit() as f32;
            assert!((found / wanted - 1.0).abs() < 0.03, "{found}, not {wanted}");
        }
    }

    #[test]
    fn the_least_value_is_found() {
        let found = minimise([0.1, 100.0], |x| (x - 7.0).powi(2));
        assert!((found - 7.0).abs() < 0.01, "{found}");
    }

    #[test]
    fn chances_mirror() {
        assert!((chance(0, 200.0) - 0.5).abs() < 1e-6);
        assert!((chance(400, 200.0) + chance(-400, 200.0) - 1.0).abs() < 1e-6);
        assert!((chance(200, 200.0) - sigmoid(1.0)).abs() < 1e-6);
    }
}
