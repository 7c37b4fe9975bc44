//! The progress of a run, for people.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use heddle::sync::Instant;

/// How often a bar is updated on a terminal.
const BAR_INTERVAL: Duration = Duration::from_millis(500);
/// How often a line is printed without a terminal.
const LINE_INTERVAL: Duration = Duration::from_mins(1);

/// Writes a line to standard error. A failure is ignored: no message is worth losing the work.
pub fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// How much to play.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// This many games.
    Games(u64),
    /// This many positions.
    Positions(u64),
}

impl Goal {
    /// Whether `games` containing `positions` are enough.
    #[must_use]
    pub fn is_reached(self, games: u64, positions: u64) -> bool {
        self.done(games, positions) >= self.length()
    }

    fn length(self) -> u64 {
        match self {
            Self::Games(length) | Self::Positions(length) => length,
        }
    }

    fn done(self, games: u64, positions: u64) -> u64 {
        match self {
            Self::Games(_) => games,
            Self::Positions(_) => positions,
        }
    }
}

/// Progress on standard error: a bar on a terminal, otherwise one line per minute.
pub struct Progress {
    bar: ProgressBar,
    goal: Goal,
    start: Instant,
    /// Games and positions in the file at the start.
    before: (u64, u64),
    next_line: Instant,
}

impl Progress {
    /// A run that starts now, with this many games and positions in the file.
    #[must_use]
    pub fn new(goal: Goal, games: u64, positions: u64) -> Self {
        let style = ProgressStyle::with_template("{wide_bar} {percent}% {msg}");
        let bar = ProgressBar::new(goal.length())
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let start = Instant::now();
        Self { bar, goal, start, before: (games, positions), next_line: start + LINE_INTERVAL }
    }

    /// When the state is next shown.
    #[must_use]
    pub fn next(&self) -> Instant {
        if self.bar.is_hidden() { self.next_line } else { Instant::now() + BAR_INTERVAL }
    }

    /// Shows the state if it is time to.
    pub fn show(&mut self, games: u64, positions: u64) {
        let now = Instant::now();
        let line = self.line(games, positions, now - self.start);
        self.bar.set_position(self.goal.done(games, positions));
        self.bar.set_message(line.clone());
        if self.bar.is_hidden() && now >= self.next_line {
            tell(line);
            self.next_line = now + LINE_INTERVAL;
        }
    }

    /// Shows the final state.
    pub fn finish(&self, games: u64, positions: u64) {
        self.bar.finish_and_clear();
        tell(self.line(games, positions, self.start.elapsed()));
    }

    fn line(&self, games: u64, positions: u64, time: Duration) -> String {
        let seconds = time.as_secs_f64().max(f64::MIN_POSITIVE);
        let speed = (positions - self.before.1) as f64 / seconds;
        let done = self.goal.done(games, positions);
        let fresh = done - self.goal.done(self.before.0, self.before.1);
        let left = self.goal.length().saturating_sub(done);
        let eta = if left == 0 {
            "done".to_owned()
        } else if fresh == 0 {
            "ETA unknown".to_owned()
        } else {
            let eta = Duration::from_secs_f64(seconds * left as f64 / fresh as f64);
            format!("ETA {}", HumanDuration(eta))
        };
        format!("games {games}, positions {positions}, {speed:.0} positions/s, {eta}")
    }
}
