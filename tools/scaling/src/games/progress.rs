//! What is known while the games are played, for people and for a test that ends early.

use std::ops::ControlFlow;

use heddle::sync::Mutex;
use heddle_progress::{ProgressBar, tell};
use heddle_selfplay::Score;

use super::arena::Watch;
use super::contest::{Pair, Played};
use super::sprt::{Sprt, Verdict};

/// What is known while the games are played.
#[derive(Default)]
pub struct State {
    /// The score so far.
    pub score: Score,
    /// The faults of the engines.
    pub faults: Vec<String>,
    /// The score that decided the test; pairs under way then still count for the rest of the
    /// report.
    pub decisive: Option<Score>,
}

/// Shows the progress, and ends a test that is decided.
pub struct Progress {
    /// Shown on a terminal.
    pub bar: ProgressBar,
    sprt: Option<Sprt>,
    has_odds: bool,
    /// What is known.
    pub state: Mutex<State>,
}

impl Progress {
    /// Nothing is known yet; `has_odds` if the second side gets multiples.
    pub fn new(bar: ProgressBar, sprt: Option<Sprt>, has_odds: bool) -> Self {
        Self { bar, sprt, has_odds, state: Mutex::default() }
    }
}

impl Watch for Progress {
    fn before(&self, pair: &Pair) {
        if self.has_odds {
            let (threads, multiple) = (pair.odds.threads, pair.odds.multiple);
            let of = if threads > 1 { format!("{threads} threads ") } else { String::new() };
            self.bar.set_message(format!("{of}against {multiple:.1} ×"));
        }
    }

    fn after(&self, played: &Played, faults: &[String]) -> ControlFlow<()> {
        let mut state = self.state.lock();
        state.score.add_halves(played.games.map(|points| (2.0 * points).round() as usize));
        self.bar.inc(1);
        if !self.has_odds {
            self.bar.set_message(state.score.to_string());
        }
        for fault in faults {
            self.bar.suspend(|| tell(fault));
        }
        state.faults.extend_from_slice(faults);
        let is_decided =
            |score: &Score| self.sprt.is_some_and(|sprt| sprt.verdict(score) != Verdict::Open);
        state.decisive = state.decisive.or(Some(state.score).filter(is_decided));
        if state.decisive.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
