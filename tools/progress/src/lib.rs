//! The progress of a run, for people.
//!
//! Short jobs show a [`bar`] on a terminal and nothing elsewhere. [`Progress`] is for runs of
//! hours, whose output often goes to a file.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

pub use indicatif::ProgressBar;
use indicatif::{HumanDuration, ProgressStyle};

/// How often a bar is updated on a terminal.
const BAR_INTERVAL: Duration = Duration::from_millis(500);
/// How often a line is printed without a terminal.
const LINE_INTERVAL: Duration = Duration::from_mins(1);

/// Writes a line to standard error. A failure is ignored: no message is worth losing the work.
pub fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A bar of `length` steps in indicatif's `template`, hidden if standard error is not a terminal.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Progress of a long run on standard error: a bar on a terminal, otherwise one line per minute.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    /// Steps done before the start.
    before: u64,
    next_line: Instant,
}

impl Progress {
    /// A run that starts now, after `before` of `length` steps.
    pub fn new(before: u64, length: u64) -> Self {
        let bar = bar(length, "{wide_bar} {percent}% {msg}");
        let start = Instant::now();
        Self { bar, start, before, next_line: start + LINE_INTERVAL }
    }

    /// Seconds since the start, never 0.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The time that is left after `done` steps, as text.
    pub fn eta(&self, done: u64) -> String {
        let left = self.bar.length().unwrap_or(done).saturating_sub(done);
        eta(self.seconds(), done - self.before, left)
    }

    /// When the state is next shown.
    pub fn next(&self) -> Instant {
        if self.bar.is_hidden() { self.next_line } else { Instant::now() + BAR_INTERVAL }
    }

    /// Shows that `done` steps are done, as `line` says, if it is time to.
    pub fn show(&mut self, done: u64, line: String) {
        let now = Instant::now();
        if self.bar.is_hidden() && now >= self.next_line {
            tell(&line);
            self.next_line = now + LINE_INTERVAL;
        }
        self.bar.set_position(done);
        self.bar.set_message(line);
    }

    /// Shows the final state.
    pub fn finish(&self, line: &str) {
        self.bar.finish_and_clear();
        tell(line);
    }
}

/// The time that `left` steps will take if `fresh` steps took this many `seconds`.
fn eta(seconds: f64, fresh: u64, left: u64) -> String {
    if left == 0 {
        return "done".to_owned();
    }
    // Not a number of seconds before the first step, nor beyond the age of the universe.
    Duration::try_from_secs_f64(seconds * left as f64 / fresh as f64)
        .map_or_else(|_| "ETA unknown".to_owned(), |eta| format!("ETA {}", HumanDuration(eta)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_speed_since_the_start() {
        assert_eq!(eta(60.0, 10, 20), "ETA 2 minutes");
        assert_eq!(eta(60.0, 0, 20), "ETA unknown");
        assert_eq!(eta(60.0, 0, 0), "done");
        assert_eq!(eta(60.0, 1, u64::MAX), "ETA unknown");
    }

    #[test]
    fn steps_done_before_the_start_are_no_progress() {
        let progress = Progress::new(90, 100);
        assert_eq!(progress.eta(90), "ETA unknown");
        assert_eq!(progress.eta(100), "done");
        assert_eq!(progress.eta(110), "done");
    }
}
