//! Fits the WDL model to games by maximum likelihood.
//!
//! The three results are an ordered choice, whose likelihood is maximised by Fisher's scoring:
//! Newton's method with the expected curvature, which is never indefinite, and steps halved until
//! they improve (R. A. Fisher, 1925; P. McCullagh and J. Nelder, "Generalized Linear Models",
//! 1989).
//!
//! Scores and results are White's: the model is symmetric, so either side would do.

use std::collections::BTreeMap;

use crate::format::GameResult;
use heddle::score::Score;
use heddle::wdl::{Polynomial, WdlModel, logistic, variable};

/// Coefficients of both polynomials.
const SIZE: usize = 2 * TERMS;
const TERMS: usize = std::mem::size_of::<Polynomial>() / std::mem::size_of::<f64>();
/// Positions with larger scores are excluded: their games are decided.
const MAX_SCORE: i32 = 2000;
/// Initial centre and spread, in centipawns, for any material.
const FIRST_GUESS: f64 = 100.0;
/// The most steps; the maximum takes about ten.
const MAX_STEPS: usize = 100;
/// The most halvings of a step.
const MAX_HALVINGS: usize = 30;
/// A gain of log-likelihood per observation too small for another step.
const TOLERANCE: f64 = 1e-12;
/// Share of the curvature added to its diagonal, which fixes coefficients that no observation
/// affects.
const RIDGE: f64 = 1e-9;
/// The smallest probability, because the logarithm of zero is infinite.
const LEAST_CHANCE: f64 = 1e-12;

type Vector = [f64; SIZE];
type Matrix = [Vector; SIZE];

/// A position of a finished game.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Score from White's point of view.
    pub score: Score,
    /// Material, see [`heddle::wdl::material`].
    pub material: u32,
    /// The game's result.
    pub result: GameResult,
}

/// A fitted model.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Fit {
    /// The model.
    pub model: WdlModel,
    /// Number of observations in the fit.
    pub observations: u64,
    /// Mean log-likelihood per observation: 0 is certainty, ln ⅓ is guessing.
    pub likelihood: f64,
}

/// Number of games by score in centipawns and material, for each [`GameResult`]: all that a fit
/// needs.
type Counts = BTreeMap<(i32, u32), [u64; 3]>;

/// The model that makes `observations` most likely. Observations with a score beyond ±2000
/// centipawns do not count; `None` if there are no others.
#[must_use]
pub fn fit(observations: impl IntoIterator<Item = Observation>) -> Option<Fit> {
    let mut counts = Counts::new();
    for Observation { score, material, result } in observations {
        if score.abs().get() <= MAX_SCORE {
            counts.entry((score.get(), material)).or_default()[result as usize] += 1;
        }
    }
    let observations: u64 = counts.values().flatten().sum();
    if observations == 0 {
        return None;
    }
    let mut best = [0.0; SIZE];
    (best[0], best[TERMS]) = (FIRST_GUESS, FIRST_GUESS);
    let mut likelihood = log_likelihood(&counts, &best);
    for _ in 0..MAX_STEPS {
        let Some(step) = scoring_step(&counts, &best) else { break };
        let Some((next, better)) = improve(&counts, &best, &step, likelihood) else { break };
        let gain = better - likelihood;
        (best, likelihood) = (next, better);
        if gain <= TOLERANCE * observations as f64 {
            break;
        }
    }
    let likelihood = likelihood / observations as f64;
    Some(Fit { model: model(&best), observations, likelihood })
}

/// The coefficients as a model.
fn model(parameters: &Vector) -> WdlModel {
    let mut model = WdlModel { a: [0.0; TERMS], b: [0.0; TERMS] };
    model.a.copy_from_slice(&parameters[..TERMS]);
    model.b.copy_from_slice(&parameters[TERMS..]);
    model
}

/// Halves `step` until it improves; returns the new parameters and their log-likelihood.
fn improve(counts: &Counts, from: &Vector, step: &Vector, than: f64) -> Option<(Vector, f64)> {
    let mut scale = 1.0;
    for _ in 0..MAX_HALVINGS {
        let next = std::array::from_fn(|i| from[i] + scale * step[i]);
        let likelihood = log_likelihood(counts, &next);
        if likelihood > than {
            return Some((next, likelihood));
        }
        scale /= 2.0;
    }
    None
}

/// The chances of each [`GameResult`].
fn chances(centipawns: f64, a: f64, b: f64) -> [f64; 3] {
    let (white, black) = (logistic((centipawns - a) / b), logistic((-centipawns - a) / b));
    [black, 1.0 - white - black, white].map(|chance| chance.max(LEAST_CHANCE))
}

fn log_likelihood(counts: &Counts, parameters: &Vector) -> f64 {
    let model = model(parameters);
    let term = |(&(score, material), results): (&(i32, u32), &[u64; 3])| {
        let (a, b) = model.at(material);
        let chances = chances(score.into(), a, b);
        chances.iter().zip(results).map(|(chance, &n)| n as f64 * chance.ln()).sum::<f64>()
    };
    counts.iter().map(term).sum()
}

/// The step of Fisher's scoring: the gradient divided by the expected curvature.
fn scoring_step(counts: &Counts, parameters: &Vector) -> Option<Vector> {
    let model = model(parameters);
    let (mut gradient, mut curvature) = ([0.0; SIZE], [[0.0; SIZE]; SIZE]);
    for (&(score, material), results) in counts {
        let (a, b) = model.at(material);
        let x = f64::from(score);
        let chances = chances(x, a, b);
        let slopes = slopes(x, a, b);
        let n = results.iter().sum::<u64>() as f64;
        // With respect to centre and spread; each coefficient then has a power of the material as a
        // factor.
        let mut by = [0.0; 2];
        let mut information = [[0.0; 2]; 2];
        for k in 0..3 {
            for i in 0..2 {
                by[i] += results[k] as f64 * slopes[k][i] / chances[k];
                for j in 0..2 {
                    information[i][j] += n * slopes[k][i] * slopes[k][j] / chances[k];
                }
            }
        }
        let powers = powers(variable(material));
        for i in 0..SIZE {
            gradient[i] += by[i / TERMS] * powers[i % TERMS];
            for j in 0..SIZE {
                let power = powers[i % TERMS] * powers[j % TERMS];
                curvature[i][j] += information[i / TERMS][j / TERMS] * power;
            }
        }
    }
    let trace: f64 = (0..SIZE).map(|i| curvature[i][i]).sum();
    for (i, row) in curvature.iter_mut().enumerate() {
        row[i] += RIDGE * trace;
    }
    solve(curvature, gradient)
}

/// The derivatives of the chances of each [`GameResult`] by centre and spread.
fn slopes(centipawns: f64, a: f64, b: f64) -> [[f64; 2]; 3] {
    let side = |x: f64| {
        let z = (x - a) / b;
        let density = logistic(z) * (1.0 - logistic(z)) / b;
        [-density, -density * z]
    };
    let (white, black) = (side(centipawns), side(-centipawns));
    [black, [-white[0] - black[0], -white[1] - black[1]], white]
}

fn powers(x: f64) -> Polynomial {
    std::array::from_fn(|power| x.powi(power as i32))
}

/// Solves a system of linear equations by elimination with pivots; `None` if it is singular.
fn solve(mut matrix: Matrix, mut vector: Vector) -> Option<Vector> {
    for column in 0..SIZE {
        let size = |&row: &usize| matrix[row][column].abs();
        let pivot = (column..SIZE).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        matrix.swap(column, pivot);
        vector.swap(column, pivot);
        if matrix[column][column].abs() < f64::MIN_POSITIVE || !matrix[column][column].is_finite() {
            return None;
        }
        let (top, value) = (matrix[column], vector[column]);
        for row in column + 1..SIZE {
            let factor = matrix[row][column] / top[column];
            for (cell, above) in matrix[row].iter_mut().zip(&top) {
                *cell -= factor * above;
            }
            vector[row] -= factor * value;
        }
    }
    for row in (0..SIZE).rev() {
        let known: f64 = (row + 1..SIZE).map(|i| matrix[row][i] * vector[i]).sum();
        vector[row] = (vector[row] - known) / matrix[row][row];
    }
    Some(vector)
}

/// Formats the coefficients as in the source.
impl std::fmt::Display for Fit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |polynomial: Polynomial| polynomial.map(|c| format!("{c:.2}")).join(", ");
        let WdlModel { a, b } = self.model;
        writeln!(f, "positions   {}", self.observations)?;
        writeln!(f, "likelihood  {:.4} per position", self.likelihood)?;
        writeln!(f, "a           [{}]", list(a))?;
        writeln!(f, "b           [{}]", list(b))?;
        for material in [10, 24, 40, 58, 78] {
            let (a, b) = self.model.at(material);
            writeln!(f, "material {material}: centre {a:.0}, spread {b:.0}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions whose results follow the chances of `model` exactly, with `weight` for each score.
    fn games(model: WdlModel, weight: f64) -> Vec<Observation> {
        let mut games = Vec::new();
        for material in (10..=78).step_by(4) {
            for centipawns in (-600..=600).step_by(40) {
                let (a, b) = model.at(material);
                let chances = chances(centipawns.into(), a, b);
                for (result, chance) in GameResult::ALL.into_iter().zip(chances) {
                    let score = Score::new(centipawns);
                    let observation = Observation { score, material, result };
                    let count = (chance * weight).round() as usize;
                    games.extend(std::iter::repeat_n(observation, count));
                }
            }
        }
        games
    }

    #[test]
    fn a_model_is_found_again_from_its_own_games() {
        let model = WdlModel { a: [80.0, 60.0, 30.0], b: [50.0, 40.0, -10.0] };
        let found = fit(games(model, 1000.0)).unwrap();
        for material in [10, 24, 40, 58, 78] {
            let ((a, b), (fitted_a, fitted_b)) = (model.at(material), found.model.at(material));
            assert!((a - fitted_a).abs() < 1.0, "{material}: {a} {fitted_a}");
            assert!((b - fitted_b).abs() < 1.0, "{material}: {b} {fitted_b}");
        }
        assert!(found.likelihood > (1.0_f64 / 3.0).ln());
    }

    #[test]
    fn the_fit_is_likelier_than_any_model_near_it() {
        let model = WdlModel { a: [120.0, 10.0, 0.0], b: [70.0, 5.0, 5.0] };
        let games = games(model, 20.0);
        let found = fit(games.clone()).unwrap();
        let mut counts = Counts::new();
        for game in &games {
            let key = (game.score.get(), game.material);
            counts.entry(key).or_default()[game.result as usize] += 1;
        }
        let mut best = [0.0; SIZE];
        best[..TERMS].copy_from_slice(&found.model.a);
        best[TERMS..].copy_from_slice(&found.model.b);
        let maximum = log_likelihood(&counts, &best);
        for index in 0..SIZE {
            for change in [-2.0, 2.0] {
                let mut other = best;
                other[index] += change;
                assert!(log_likelihood(&counts, &other) < maximum, "{index} {change}");
            }
        }
    }

    #[test]
    fn one_sided_or_missing_games_are_no_fault() {
        assert_eq!(fit([]), None);
        let won = Observation { score: Score::new(50), material: 40, result: GameResult::WhiteWin };
        let Fit { model, observations, likelihood } = fit([won; 10]).unwrap();
        assert_eq!(observations, 10);
        assert!(likelihood.is_finite() && model.a.iter().chain(&model.b).all(|c| c.is_finite()));
        let mate = Observation { score: Score::mate_in(3), ..won };
        assert_eq!(fit([mate]), None, "a mate says nothing about centipawns");
    }
}
