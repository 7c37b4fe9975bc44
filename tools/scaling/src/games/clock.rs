//! What a side may spend, and what it is told of it.

use std::fmt;
use std::time::Duration;

use heddle::position::Color;

/// How late an answer may be: what pipes and the system may cost.
const MARGIN: Duration = Duration::from_millis(50);
/// The longest time for a game, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// What both sides may spend.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Limit {
    /// Nodes per move of each thread.
    Nodes(u64),
    /// Time for the game, or for some moves, and for every move.
    Time {
        /// For these moves, in seconds.
        base: f64,
        /// More after every move, in seconds.
        increment: f64,
        /// The moves after which the base is added again; all if `None`.
        moves: Option<u32>,
    },
}

impl Limit {
    /// Reads `SECONDS`, `SECONDS+INCREMENT` or either after `MOVES/`.
    ///
    /// # Errors
    /// The mistake, as text.
    pub fn time(text: &str) -> Result<Self, String> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves.trim().parse()), time),
            None => (None, text),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let seconds = |text: &str| {
            let seconds = text.trim().parse().ok();
            seconds.filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds))
        };
        let is_possible = moves.as_ref().is_none_or(|moves| matches!(moves, Ok(1..)));
        match seconds(base).zip(seconds(increment)).filter(|_| is_possible) {
            Some((base, increment)) if base + increment > 0.0 => {
                Ok(Self::Time { base, increment, moves: moves.and_then(Result::ok) })
            }
            _ => Err("not [MOVES/]SECONDS[+INCREMENT], such as 8+0.08 or 40/60".into()),
        }
    }

    /// Nodes per move; 0 under a clock.
    pub const fn nodes(self) -> u64 {
        match self {
            Self::Nodes(nodes) => nodes,
            Self::Time { .. } => 0,
        }
    }

    /// What a side of this many threads has: the same time, or nodes for each.
    pub fn of_threads(self, threads: usize) -> Budget {
        match self {
            Self::Nodes(_) => self.times(threads as f64),
            Self::Time { .. } => self.times(1.0),
        }
    }

    /// What a side has that is given `multiple` times as much.
    pub fn times(self, multiple: f64) -> Budget {
        match self {
            Self::Nodes(nodes) => Budget::Nodes((nodes as f64 * multiple).round().max(1.0) as u64),
            Self::Time { base, increment, moves } => {
                let time = |seconds: f64| Duration::from_secs_f64(seconds * multiple);
                let (base, increment) = (time(base), time(increment));
                let session = moves.map(|moves| Session { base, moves, left: moves });
                Budget::Time { left: base + increment, increment, session }
            }
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes per move and thread"),
            Self::Time { base, increment, moves: None } => {
                write!(f, "{base} s + {increment} s per move")
            }
            Self::Time { base, increment, moves: Some(moves) } => {
                write!(f, "{base} s per {moves} moves + {increment} s per move")
            }
        }
    }
}

/// What a side has left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Nodes for every move.
    Nodes(u64),
    /// Time.
    Time {
        /// For the moves to come, with the increment of the next one.
        left: Duration,
        /// More after every move.
        increment: Duration,
        /// When more comes, if it does.
        session: Option<Session>,
    },
}

/// Moves that share an amount of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The time.
    base: Duration,
    /// The moves.
    moves: u32,
    /// Those of them that are still to be played.
    left: u32,
}

impl Budget {
    /// The longest wait for a move: as long as `patience` if there is no clock.
    pub fn wait(&self, patience: Duration) -> Duration {
        match *self {
            Self::Nodes(_) => patience,
            Self::Time { left, .. } => left + MARGIN,
        }
    }

    /// Whether a clock runs.
    pub const fn is_time(&self) -> bool {
        matches!(self, Self::Time { .. })
    }

    /// Takes the time of a move off.
    pub fn spend(&mut self, time: Duration) {
        if let Self::Time { left, increment, session } = self {
            *left = left.saturating_sub(time) + *increment;
            if let Some(session) = session {
                session.left -= 1;
                if session.left == 0 {
                    session.left = session.moves;
                    *left += session.base;
                }
            }
        }
    }
}

/// The command for a move of the side that has `turn`; the budgets are those of White and Black.
pub fn go(turn: Color, budgets: [Budget; 2]) -> String {
    match turn.fold_wb(budgets[0], budgets[1]) {
        Budget::Nodes(nodes) => format!("go nodes {nodes}"),
        Budget::Time { session, .. } => {
            let time = |budget| match budget {
                Budget::Time { left, increment, .. } => (left.as_millis(), increment.as_millis()),
                Budget::Nodes(_) => (0, 0),
            };
            let [(white, winc), (black, binc)] = budgets.map(time);
            let to_go = session.map_or(String::new(), |s| format!(" movestogo {}", s.left));
            format!("go wtime {white} btime {black} winc {winc} binc {binc}{to_go}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_runs_and_gains_its_increment() {
        let limit = Limit::time("8+0.5").unwrap();
        let (mut white, black) = (limit.times(1.0), limit.times(2.0));
        let said = |white| go(Color::White, [white, black]);
        assert_eq!(said(white), "go wtime 8500 btime 17000 winc 500 binc 1000");
        assert_eq!(white.wait(Duration::ZERO), Duration::from_millis(8550));
        white.spend(Duration::from_millis(2500));
        assert_eq!(said(white), "go wtime 6500 btime 17000 winc 500 binc 1000");
        white.spend(Duration::from_millis(6530));
        assert_eq!(said(white), "go wtime 500 btime 17000 winc 500 binc 1000");
    }

    #[test]
    fn time_comes_again_after_its_moves() {
        let mut white = Limit::time("2/60+1").unwrap().times(1.0);
        let said = |white| go(Color::White, [white, white]);
        assert_eq!(said(white), "go wtime 61000 btime 61000 winc 1000 binc 1000 movestogo 2");
        white.spend(Duration::from_secs(10));
        assert_eq!(said(white), "go wtime 52000 btime 52000 winc 1000 binc 1000 movestogo 1");
        white.spend(Duration::from_secs(40));
        assert_eq!(said(white), "go wtime 73000 btime 73000 winc 1000 binc 1000 movestogo 2");
        assert_eq!(Limit::time("40/60").unwrap().to_string(), "60 s per 40 moves + 0 s per move");
    }

    #[test]
    fn nodes_are_counted_for_each_side() {
        let limit = Limit::Nodes(100);
        let budgets = [limit.times(2.0), limit.times(0.001)];
        assert_eq!(go(Color::White, budgets), "go nodes 200");
        assert_eq!(go(Color::Black, budgets), "go nodes 1");
        assert_eq!(budgets[0].wait(Duration::from_secs(9)), Duration::from_secs(9));
    }

    #[test]
    fn times_that_make_no_sense_are_refused() {
        assert_eq!(Limit::time("10"), Ok(Limit::Time { base: 10.0, increment: 0.0, moves: None }));
        assert_eq!(
            Limit::time("0+0.1"),
            Ok(Limit::Time { base: 0.0, increment: 0.1, moves: None })
        );
        for wrong in [
            "", "0", "0+0", "-1", "1+-1", "x", "1+", "inf", "nan", "1e9", "0/60", "x/60", "/60",
            "-1/60", "40/",
        ] {
            assert!(Limit::time(wrong).is_err(), "{wrong}");
        }
    }
}
