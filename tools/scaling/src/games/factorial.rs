//! Options that are varied by chance, and the worth of each.
//!
//! A two-level factorial design (R. A. Fisher, "The Design of Experiments", 1935): for every pair
//! of games and every option a coin decides which side has which of the option's two values. All
//! pairs thus tell of all options. An option's worth is its coefficient in the fit of the points by
//! least squares.

use fastrand::Rng;
use heddle_selfplay::elo;
use serde::Serialize;

use crate::stats::Estimate;

use super::contest::Played;

/// Standard errors on either side of an estimate that make its 95 % interval.
const SIGMAS: f64 = 1.96;
/// The most points for which there is an Elo, and 1 minus the fewest.
const MOST_POINTS: f64 = 0.999;
/// Distinguishes the coins from the openings, which the same numbers determine.
const COINS: u64 = 0x636f_696e;

/// An option with two values to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// The option.
    pub option: String,
    /// Its values.
    pub values: [String; 2],
}

/// What the second value of an option is worth, against the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The option.
    #[serde(flatten)]
    pub factor: Factor,
    /// Elo of a side with the second value against one with the first, with its 95 % interval;
    /// `None` if the games do not determine it.
    pub elo: Option<Estimate>,
}

impl Factor {
    /// Reads `OPTION=A,B`.
    ///
    /// # Errors
    /// The mistake, as text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('=').and_then(|(option, values)| {
            let (first, second) = values.split_once(',')?;
            let values = [first, second].map(|value| value.trim().to_owned());
            Some(Self { option: option.trim().to_owned(), values })
        });
        let usable = parsed.filter(|Self { option, values: [first, second] }| {
            !option.is_empty() && first != second && !second.contains(',')
        });
        usable.ok_or_else(|| "not OPTION=A,B with two values".to_owned())
    }
}

/// For each of `count` options, whether the first side has its second value and the second side its
/// first one, in the pair with this opening; otherwise it is the other way round.
fn coins(seed: u64, opening: u64, count: usize) -> Vec<bool> {
    let mut rng = Rng::with_seed(seed.wrapping_add(opening) ^ COINS);
    (0..count).map(|_| rng.bool()).collect()
}

/// The options of both sides in the pair with this opening.
pub fn options(factors: &[Factor], seed: u64, opening: u64) -> [Vec<(String, String)>; 2] {
    let coins = coins(seed, opening, factors.len());
    [true, false].map(|is_first| {
        let value = |(factor, &coin): (&Factor, &bool)| {
            (factor.option.clone(), factor.values[usize::from(coin == is_first)].clone())
        };
        factors.iter().zip(&coins).map(value).collect()
    })
}

/// What each option is worth.
pub fn effects(factors: &[Factor], played: &[Played], seed: u64) -> Vec<Effect> {
    let rows: Vec<(Vec<f64>, f64)> = played
        .iter()
        .map(|played| {
            let coins = coins(seed, played.pair.opening, factors.len());
            let signs = coins.into_iter().map(|coin| if coin { 1.0 } else { -1.0 });
            (signs.collect(), played.points() - 0.5)
        })
        .collect();
    let fitted = fit(&rows);
    let elo = |points: f64| elo((0.5 + points).clamp(1.0 - MOST_POINTS, MOST_POINTS));
    let effect = |(place, factor): (usize, &Factor)| {
        let found = fitted.as_ref().map(|fitted| fitted[place]);
        let elo = found.map(|(points, error)| Estimate {
            value: elo(points),
            low: elo(points - SIGMAS * error),
            high: elo(points + SIGMAS * error),
        });
        Effect { factor: factor.clone(), elo }
    };
    factors.iter().enumerate().map(effect).collect()
}

/// The coefficients of the rows' first parts that explain their second ones, by least squares, each
/// with its standard error; `None` if the rows do not determine them.
fn fit(rows: &[(Vec<f64>, f64)]) -> Option<Vec<(f64, f64)>> {
    let count = rows.first()?.0.len();
    let freedom = rows.len().checked_sub(count).filter(|&freedom| freedom > 0)?;
    let sum = |of: &dyn Fn(&[f64], f64) -> f64| rows.iter().map(|(x, y)| of(x, *y)).sum::<f64>();
    let products: Vec<Vec<f64>> =
        (0..count).map(|i| (0..count).map(|j| sum(&|x, _| x[i] * x[j])).collect()).collect();
    let inverse = inverse(products)?;
    let moments: Vec<f64> = (0..count).map(|i| sum(&|x, y| x[i] * y)).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let found: Vec<f64> = inverse.iter().map(|row| dot(row, &moments)).collect();
    let spread = sum(&|x, y| (y - dot(x, &found)).powi(2)) / freedom as f64;
    let error = |i: usize| (spread * inverse[i][i]).sqrt();
    Some(found.iter().enumerate().map(|(i, &found)| (found, error(i))).collect())
}

/// The inverse of a positive definite matrix, by elimination; `None` if it has none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|j| f64::from(u8::from(i == j))));
    }
    for i in 0..count {
        let mut pivot = std::mem::take(&mut matrix[i]);
        let scale = pivot[i];
        if scale < f64::EPSILON.sqrt() {
            return None;
        }
        pivot.iter_mut().for_each(|value| *value /= scale);
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[i];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
        matrix[i] = pivot;
    }
    Some(matrix.into_iter().map(|row| row[count..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::contest::{Odds, Pair};

    fn factors(count: usize) -> Vec<Factor> {
        let factor = |number| Factor::parse(&format!("O{number}=a,b")).unwrap();
        (0..count).map(factor).collect()
    }

    /// Pairs in which the second value of each option is worth so many points per game.
    fn played(worth: &[f64], pairs: u64, seed: u64) -> Vec<Played> {
        let mut rng = Rng::with_seed(seed);
        let odds = Odds { threads: 1, nodes: 1, multiple: 1.0 };
        let pair = |opening| {
            let coins = coins(seed, opening, worth.len());
            let sides = coins.iter().zip(worth).map(|(&coin, w)| if coin { *w } else { -w });
            let expected = 0.5 + sides.sum::<f64>();
            let games = [(); 2].map(|()| match rng.f64() {
                x if x < expected - 0.25 => 1.0,
                x if x < expected + 0.25 => 0.5,
                _ => 0.0,
            });
            Played { pair: Pair { odds, opening }, games }
        };
        (0..pairs).map(pair).collect()
    }

    #[test]
    fn each_option_has_its_worth() {
        let worth = [0.05, 0.0, -0.08];
        let found = effects(&factors(3), &played(&worth, 20_000, 7), 7);
        for (effect, worth) in found.iter().zip(worth) {
            let Estimate { value, low, high } = effect.elo.unwrap();
            let expected = elo(0.5 + worth);
            assert!((value - expected).abs() < 5.0, "{effect:?} {expected}");
            // The points of a pair have a standard deviation of 1/4: 20,000 pairs tell 2.4 Elo.
            assert!((high - low - 4.8).abs() < 0.5, "{effect:?}");
        }
    }

    #[test]
    fn nineteen_intervals_of_twenty_hold_the_truth() {
        let holds = |seed| {
            let found = effects(&factors(4), &played(&[0.03, 0.0, 0.0, 0.0], 150, seed), seed);
            found[1..].iter().filter(|e| e.elo.is_some_and(|e| e.low < 0.0 && 0.0 < e.high)).count()
        };
        let held: usize = (0..200).map(holds).sum();
        assert!((550..=590).contains(&held), "{held} of 600");
    }

    #[test]
    fn options_that_cannot_be_told_apart_have_no_worth() {
        let known = |pairs| {
            let found = effects(&factors(3), &played(&[0.0; 3], pairs, 1), 1);
            found.iter().filter(|effect| effect.elo.is_some()).count()
        };
        assert_eq!([known(0), known(1), known(3), known(30)], [0, 0, 0, 3]);
        let alike = vec![(vec![1.0, 1.0], 0.5), (vec![-1.0, -1.0], 0.0), (vec![1.0, 1.0], 0.0)];
        assert_eq!(fit(&alike), None);
    }

    #[test]
    fn one_side_has_what_the_other_has_not() {
        let factors = factors(5);
        let all: Vec<_> = (0..40).map(|opening| options(&factors, 1, opening)).collect();
        for [first, second] in &all {
            for (one, other) in first.iter().zip(second) {
                assert!(one.0 == other.0 && one.1 != other.1, "{one:?} {other:?}");
            }
        }
        for place in 0..5 {
            let count = all.iter().filter(|[first, _]| first[place].1 == "b").count();
            assert!((10..=30).contains(&count), "{count}");
        }
        assert_eq!(options(&factors, 1, 7), all[7]);
    }

    #[test]
    fn an_option_has_two_values() {
        let factor = Factor::parse("Skill Level= 3,20").unwrap();
        assert_eq!((&*factor.option, factor.values), ("Skill Level", ["3".into(), "20".into()]));
        for wrong in ["", "A", "A=1", "=1,2", "A=1,1", "A=1,2,3"] {
            assert!(Factor::parse(wrong).is_err(), "{wrong}");
        }
    }
}
