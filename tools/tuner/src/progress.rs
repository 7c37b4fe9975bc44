//! The progress of a tuning, for people.

const SECONDS_PER_HOUR: f64 = 3600.0;

/// How far a tuning is.
pub struct Progress {
    run: heddle_progress::Progress,
    /// Pairs played before the start.
    before: u64,
    pairs: u64,
}

impl Progress {
    /// A run that starts now, after `before` of `pairs` pairs.
    pub fn new(before: u64, pairs: u64) -> Self {
        Self { run: heddle_progress::Progress::new(before, pairs), before, pairs }
    }

    /// Shows that `played` pairs have been played, if it is time to.
    pub fn show(&mut self, played: u64) {
        self.run.show(played, self.line(played));
    }

    /// Shows the final state.
    pub fn finish(&self, played: u64) {
        self.run.finish(&self.line(played));
    }

    fn line(&self, played: u64) -> String {
        let games = 2 * (played - self.before);
        let speed = games as f64 / self.run.seconds() * SECONDS_PER_HOUR;
        format!("pairs {played} of {}, {speed:.0} games/h, {}", self.pairs, self.run.eta(played))
    }
}
