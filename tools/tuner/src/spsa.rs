//! Simultaneous perturbation stochastic approximation (J. Spall, 1992).
//!
//! Every step moves all parameters at once, each by its perturbation up or down at random, plays
//! the one vector against the opposite one, and moves the parameters towards the winner. The gains
//! follow J. Spall, *Implementation of the simultaneous perturbation algorithm for stochastic
//! optimization* (1998): in step `k` of `N`,
//!
//! - the perturbation is `c_k = step · (N / k)^γ`,
//! - the gain is `a_k = rate · step² · ((A + N) / (A + k))^α`,
//!
//! so that `step` and `rate` are those of the last step, as `OpenBench` and fishtest have it.

use fastrand::Rng;

use crate::parameter::Parameter;

/// How the gain falls; the asymptotic optimum would be 1, and less is better in practice (Spall).
const ALPHA: f64 = 0.602;
/// How the perturbation falls (Spall).
const GAMMA: f64 = 0.101;
/// `A`, which keeps the first steps stable, as a share of all steps (Spall).
const STABILITY: f64 = 0.1;

/// Two vectors of parameters to be played against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The number of the step, from 0.
    pub number: u64,
    /// Determines the opening.
    pub opening: u64,
    /// The parameters moved along the perturbation, rounded.
    pub plus: Vec<i32>,
    /// The parameters moved against it, rounded.
    pub minus: Vec<i32>,
    /// How far each parameter moves for each game that `plus` won more than it lost.
    moves: Vec<f64>,
}

impl Trial {
    /// Step `number` of `steps` from `values`. The seed and the number determine the perturbation
    /// and the opening.
    pub fn new(
        parameters: &[Parameter],
        values: &[f64],
        number: u64,
        steps: u64,
        seed: u64,
    ) -> Self {
        // Mixed twice: neighbouring numbers must not draw alike.
        let mut rng = Rng::with_seed(seed ^ Rng::with_seed(number).u64(..));
        let gains = Gains::new(number, steps);
        let opening = rng.u64(..);
        let mut trial = Self { number, opening, plus: vec![], minus: vec![], moves: vec![] };
        for (parameter, value) in parameters.iter().zip(values) {
            let perturbation =
                parameter.step * gains.perturbation * if rng.bool() { 1.0 } else { -1.0 };
            // One number rounds both, so that their distance is right on average, whatever the
            // value.
            let threshold = rng.f64();
            let round = |value: f64| (parameter.clamp(value) + threshold).floor() as i32;
            trial.plus.push(round(value + perturbation));
            trial.minus.push(round(value - perturbation));
            let gain = parameter.rate * parameter.step * parameter.step * gains.gain;
            trial.moves.push(gain / perturbation);
        }
        trial
    }

    /// Moves `values` by the result: the games that `plus` won less those that it lost.
    pub fn update(&self, parameters: &[Parameter], values: &mut [f64], result: i32) {
        for ((value, parameter), by) in values.iter_mut().zip(parameters).zip(&self.moves) {
            *value = parameter.clamp(*value + by * f64::from(result));
        }
    }
}

/// The gains of a step relative to those of the last one.
struct Gains {
    perturbation: f64,
    gain: f64,
}

impl Gains {
    fn new(number: u64, steps: u64) -> Self {
        let (k, last) = ((number + 1) as f64, steps as f64);
        let stability = STABILITY * last;
        Self {
            perturbation: (last / k).powf(GAMMA),
            gain: ((stability + last) / (stability + k)).powf(ALPHA),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(default: i32, greatest: i32, step: f64) -> Parameter {
        Parameter { name: "P".into(), default, least: 0, greatest, step, rate: 0.002 }
    }

    #[test]
    fn the_last_step_has_the_gains_that_were_asked_for() {
        let parameters = [parameter(50, 100, 5.0)];
        let trial = Trial::new(&parameters, &[50.0], 999, 1000, 1);
        assert_eq!((trial.plus[0] - trial.minus[0]).abs(), 10);
        assert!((trial.moves[0].abs() - 0.002 * 5.0).abs() < 1e-12, "{trial:?}");
        let first = Trial::new(&parameters, &[50.0], 0, 1000, 1);
        // 1000^0.101 = 2.009; (1100 / 101)^0.602 = 4.211.
        assert!([20, 21].contains(&(first.plus[0] - first.minus[0]).abs()), "{first:?}");
        assert!((first.moves[0].abs() - 0.002 * 5.0 * 4.211 / 2.009).abs() < 1e-4, "{first:?}");
    }

    #[test]
    fn parameters_move_towards_the_winner_and_stay_in_bounds() {
        let parameters = [parameter(1, 4, 0.5), parameter(50, 100, 5.0)];
        for number in 0..100 {
            let mut values = [1.0, 50.0];
            let trial = Trial::new(&parameters, &values, number, 100, 7);
            for vector in [&trial.plus, &trial.minus] {
                assert!((0..=4).contains(&vector[0]) && (0..=100).contains(&vector[1]));
            }
            assert!(trial.plus[0] != trial.minus[0], "a perturbation that changes nothing");
            trial.update(&parameters, &mut values, 2);
            for i in 0..2 {
                assert_eq!(values[i] > [1.0, 50.0][i], trial.plus[i] > trial.minus[i]);
            }
            trial.update(&parameters, &mut values, -2);
            assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 50.0).abs() < 1e-12);
            trial.update(&parameters, &mut values, 1_000_000);
            assert!([0.0, 4.0].contains(&values[0]) && [0.0, 100.0].contains(&values[1]));
        }
    }

    #[test]
    fn perturbations_are_balanced_and_differ_between_parameters_and_steps() {
        let parameters = vec![parameter(50, 100, 5.0); 8];
        let up: Vec<Vec<bool>> = (0..2000)
            .map(|number| Trial::new(&parameters, &[50.0; 8], number, 2000, 3))
            .map(|trial| trial.plus.iter().zip(&trial.minus).map(|(p, m)| p > m).collect())
            .collect();
        // Five standard deviations.
        let is_even = |count: usize| (888..=1112).contains(&count);
        for i in 0..8 {
            assert!(is_even(up.iter().filter(|up| up[i]).count()));
            assert!(is_even(up.windows(2).filter(|pair| pair[0][i] == pair[1][i]).count()));
            for j in 0..i {
                assert!(is_even(up.iter().filter(|up| up[i] == up[j]).count()));
            }
        }
    }

    #[test]
    fn rounding_keeps_a_fraction_on_average() {
        let parameters = [parameter(2, 8, 0.5)];
        let mean = |value: f64| {
            let trials = (0..4000).map(|n| Trial::new(&parameters, &[value], n, 4000, 5));
            trials.map(|trial| f64::from(trial.plus[0] + trial.minus[0]) / 2.0).sum::<f64>() / 4e3
        };
        for value in [3.0, 3.25, 3.9] {
            assert!((mean(value) - value).abs() < 0.05, "{value}: {}", mean(value));
        }
    }

    /// The result of a pair when strength falls with the square of the distance from `optimum`.
    fn play(trial: &Trial, parameters: &[Parameter], optimum: &[f64], rng: &mut Rng) -> i32 {
        let elo = |vector: &[i32]| -> f64 {
            let places = vector.iter().zip(parameters).zip(optimum);
            places.map(|((v, p), best)| -400.0 * (p.share((*v).into()) - best).powi(2)).sum()
        };
        let chance = 1.0 / (1.0 + 10f64.powf((elo(&trial.minus) - elo(&trial.plus)) / 400.0));
        (0..2).map(|_| if rng.f64() < chance { 1 } else { -1 }).sum()
    }

    #[test]
    fn a_quadratic_strength_is_climbed() {
        const STEPS: u64 = 40_000;
        // Sharper than the default rate: the noise must vanish in a short run.
        let parameters: Vec<Parameter> = [(10, 100), (900, 1000), (160, 200), (50, 100)]
            .map(|(default, greatest)| Parameter {
                rate: 0.004,
                ..parameter(default, greatest, f64::from(greatest) / 20.0)
            })
            .into();
        let optimum = [0.6, 0.4, 0.3, 0.5];
        let mut values: Vec<f64> = parameters.iter().map(|p| p.default.into()).collect();
        let distance = |values: &[f64]| -> f64 {
            let places = values.iter().zip(&parameters).zip(&optimum);
            places.map(|((v, p), best)| (p.share(*v) - best).powi(2)).sum::<f64>().sqrt()
        };
        let before = distance(&values);
        let mut rng = Rng::with_seed(11);
        for number in 0..STEPS {
            let trial = Trial::new(&parameters, &values, number, STEPS, 11);
            let result = play(&trial, &parameters, &optimum, &mut rng);
            trial.update(&parameters, &mut values, result);
        }
        let after = distance(&values);
        assert!(after < before / 4.0, "{before} to {after}: {values:?}");
    }
}
