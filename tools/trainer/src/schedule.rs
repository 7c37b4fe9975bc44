//! How the learning rate rises and decays.
//!
//! The first steps are small: the optimiser does not know yet how large each gradient is, and a
//! network that is refined would lose what it has learnt. Source: warm-up, P. Goyal et al.,
//! "Accurate, Large Minibatch SGD", 2017.

use clap::ValueEnum;

/// The shape of the decay.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Half a cosine.
    Cosine,
    /// Steps of equal length, each lower than the previous one by the same factor.
    Steps,
}

/// A learning rate that decays from `first` to `last`.
#[derive(Copy, Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// The shape of the decay.
    pub shape: Shape,
    /// The initial rate.
    pub first: f32,
    /// The final rate.
    pub last: f32,
    /// Total number of steps.
    pub steps: u64,
}

/// Number of levels in [`Shape::Steps`].
const LEVELS: u64 = 5;
/// One in this many steps belongs to the warm-up.
const WARM_UP: u64 = 50;

impl Schedule {
    /// The rate at `step`, counting from 0.
    #[must_use]
    pub fn rate(&self, step: u64) -> f32 {
        let warm_up = (self.steps / WARM_UP).max(1);
        self.decayed(step) * ((step + 1) as f32 / warm_up as f32).min(1.0)
    }

    fn decayed(&self, step: u64) -> f32 {
        let steps = self.steps.max(1);
        match self.shape {
            Shape::Cosine => {
                let done = step.min(steps) as f32 / steps as f32;
                let height = (1.0 + (std::f32::consts::PI * done).cos()) / 2.0;
                self.last + (self.first - self.last) * height
            }
            Shape::Steps => {
                let level = (step * LEVELS / steps).min(LEVELS - 1) as f32;
                self.first * (self.last / self.first).powf(level / (LEVELS - 1) as f32)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_rise_to_the_first_and_fall_to_the_last() {
        for shape in [Shape::Cosine, Shape::Steps] {
            let schedule = Schedule { shape, first: 1e-3, last: 1e-5, steps: 100 };
            let rates: Vec<_> = (0..=100).map(|step| schedule.rate(step)).collect();
            assert!(rates[0] < rates[1] && rates[1..].is_sorted_by(|a, b| a >= b), "{rates:?}");
            assert!((rates[1] - 1e-3).abs() < 1e-5 && (rates[100] - 1e-5).abs() < 1e-8);
        }
    }
}
