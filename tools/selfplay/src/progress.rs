//! The progress of a run, for people.

use heddle::sync::Instant;

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

/// How far a run is.
pub struct Progress {
    run: heddle_progress::Progress,
    goal: Goal,
    /// Positions in the file at the start.
    before: u64,
}

impl Progress {
    /// A run that starts now, with this many games and positions in the file.
    #[must_use]
    pub fn new(goal: Goal, games: u64, positions: u64) -> Self {
        let run = heddle_progress::Progress::new(goal.done(games, positions), goal.length());
        Self { run, goal, before: positions }
    }

    /// When the state is next shown.
    #[must_use]
    pub fn next(&self) -> Instant {
        self.run.next()
    }

    /// Shows the state if it is time to.
    pub fn show(&mut self, games: u64, positions: u64) {
        self.run.show(self.goal.done(games, positions), self.line(games, positions));
    }

    /// Shows the final state.
    pub fn finish(&self, games: u64, positions: u64) {
        self.run.finish(&self.line(games, positions));
    }

    fn line(&self, games: u64, positions: u64) -> String {
        let speed = (positions - self.before) as f64 / self.run.seconds();
        let eta = self.run.eta(self.goal.done(games, positions));
        format!("games {games}, positions {positions}, {speed:.0} positions/s, {eta}")
    }
}
