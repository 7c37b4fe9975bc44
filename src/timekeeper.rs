//! Whoever owns a search asks here when it has to end.
//!
//! The clock is pure; this keeps what it wants to know of the search so far: how long the best
//! move has been the best, how far the score has fallen, how much work went into it.

use std::time::{Duration, Instant};

use crate::clock::{Clock, Progress};
use crate::limits::Limits;
use crate::position::{Color, Move};
use crate::score::{Depth, Score};
use crate::search::Line;
use crate::tt::Bound;

/// How deep a forced move is searched before it is played, in plies: enough for a sane score and
/// for a move to ponder on.
const FORCED_DEPTH: Depth = 6;

/// Follows one search against its clock.
#[derive(Clone, Debug)]
pub struct Timekeeper {
    clock: Clock,
    progress: Progress,
    best: Option<Best>,
    is_forced: bool,
}

/// The last line that counted.
#[derive(Copy, Clone, Debug)]
struct Best {
    m: Move,
    score: Score,
    depth: Depth,
}

impl Timekeeper {
    /// Grants `limits` to the side to move, from `start` on. `choices` is how many root moves
    /// there are: under a game clock, a single one is not thought about for long.
    #[must_use]
    pub fn new(
        limits: &Limits,
        turn: Color,
        choices: usize,
        overhead: Duration,
        start: Instant,
    ) -> Self {
        let under_clock = limits.move_time.is_none() && limits.side(turn).remaining.is_some();
        Self {
            clock: Clock::new(limits, turn, overhead, start),
            progress: Progress::default(),
            best: None,
            is_forced: under_clock && choices == 1,
        }
    }

    /// Our own time runs from `hit` on, when `ponderhit` came; what is known of the search stays, and
    /// what it has thought in the opponent's time counts as thought.
    pub fn ponder_hit(&mut self, limits: &Limits, turn: Color, overhead: Duration, hit: Instant) {
        self.clock = self.clock.after_pondering(limits, turn, overhead, hit);
    }

    /// When the search has to end, whatever it has found.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.clock.deadline()
    }

    /// Takes in a line of the main worker. Only a first line that is exact says anything.
    /// Returns whether it did.
    pub fn observe(&mut self, line: &Line) -> bool {
        let Some(&m) = line.moves.first() else { return false };
        if line.multipv != 1 || line.bound != Bound::Exact {
            return false;
        }
        let progress = &mut self.progress;
        match self.best {
            Some(previous) => {
                progress.score_drop = previous.score - line.score;
                progress.stable_iterations =
                    if previous.m == m { progress.stable_iterations + 1 } else { 1 };
            }
            None => progress.stable_iterations = 1,
        }
        progress.best_move_share = line.share;
        self.best = Some(Best { m, score: line.score, depth: line.depth });
        true
    }

    /// No new iteration should begin at `now`.
    #[must_use]
    pub fn is_enough(&self, now: Instant) -> bool {
        // A clock without a deadline is not running: the search is infinite or ponders.
        let is_forced = self.is_forced && self.clock.deadline().is_some();
        self.best.is_some_and(|best| is_forced && best.depth >= FORCED_DEPTH)
            || self.best.is_some() && self.clock.is_enough(now, self.progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::SideClock;
    use crate::position::Position;

    fn line(m: Move, centipawns: i32, depth: Depth) -> Line {
        Line {
            depth,
            seldepth: 1,
            multipv: 1,
            score: Score::new(centipawns),
            bound: Bound::Exact,
            moves: vec![m],
            share: 0.5,
        }
    }

    fn clocked() -> Limits {
        let remaining = Some(Duration::from_secs(600));
        let side = SideClock { remaining, increment: Duration::ZERO };
        Limits { white: side, black: side, ..Limits::default() }
    }

    fn keeper(choices: usize) -> Timekeeper {
        Timekeeper::new(&clocked(), Color::White, choices, Duration::ZERO, Instant::now())
    }

    #[test]
    fn progress_counts_stability_and_drops() {
        let moves = Position::default().legal_moves();
        let mut keeper = keeper(moves.len());
        assert!(keeper.observe(&line(moves[0], 30, 1)));
        assert_eq!(keeper.progress.stable_iterations, 1);
        assert!(keeper.observe(&line(moves[0], 10, 2)));
        assert_eq!(keeper.progress.stable_iterations, 2);
        assert_eq!(keeper.progress.score_drop, 20);
        assert!(keeper.observe(&line(moves[1], 15, 3)));
        assert_eq!(keeper.progress.stable_iterations, 1);
        assert_eq!(keeper.progress.score_drop, -5);
    }

    #[test]
    fn bounds_and_lesser_lines_say_nothing() {
        let m = Position::default().legal_moves()[0];
        let mut keeper = keeper(20);
        assert!(!keeper.observe(&Line { bound: Bound::Lower, ..line(m, 0, 1) }));
        assert!(!keeper.observe(&Line { multipv: 2, ..line(m, 0, 1) }));
        assert!(!keeper.observe(&Line { moves: vec![], ..line(m, 0, 1) }));
        assert_eq!(keeper.progress, Progress::default());
    }

    #[test]
    fn a_forced_move_is_played_at_once_but_only_under_a_clock() {
        let m = Position::default().legal_moves()[0];
        let now = Instant::now();
        let enough = |limits: &Limits, choices, depth| {
            let mut keeper = Timekeeper::new(limits, Color::White, choices, Duration::ZERO, now);
            keeper.observe(&line(m, 0, depth));
            keeper.is_enough(now)
        };
        assert!(enough(&clocked(), 1, FORCED_DEPTH));
        assert!(!enough(&clocked(), 1, FORCED_DEPTH - 1));
        assert!(!enough(&clocked(), 2, FORCED_DEPTH));
        assert!(!enough(&Limits::default(), 1, FORCED_DEPTH));
        assert!(!enough(&Limits { ponder: true, ..clocked() }, 1, FORCED_DEPTH));
        assert!(!enough(&Limits { infinite: true, ..clocked() }, 1, FORCED_DEPTH));
    }

    #[test]
    fn without_a_line_nothing_is_enough() {
        let start = Instant::now();
        let limits = Limits { move_time: Some(Duration::ZERO), ..Limits::default() };
        let mut keeper = Timekeeper::new(&limits, Color::White, 20, Duration::ZERO, start);
        assert!(!keeper.is_enough(start));
        keeper.observe(&line(Position::default().legal_moves()[0], 0, 1));
        assert!(keeper.is_enough(start));
        assert_eq!(keeper.deadline(), Some(start));
    }

    #[test]
    fn pondering_has_no_clock_until_the_hit() {
        let start = Instant::now();
        let mut limits = Limits { ponder: true, ..clocked() };
        let mut keeper = Timekeeper::new(&limits, Color::White, 20, Duration::ZERO, start);
        keeper.observe(&line(Position::default().legal_moves()[0], 0, 1));
        assert_eq!(keeper.deadline(), None);
        assert!(!keeper.is_enough(start + Duration::from_secs(100_000)));
        limits.ponder = false;
        for (pondered, is_enough) in [(1, false), (1000, true)] {
            let hit = start + Duration::from_secs(pondered);
            let mut keeper = keeper.clone();
            keeper.ponder_hit(&limits, Color::White, Duration::ZERO, hit);
            assert!(keeper.deadline().is_some_and(|deadline| deadline > hit));
            assert_eq!(keeper.is_enough(hit), is_enough, "{pondered} seconds");
        }
    }
}
