//! The Universal Scalability Law, `C(N) = N / (1 + σ (N - 1) + κ N (N - 1))`, and its fit.
//!
//! C is the speed of N workers relative to one; σ weighs what they must do one after the other or
//! wait for, κ what every pair of them must agree on. With κ = 0 it is Amdahl's law; with both 0 it
//! is ideal (N. J. Gunther, "Guerrilla Capacity Planning", 2007, chapter 4).

use serde::Serialize;

/// Parameters of the law.
const PARAMETERS: usize = 2;
/// The most steps in the search for the best fit; it takes fewer than ten.
const MAX_STEPS: usize = 100;
/// A change of the parameters too small for another step.
const TOLERANCE: f64 = 1e-14;
/// A determinant this small means that both parameters have the same effect.
const SINGULAR: f64 = 1e-300;

/// A fitted law.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Usl {
    /// Contention, never negative.
    pub sigma: f64,
    /// Coherency, never negative.
    pub kappa: f64,
}

/// Which parameters a fit may choose; the others are 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Free {
    Both,
    Sigma,
    Kappa,
}

impl Usl {
    /// Every worker as fast as one alone.
    pub const IDEAL: Self = Self { sigma: 0.0, kappa: 0.0 };

    /// The speed of `threads` workers relative to one.
    pub fn at(self, threads: f64) -> f64 {
        threads / self.cost(threads)
    }

    /// The time for a worker's share, relative to one worker alone.
    fn cost(self, threads: f64) -> f64 {
        1.0 + (threads - 1.0) * (self.sigma + self.kappa * threads)
    }

    /// The number of workers beyond which more are slower; `None` if there is none.
    pub fn peak(self) -> Option<f64> {
        (self.kappa > 0.0).then(|| ((1.0 - self.sigma).max(0.0) / self.kappa).sqrt().max(1.0))
    }

    /// The sum of the squared differences between the logarithms of `points` and of the law.
    fn error(self, points: &[(f64, f64)]) -> f64 {
        points.iter().map(|&(n, ratio)| (ratio.ln() - self.at(n).ln()).powi(2)).sum()
    }
}

/// The number of distinct numbers of threads beyond 1: with none nothing can be fitted, with one κ
/// cannot be told from σ.
pub fn distinct(points: &[(f64, f64)]) -> usize {
    let mut threads: Vec<f64> = points.iter().map(|&(n, _)| n).filter(|&n| n > 1.0).collect();
    threads.sort_by(f64::total_cmp);
    threads.dedup();
    threads.len()
}

/// The law closest to `points`, which are numbers of threads with their speed relative to one
/// thread, by least squares of the logarithms, so that a given relative error weighs the same
/// everywhere. `None` unless there are two numbers of threads beyond 1, since a single one cannot
/// tell σ from κ.
pub fn fit(points: &[(f64, f64)]) -> Option<Usl> {
    if distinct(points) < PARAMETERS {
        return None;
    }
    // The best law without negative parameters is the unconstrained best, or has a parameter at 0.
    let choices = [Free::Both, Free::Sigma, Free::Kappa];
    let found = choices.into_iter().filter_map(|free| descend(points, free));
    let feasible = found.filter(|law| law.sigma >= 0.0 && law.kappa >= 0.0);
    let best = |a: &Usl, b: &Usl| a.error(points).total_cmp(&b.error(points));
    Some(feasible.chain([Usl::IDEAL]).min_by(best).expect("IDEAL is always a candidate"))
}

/// The best law with these parameters free, including negative values, by the Gauss-Newton method:
/// the logarithm of the law is nearly linear in its parameters.
fn descend(points: &[(f64, f64)], free: Free) -> Option<Usl> {
    let mut law = Usl::IDEAL;
    for _ in 0..MAX_STEPS {
        // Normal equations: how the differences change with each parameter.
        let (mut ss, mut sk, mut kk, mut gs, mut gk) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(n, ratio) in points {
            let cost = law.cost(n);
            let difference = (n / ratio).ln() - cost.ln();
            let (by_sigma, by_kappa) = ((n - 1.0) / cost, n * (n - 1.0) / cost);
            ss += by_sigma * by_sigma;
            sk += by_sigma * by_kappa;
            kk += by_kappa * by_kappa;
            gs += by_sigma * difference;
            gk += by_kappa * difference;
        }
        let (sigma, kappa) = match free {
            Free::Sigma => (gs / ss, 0.0),
            Free::Kappa => (0.0, gk / kk),
            Free::Both => {
                let determinant = ss * kk - sk * sk;
                if determinant.abs() < SINGULAR {
                    return None;
                }
                ((gs * kk - gk * sk) / determinant, (gk * ss - gs * sk) / determinant)
            }
        };
        law = shorten(law, sigma, kappa, points)?;
        if sigma.abs() + kappa.abs() < TOLERANCE {
            break;
        }
    }
    Some(law)
}

/// Halves a step until no point has a negative time; `None` if that does not help.
fn shorten(law: Usl, sigma: f64, kappa: f64, points: &[(f64, f64)]) -> Option<Usl> {
    let scales = std::iter::successors(Some(1.0), |scale| Some(scale / 2.0)).take(MAX_STEPS);
    scales
        .map(|scale| Usl { sigma: law.sigma + scale * sigma, kappa: law.kappa + scale * kappa })
        .find(|next| points.iter().all(|&(n, _)| next.cost(n) > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(law: Usl, threads: &[u32]) -> Vec<(f64, f64)> {
        threads.iter().map(|&n| (n.into(), law.at(n.into()))).collect()
    }

    fn assert_close(found: Usl, law: Usl) {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(
            close(found.sigma, law.sigma) && close(found.kappa, law.kappa),
            "{found:?} {law:?}"
        );
    }

    #[test]
    fn a_curve_without_noise_gives_its_own_law() {
        for (sigma, kappa) in [(0.0, 0.0), (0.02, 0.0), (0.0, 0.001), (0.05, 0.0003), (0.6, 0.1)] {
            let law = Usl { sigma, kappa };
            assert_close(fit(&points(law, &[1, 2, 4, 8, 16])).unwrap(), law);
            assert_close(fit(&points(law, &[1, 3, 6])).unwrap(), law);
        }
    }

    #[test]
    fn one_number_beyond_1_gives_no_law() {
        for (few, numbers) in
            [(vec![], 0), (vec![(1.0, 1.0)], 0), (vec![(1.0, 1.0), (2.0, 1.9), (2.0, 1.8)], 1)]
        {
            assert_eq!((distinct(&few), fit(&few)), (numbers, None));
        }
        let two = [(2.0, 1.9), (2.0, 1.8), (4.0, 3.0)];
        assert!(distinct(&two) == 2 && fit(&two).is_some());
    }

    #[test]
    fn parameters_are_never_negative() {
        let superlinear = [(1.0, 1.0), (2.0, 2.1), (4.0, 4.5)];
        assert_eq!(fit(&superlinear), Some(Usl::IDEAL));
        assert_eq!(fit(&[(2.0, 2.5), (3.0, 4.0)]), Some(Usl::IDEAL));
        // The unconstrained best has a negative κ; the constrained best is Amdahl's law.
        let found = fit(&[(1.0, 1.0), (2.0, 1.6), (4.0, 2.9), (8.0, 5.8)]).unwrap();
        assert!(found.sigma > 0.0 && found.kappa == 0.0, "{found:?}");
    }

    #[test]
    fn noise_is_averaged_out() {
        let law = Usl { sigma: 0.03, kappa: 0.0005 };
        let mut noisy = points(law, &[1, 2, 4, 8, 16, 32, 2, 4, 8, 16, 32]);
        for (i, (_, ratio)) in noisy.iter_mut().enumerate() {
            *ratio *= if i % 2 == 0 { 1.01 } else { 0.99 };
        }
        let found = fit(&noisy).unwrap();
        assert!((found.sigma - law.sigma).abs() < 0.01, "{found:?}");
        assert!((found.kappa - law.kappa).abs() < 0.0002, "{found:?}");
    }

    #[test]
    fn the_peak_is_where_the_curve_turns() {
        let law = Usl { sigma: 0.05, kappa: 0.0005 };
        let peak = law.peak().unwrap();
        assert!((peak - (0.95f64 / 0.0005).sqrt()).abs() < 1e-9);
        assert!(law.at(peak) > law.at(peak - 1.0) && law.at(peak) > law.at(peak + 1.0));
        assert_eq!(Usl { sigma: 0.5, kappa: 0.0 }.peak(), None);
        assert_eq!(Usl { sigma: 2.0, kappa: 0.1 }.peak(), Some(1.0));
        assert_eq!(Usl::IDEAL.at(64.0), 64.0);
    }
}
