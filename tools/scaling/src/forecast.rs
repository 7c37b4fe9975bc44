//! What the scalability law, fitted to the measured speeds, predicts for more threads.

use serde::Serialize;

use crate::configuration::Policy;
use crate::measure::Plan;
use crate::stats::Estimate;
use crate::summary::{Curve, Curves};
use crate::usl::{self, Usl};

/// Numbers of threads to predict.
const HORIZON: [usize; 4] = [32, 64, 128, 256];

/// The law of one policy, with its predictions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// How the workers work together.
    #[serde(flatten)]
    pub policy: Policy,
    /// Numbers of threads used in the fit, beyond 1.
    pub fitted: Vec<usize>,
    /// Numbers of threads that were measured but not fitted, because the machine cannot run that
    /// many at the same time.
    pub left_out: Vec<usize>,
    /// Contention.
    pub sigma: Estimate,
    /// Coherency.
    pub kappa: Estimate,
    /// The peak of the curve, if it has one.
    pub peak: Option<Peak>,
    /// The predictions.
    pub predictions: Vec<Prediction>,
}

/// The number of threads with the greatest speed.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// The number of threads.
    pub threads: f64,
    /// Nodes per second relative to one thread.
    pub nps_ratio: f64,
    /// Share of the resamples whose law has a peak.
    pub support: f64,
}

/// A speed that the law predicts.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Threads.
    pub threads: usize,
    /// Nodes per second relative to one thread.
    pub nps_ratio: Estimate,
    /// Whether this is beyond all numbers of threads in the fit.
    pub extrapolated: bool,
}

impl Forecast {
    /// The law at the centre of the estimates.
    pub fn law(&self) -> Usl {
        Usl { sigma: self.sigma.value, kappa: self.kappa.value }
    }

    /// The greatest number of threads in the fit.
    pub fn reach(&self) -> usize {
        self.fitted.last().copied().unwrap_or(1)
    }
}

/// One forecast for each policy that was measured at two numbers of threads beyond 1 at least: a
/// single one determines no law of two parameters. More threads than `available` processors take
/// turns, which says nothing about scaling, so they are left out of the fit.
pub fn forecasts(plan: &Plan, curves: &Curves, available: usize) -> Vec<Forecast> {
    let mut policies: Vec<Policy> = Vec::new();
    for configuration in &plan.configurations {
        if !policies.contains(&configuration.policy()) {
            policies.push(configuration.policy());
        }
    }
    policies.into_iter().filter_map(|policy| forecast(plan, curves, available, policy)).collect()
}

fn forecast(plan: &Plan, curves: &Curves, available: usize, policy: Policy) -> Option<Forecast> {
    let configurations = || {
        let numbered = plan.configurations.iter().enumerate();
        numbered.filter(|(_, configuration)| {
            configuration.policy() == policy && configuration.threads > 1
        })
    };
    let is_measured = |index: usize| curves.measured[index].is_some();
    let threads = |fits: bool| -> Vec<usize> {
        configurations()
            .filter(|&(index, configuration)| {
                is_measured(index) && (configuration.threads <= available) == fits
            })
            .map(|(_, configuration)| configuration.threads)
            .collect()
    };
    let points = |curve: &Curve| -> Vec<(f64, f64)> {
        configurations()
            .filter(|(_, configuration)| configuration.threads <= available)
            .filter_map(|(index, configuration)| {
                Some((configuration.threads as f64, curve[index]?.nps))
            })
            .collect()
    };
    let measured = points(&curves.measured);
    let law = usl::fit(&measured)?;
    let known = usl::distinct(&measured);
    // A draw may miss all positions of a configuration, and then determines less than the samples
    // do.
    let resampled: Vec<Usl> = curves
        .resampled
        .iter()
        .map(points)
        .filter(|points| usl::distinct(points) == known)
        .filter_map(|points| usl::fit(&points))
        .collect();
    let estimate = |of: &dyn Fn(Usl) -> f64| {
        Estimate::new(of(law), resampled.iter().map(|&law| of(law)).collect())
    };
    let fitted = threads(true);
    let reach = fitted.last().copied().unwrap_or(1);
    let with_peak = resampled.iter().filter(|law| law.peak().is_some()).count();
    Some(Forecast {
        policy,
        left_out: threads(false),
        sigma: estimate(&|law| law.sigma),
        kappa: estimate(&|law| law.kappa),
        peak: law.peak().map(|threads| Peak {
            threads,
            nps_ratio: law.at(threads),
            support: with_peak as f64 / resampled.len().max(1) as f64,
        }),
        predictions: HORIZON
            .map(|threads| Prediction {
                threads,
                nps_ratio: estimate(&|law| law.at(threads as f64)),
                extrapolated: threads > reach,
            })
            .to_vec(),
        fitted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::configurations;
    use crate::measure::Goal;
    use crate::summary::Ratios;
    use heddle::smp::teamwork::{Sharing, Stagger};

    fn plan(threads: &[usize]) -> Plan {
        let configurations =
            configurations(threads, &[Stagger::None, Stagger::Skip], &[Sharing::Private]);
        Plan { suite: Vec::new(), configurations, goal: Goal::Depth(1), repeats: 1 }
    }

    /// Speeds that follow the law in all configurations; a little less in one draw.
    fn curves(plan: &Plan, law: Usl) -> Curves {
        let curve = |law: Usl| -> Curve {
            let nps = plan
                .configurations
                .iter()
                .map(|configuration| law.at(configuration.threads as f64));
            nps.map(|nps| Some(Ratios { nps, speed_up: nps, overhead: 1.0 })).collect()
        };
        let slower = Usl { sigma: law.sigma * 2.0, ..law };
        Curves { measured: curve(law), resampled: vec![curve(law), curve(slower)] }
    }

    #[test]
    fn each_policy_has_its_forecast_with_intervals() {
        let plan = plan(&[1, 2, 4, 8]);
        let law = Usl { sigma: 0.02, kappa: 0.001 };
        let found = forecasts(&plan, &curves(&plan, law), 8);
        assert_eq!(
            found.iter().map(|f| f.policy.stagger).collect::<Vec<_>>(),
            [Stagger::None, Stagger::Skip]
        );
        let forecast = &found[0];
        assert_eq!((&forecast.fitted[..], &forecast.left_out[..]), (&[2, 4, 8][..], &[][..]));
        assert!((forecast.law().sigma - law.sigma).abs() < 1e-9);
        assert!((forecast.kappa.value - law.kappa).abs() < 1e-9);
        assert_eq!(forecast.peak.unwrap().support, 1.0);
        let [at_32, .., at_256] = &forecast.predictions[..] else { panic!() };
        assert!((at_32.nps_ratio.value - law.at(32.0)).abs() < 1e-6);
        assert!(at_256.nps_ratio.low < at_256.nps_ratio.high && at_256.extrapolated);
    }

    #[test]
    fn one_point_gives_no_law() {
        let plan = plan(&[1, 2]);
        assert!(forecasts(&plan, &curves(&plan, Usl { sigma: 0.1, kappa: 0.1 }), 8).is_empty());
    }

    #[test]
    fn more_threads_than_processors_are_not_fitted() {
        let plan = plan(&[1, 2, 4, 8]);
        let curves = curves(&plan, Usl { sigma: 0.1, kappa: 0.1 });
        let found = forecasts(&plan, &curves, 4);
        assert_eq!((&found[0].fitted[..], &found[0].left_out[..]), (&[2, 4][..], &[8][..]));
        assert!(forecasts(&plan, &curves, 2).is_empty());
    }
}
