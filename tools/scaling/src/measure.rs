//! What is measured, and in which order.
//!
//! A [`Plan`] is independent of threads and seconds: an [`Instrument`] searches a position in a
//! [`Configuration`] and reports the cost.

use std::cmp::Reverse;

use heddle::engine::EngineError;
use heddle::position::Position;
use heddle::score::Depth;
use heddle::search::Outcome;
use heddle::smp::recorder::Misses;
use heddle::text::suite::Named;
use heddle::tt::Counts;

use crate::configuration::Configuration;

/// The unit of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// Seconds of this machine.
    Wall,
    /// Thousands of nodes per worker, as if all workers ran at the same speed.
    Virtual,
}

impl TimeUnit {
    /// The unit's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "s",
            Self::Virtual => "1000 nodes of one worker",
        }
    }

    /// Nodes per unit of virtual time.
    pub const KILO: f64 = 1000.0;

    /// The adjective for figures in this unit.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wall => "measured",
            Self::Virtual => "simulated",
        }
    }
}

/// How deep the positions are searched.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// To this depth, in plies.
    Depth(Depth),
    /// Each to the depth that one thread completes in this time: milliseconds, or thousands of
    /// nodes in virtual time.
    Time(u64),
}

/// One search to measure, starting with an empty table.
#[derive(Copy, Clone, Debug)]
pub struct Run<'a> {
    /// The root.
    pub position: &'a Position,
    /// The threads and policy.
    pub configuration: Configuration,
    /// The depth the main worker must complete, in plies; the helpers run until then.
    pub depth: Depth,
}

impl Run<'_> {
    /// The move that `outcome` has found, in standard algebraic notation; empty if there is none.
    pub fn best_move(&self, outcome: &Outcome) -> String {
        let best = outcome.lines.first().map(|line| self.position.san(line.moves[0]));
        best.unwrap_or_default()
    }
}

/// The cost of one search.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time to complete the depth, in the instrument's unit.
    pub time: f64,
    /// Nodes, summed over all workers.
    pub nodes: u64,
    /// Depth of the move chosen by the vote, in plies.
    pub depth: Depth,
    /// The move chosen, in standard algebraic notation.
    pub best_move: String,
    /// Per mille of the table filled by the search.
    pub hashfull: u32,
    /// Table accesses, if they were counted.
    pub census: Option<Counts>,
    /// Misses of simulated caches, if they were counted.
    pub misses: Option<Misses>,
}

/// Something that runs searches and measures them.
pub trait Instrument {
    /// The unit of time.
    fn time_unit(&self) -> TimeUnit;

    /// The depth that one thread completes in `time`, at least 1: milliseconds, or thousands of
    /// nodes in virtual time; `None` if cancelled.
    ///
    /// # Errors
    /// [`EngineError`] when the engine cannot be configured so.
    fn reach(&mut self, position: &Position, time: u64) -> Result<Option<Depth>, EngineError>;

    /// Searches and measures; `None` if cancelled.
    ///
    /// # Errors
    /// [`EngineError`] when the engine cannot be configured so.
    fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError>;
}

/// All searches of a measurement.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The positions.
    pub suite: Vec<Named>,
    /// The configurations; all are compared with the first.
    pub configurations: Vec<Configuration>,
    /// How deep they are searched.
    pub goal: Goal,
    /// Searches of every position in every configuration.
    pub repeats: usize,
}

/// The place of a run in its plan.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The repeat, from 0.
    pub repeat: usize,
    /// Index of the position.
    pub position: usize,
    /// Index of the configuration.
    pub configuration: usize,
}

/// A completed run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which run.
    pub place: Place,
    /// Its depth, in plies.
    pub depth: Depth,
    /// Its cost.
    pub sample: Sample,
}

impl Plan {
    /// The number of searches.
    pub fn len(&self) -> usize {
        self.repeats * self.suite.len() * self.configurations.len()
    }

    /// Whether there is nothing to search.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every run, in order. The configurations of one position follow each other, so that a machine
    /// that slows down affects all of them; every second repeat reverses their order, so that none
    /// is always first.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let configurations = self.configurations.len();
        (0..self.repeats).flat_map(move |repeat| {
            (0..self.suite.len()).flat_map(move |position| {
                let mut order: Vec<usize> = (0..configurations).collect();
                if repeat % 2 == 1 {
                    order.sort_by_key(|&configuration| Reverse(configuration));
                }
                order.into_iter().map(move |configuration| Place {
                    repeat,
                    position,
                    configuration,
                })
            })
        })
    }

    /// Measures run by run into `measured` until all are done or the instrument is cancelled;
    /// `before` is called for each. The depth of a position is found before its first run.
    ///
    /// # Errors
    /// [`EngineError`] when the engine cannot be configured so; earlier measurements are kept.
    pub fn measure(
        &self,
        instrument: &mut dyn Instrument,
        measured: &mut Vec<Measured>,
        mut before: impl FnMut(Place),
    ) -> Result<(), EngineError> {
        let mut depths = vec![None; self.suite.len()];
        for place in self.places() {
            before(place);
            let position = &self.suite[place.position].position;
            let depth = match (self.goal, depths[place.position]) {
                (Goal::Depth(depth), _) | (_, Some(depth)) => Some(depth),
                (Goal::Time(time), None) => instrument.reach(position, time)?,
            };
            depths[place.position] = depth;
            let Some(depth) = depth else { break };
            let configuration = self.configurations[place.configuration];
            let run = Run { position, configuration, depth };
            let Some(sample) = instrument.take(&run)? else { break };
            measured.push(Measured { place, depth, sample });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::configurations;
    use crate::suite::Suite;
    use heddle::smp::teamwork::{Sharing, Stagger};

    fn plan() -> Plan {
        let suite = Suite::BratkoKopec.positions();
        let configurations = configurations(&[1, 2], &[Stagger::None], &[Sharing::Private]);
        Plan { suite, configurations, goal: Goal::Depth(1), repeats: 2 }
    }

    #[test]
    fn settings_are_interleaved_and_repeats_are_outermost() {
        let plan = plan();
        let places: Vec<_> = plan
            .places()
            .map(|place| (place.repeat, place.position, place.configuration))
            .collect();
        assert_eq!(places.len(), plan.len());
        assert_eq!(places[..4], [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]);
        assert_eq!(places[48..52], [(1, 0, 1), (1, 0, 0), (1, 1, 1), (1, 1, 0)]);
    }

    /// Is cancelled, or fails, after this many searches.
    struct Tired {
        searches: usize,
        fails: bool,
        /// Calls of `reach`.
        reached: usize,
    }

    impl Instrument for Tired {
        fn time_unit(&self) -> TimeUnit {
            TimeUnit::Virtual
        }
        fn reach(&mut self, _: &Position, time: u64) -> Result<Option<Depth>, EngineError> {
            self.reached += 1;
            Ok((self.searches > 0).then_some(time as Depth + 1))
        }
        fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError> {
            let Some(left) = self.searches.checked_sub(1) else {
                return if self.fails { Err(EngineError::Memory { threads: 2 }) } else { Ok(None) };
            };
            self.searches = left;
            let best_move = run.position.san(run.position.legal_moves()[0]);
            Ok(Some(Sample {
                time: 1.0,
                nodes: 1,
                depth: run.depth,
                best_move,
                hashfull: 0,
                census: None,
                misses: None,
            }))
        }
    }

    #[test]
    fn what_was_measured_before_an_interrupt_is_kept() {
        let plan = plan();
        let mut told = 0;
        let mut measured = Vec::new();
        plan.measure(&mut Tired { searches: 5, fails: false, reached: 0 }, &mut measured, |_| {
            told += 1;
        })
        .unwrap();
        assert_eq!((measured.len(), told), (5, 6));
        assert!(measured.iter().map(|m| m.place).eq(plan.places().take(5)));
    }

    #[test]
    fn a_time_becomes_one_depth_for_all_searches_of_a_position() {
        let plan = Plan { goal: Goal::Time(6), ..plan() };
        let mut instrument = Tired { searches: plan.len(), fails: false, reached: 0 };
        let mut measured = Vec::new();
        plan.measure(&mut instrument, &mut measured, |_| ()).unwrap();
        assert_eq!((measured.len(), instrument.reached), (plan.len(), plan.suite.len()));
        assert!(measured.iter().all(|m| (m.depth, m.sample.depth) == (7, 7)));
        let mut tired = Tired { searches: 0, fails: false, reached: 0 };
        plan.measure(&mut tired, &mut measured, |_| ()).unwrap();
        assert_eq!((measured.len(), tired.reached), (plan.len(), 1));
    }

    #[test]
    fn what_was_measured_before_an_error_is_kept() {
        let mut measured = Vec::new();
        let mut instrument = Tired { searches: 5, fails: true, reached: 0 };
        assert!(plan().measure(&mut instrument, &mut measured, |_| ()).is_err());
        assert_eq!(measured.len(), 5);
    }
}
