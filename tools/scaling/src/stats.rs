//! Means and their intervals.

use serde::Serialize;

/// Share of the resamples outside the interval on each side: 95 % are inside.
const TAIL: f64 = 0.025;

/// A value and its 95 % interval.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// A value known exactly.
    pub const fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// `value` with the interval of its bootstrap resamples, by percentiles (B. Efron and R. J.
    /// Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13).
    pub fn new(value: f64, mut resamples: Vec<f64>) -> Self {
        if resamples.is_empty() {
            return Self::exact(value);
        }
        resamples.sort_by(f64::total_cmp);
        Self { value, low: quantile(&resamples, TAIL), high: quantile(&resamples, 1.0 - TAIL) }
    }
}

/// The value below which a share `part` of `sorted` lies, interpolated between neighbours.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    if below == above { below } else { below + (above - below) * place.fract() }
}

/// The geometric mean, for which twice and half cancel out; `None` without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    mean(values.into_iter().map(f64::ln)).map(f64::exp)
}

/// The arithmetic mean; `None` without values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_books() {
        assert_eq!(mean([1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!((mean([]), geometric_mean([])), (None, None));
        let twice_and_half = geometric_mean([2.0, 0.5]).unwrap();
        assert!((twice_and_half - 1.0).abs() < 1e-12);
        assert!((geometric_mean([1.0, 4.0, 16.0]).unwrap() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_leaves_out_a_fortieth_on_each_side() {
        let estimate = Estimate::new(50.0, (0..=1000).rev().map(f64::from).collect());
        assert_eq!(estimate, Estimate { value: 50.0, low: 25.0, high: 975.0 });
        let between = Estimate::new(0.0, vec![0.0, 1.0]);
        assert!((between.low - 0.025).abs() < 1e-12 && (between.high - 0.975).abs() < 1e-12);
        assert_eq!(Estimate::new(3.0, vec![]), Estimate::exact(3.0));
    }
}
