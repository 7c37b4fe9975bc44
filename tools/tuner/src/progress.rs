//! The progress of a tuning, for people.

use std::time::Duration;

use heddle::sync::Instant;
use heddle_selfplay::tell;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// How often a line is printed without a terminal.
const LINE_INTERVAL: Duration = Duration::from_mins(1);
const SECONDS_PER_HOUR: f64 = 3600.0;

/// Progress on standard error: a bar on a terminal, otherwise one line per minute.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    /// Pairs played before the start.
    before: u64,
    next_line: Instant,
}

impl Progress {
    /// A run that starts now, after `before` of `pairs` pairs.
    #[must_use]
    pub fn new(before: u64, pairs: u64) -> Self {
        let style = ProgressStyle::with_template("{wide_bar} {percent}% {msg}");
        let bar = ProgressBar::new(pairs)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let start = Instant::now();
        Self { bar, start, before, next_line: start + LINE_INTERVAL }
    }

    /// Shows that `played` pairs have been played, if it is time to.
    pub fn show(&mut self, played: u64) {
        let now = Instant::now();
        self.bar.set_position(played);
        self.bar.set_message(self.line(played));
        if self.bar.is_hidden() && now >= self.next_line {
            tell(self.line(played));
            self.next_line = now + LINE_INTERVAL;
        }
    }

    /// Shows the final state.
    pub fn finish(&self, played: u64) {
        self.bar.finish_and_clear();
        tell(self.line(played));
    }

    fn line(&self, played: u64) -> String {
        let pairs = self.bar.length().unwrap_or(played);
        let (fresh, left) = (played - self.before, pairs.saturating_sub(played));
        let seconds = self.start.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        let speed = 2.0 * fresh as f64 / seconds * SECONDS_PER_HOUR;
        let eta = if left == 0 {
            "done".to_owned()
        } else if fresh == 0 {
            "ETA unknown".to_owned()
        } else {
            let eta = Duration::from_secs_f64(seconds * left as f64 / fresh as f64);
            format!("ETA {}", HumanDuration(eta))
        };
        format!("pairs {played} of {pairs}, {speed:.0} games/h, {eta}")
    }
}
