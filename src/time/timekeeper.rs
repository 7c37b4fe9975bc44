//! Decides when a search must end.
//!
//! The clock is pure; the timekeeper remembers what it needs to know about the search so far: how
//! far the workers agree on the best move, and how far the score has fallen.

use std::time::{Duration, Instant};

use crate::position::Position;
use crate::score::{Depth, Score};
use crate::time::clock::{Clock, Stability, Support};
use crate::time::limits::Limits;

/// Depth in plies to which a forced move is searched before it is played: enough for a sane score
/// and a move to ponder on.
const FORCED_DEPTH: Depth = 6;

/// Tracks one search against its clock.
#[derive(Clone, Debug)]
pub struct Timekeeper {
    clock: Clock,
    stability: Stability,
    last: Option<Iteration>,
    is_forced: bool,
}

/// An iteration that the main worker completed, with an exact score.
#[derive(Copy, Clone, Debug)]
pub struct Iteration {
    /// The score of the best move, for the side to move.
    pub score: Score,
    /// The depth, in plies.
    pub depth: Depth,
    /// How far all workers agree on the best move.
    pub support: Support,
}

impl Timekeeper {
    /// A timekeeper for a search of `position` under `limits`, starting at `start`. `choices` is
    /// the number of root moves: under a game clock, a single one needs little thought.
    pub fn new(
        limits: &Limits,
        position: &Position,
        choices: usize,
        overhead: Duration,
        start: Instant,
    ) -> Self {
        let under_clock =
            limits.move_time.is_none() && limits.side(position.turn()).remaining.is_some();
        Self {
            clock: Clock::new(limits, position, overhead, start),
            stability: Stability::default(),
            last: None,
            is_forced: under_clock && choices == 1,
        }
    }

    /// Handles a `ponderhit` at `hit`: our own clock starts there. What is known of the search
    /// stays, and time spent pondering counts as thinking time.
    pub fn ponder_hit(
        &mut self,
        limits: &Limits,
        position: &Position,
        overhead: Duration,
        hit: Instant,
    ) {
        self.clock = self.clock.after_pondering(limits, position, overhead, hit);
    }

    /// When the search must end, whatever it has found.
    pub fn deadline(&self) -> Option<Instant> {
        self.clock.deadline()
    }

    /// Takes note of an iteration of the main worker.
    pub fn observe(&mut self, iteration: Iteration) {
        let score_drop = self.last.map_or(0, |previous| previous.score - iteration.score);
        self.stability = Stability { support: iteration.support, score_drop };
        self.last = Some(iteration);
    }

    /// Whether no new iteration should begin at `now`.
    pub fn is_enough(&self, now: Instant) -> bool {
        // A clock without a deadline is not running: the search is infinite or pondering.
        let is_forced = self.is_forced && self.clock.deadline().is_some();
        self.last.is_some_and(|last| is_forced && last.depth >= FORCED_DEPTH)
            || self.last.is_some() && self.clock.is_enough(now, self.stability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::limits::SideClock;

    fn iteration(centipawns: i32, depth: Depth) -> Iteration {
        let support = Support { stable_iterations: f64::from(depth), share: 0.5 };
        Iteration { score: Score::new(centipawns), depth, support }
    }

    fn clocked() -> Limits {
        let remaining = Some(Duration::from_secs(600));
        let side = SideClock { remaining, increment: Duration::ZERO };
        Limits { white: side, black: side, ..Limits::default() }
    }

    fn keeper(choices: usize) -> Timekeeper {
        Timekeeper::new(&clocked(), &Position::default(), choices, Duration::ZERO, Instant::now())
    }

    #[test]
    fn stability_is_the_last_support_and_score_drop() {
        let mut keeper = keeper(20);
        for (depth, score, score_drop) in [(1, 30, 0), (2, 10, 20), (3, 15, -5)] {
            let iteration = iteration(score, depth);
            keeper.observe(iteration);
            assert_eq!(keeper.stability, Stability { support: iteration.support, score_drop });
        }
    }

    #[test]
    fn a_forced_move_is_played_at_once_but_only_under_a_clock() {
        let now = Instant::now();
        let enough = |limits: &Limits, choices, depth| {
            let mut keeper =
                Timekeeper::new(limits, &Position::default(), choices, Duration::ZERO, now);
            keeper.observe(iteration(0, depth));
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
        let mut keeper = Timekeeper::new(&limits, &Position::default(), 20, Duration::ZERO, start);
        assert!(!keeper.is_enough(start));
        keeper.observe(iteration(0, 1));
        assert!(keeper.is_enough(start));
        assert_eq!(keeper.deadline(), Some(start));
    }

    #[test]
    fn pondering_has_no_clock_until_the_hit() {
        let start = Instant::now();
        let mut limits = Limits { ponder: true, ..clocked() };
        let mut keeper = Timekeeper::new(&limits, &Position::default(), 20, Duration::ZERO, start);
        keeper.observe(iteration(0, 1));
        assert_eq!(keeper.deadline(), None);
        assert!(!keeper.is_enough(start + Duration::from_secs(100_000)));
        limits.ponder = false;
        for (pondered, is_enough) in [(1, false), (1000, true)] {
            let hit = start + Duration::from_secs(pondered);
            let mut keeper = keeper.clone();
            keeper.ponder_hit(&limits, &Position::default(), Duration::ZERO, hit);
            assert!(keeper.deadline().is_some_and(|deadline| deadline > hit));
            assert_eq!(keeper.is_enough(hit), is_enough, "{pondered} seconds");
        }
    }
}
