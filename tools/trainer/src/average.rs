//! The mean of the weights over the last steps of a training.
//!
//! The steps of a high rate wander around a minimum, and the mean of their weights lies nearer to
//! it than any of them. Source: B. T. Polyak and A. B. Juditsky, "Acceleration of Stochastic
//! Approximation by Averaging", 1992.

use rayon::prelude::*;
use wide::f32x16;

use crate::params::Params;

/// The running mean of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Average {
    /// The mean so far; zero before the first averaged step.
    pub mean: Params,
    /// The last step before the averaged ones, counting from 1.
    start: u64,
}

impl Average {
    /// The mean over the steps after `start`, which is `mean` so far.
    #[must_use]
    pub fn new(mean: Params, start: u64) -> Self {
        Self { mean, start }
    }

    /// Counts the weights after `steps` steps.
    pub fn note(&mut self, params: &Params, steps: u64) {
        if steps <= self.start {
            return;
        }
        let share = f32x16::splat(1.0 / (steps - self.start) as f32);
        let slices = self.mean.slices.par_iter_mut().zip(&params.slices);
        slices.for_each(|(mean, now)| {
            for (mean, now) in mean.0.iter_mut().zip(&now.0) {
                for (mean, now) in mean.0.iter_mut().zip(now.0) {
                    *mean += (now - *mean) * share;
                }
            }
        });
        let behind = self.mean.behind_mut().zip(params.behind());
        behind.for_each(|(mean, now)| *mean += (*now - *mean) * share);
    }

    /// The mean if any step was averaged, else the weights after the last step.
    #[must_use]
    pub fn result<'a>(&'a self, params: &'a Params, steps: u64) -> &'a Params {
        if steps > self.start { &self.mean } else { params }
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn steps_after_the_start_count_alike_and_earlier_ones_do_not() {
        let mut rng = Pcg64::new(5, 1);
        let steps: Vec<_> = (0..4).map(|_| Params::random(&mut rng)).collect();
        let mut average = Average::new(Params::zero(), 1);
        average.note(&steps[0], 1);
        assert_eq!(average.result(&steps[0], 1), &steps[0], "nothing is averaged yet");
        for (index, params) in steps.iter().enumerate().skip(1) {
            average.note(params, index as u64 + 1);
        }
        let mean = average.result(&steps[3], 4);
        let sums = steps[1].iter().zip(steps[2].iter()).zip(steps[3].iter());
        for (mean, ((one, two), three)) in mean.iter().zip(sums) {
            assert!((mean - (one + two + three) / 3.0).abs() < 1e-6);
        }
    }
}
