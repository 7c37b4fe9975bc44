//! The progress of a training, for people.

use std::time::{Duration, Instant};

use heddle_progress::{ProgressBar, bar};

use crate::curve::Point;
use crate::plan::Plan;

/// Number of reports per training.
const REPORTS: u64 = 40;

/// Shows a bar on a terminal, and prints a line for each report.
pub struct Journal<'a> {
    bar: ProgressBar,
    /// Receives the lines if there is no bar.
    say: &'a dyn Fn(&str),
    batch: u64,
    interval: u64,
    last: u64,
    begun: Instant,
    first: u64,
    losses: Vec<f64>,
    points: Vec<Point>,
}

impl<'a> Journal<'a> {
    /// A training by `plan` from step `first` up to step `last`.
    #[must_use]
    pub fn new(plan: &Plan, first: u64, last: u64, say: &'a dyn Fn(&str)) -> Self {
        let bar = bar(last, "{bar:30} {percent}% {msg} ETA {eta}").with_position(first);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        let interval = (plan.steps() / REPORTS).max(1);
        let batch = plan.batch as u64;
        let begun = Instant::now();
        Self { bar, say, batch, interval, last, begun, first, losses: vec![], points: vec![] }
    }

    /// Records the loss of a batch, after this many steps.
    pub fn note(&mut self, steps: u64, loss: f64) {
        self.losses.push(loss);
        self.bar.set_position(steps);
        self.bar.set_message(format!("{:.2} M positions/s", self.speed(steps) / 1e6));
    }

    /// Whether a report is due after this many steps.
    #[must_use]
    pub fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.interval) || steps == self.last
    }

    /// Positions trained on per second.
    fn speed(&self, steps: u64) -> f64 {
        let positions = (steps - self.first) * self.batch;
        positions as f64 / self.begun.elapsed().as_secs_f64().max(f64::EPSILON)
    }

    /// Reports the mean loss since the last report and, if there are held-out games, their loss.
    pub fn report(&mut self, steps: u64, held_out: Option<f64>) {
        let training = self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64;
        self.losses.clear();
        let positions = (steps * self.batch) as f64 / 1e6;
        self.points.push(Point { positions, training, held_out });
        let held_out = held_out.map_or(String::new(), |loss| format!(", held out {loss:.6}"));
        let speed = self.speed(steps) / 1e6;
        self.say(&format!(
            "{positions:.1} M positions: loss {training:.6}{held_out}; {speed:.2} M positions/s"
        ));
    }

    /// Prints a line, above the bar if there is one.
    pub fn say(&self, line: &str) {
        if self.bar.is_hidden() { (self.say)(line) } else { self.bar.println(line) }
    }

    /// Removes the bar and returns the points of the loss curve.
    #[must_use]
    pub fn finish(self) -> Vec<Point> {
        self.bar.finish_and_clear();
        self.points
    }
}
