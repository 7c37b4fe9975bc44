//! What is measured, and in which order.
//!
//! A [`Plan`] knows nothing of threads or seconds: whatever can search a position in a [`Setting`]
//! and say what it took is an [`Instrument`].

use std::cmp::Reverse;
use std::fmt;

use crate::suite::Named;
use heddle::engine::EngineError;
use heddle::position::Position;
use heddle::score::Depth;
use heddle::smp::sharing::Sharing;
use heddle::smp::stagger::Stagger;
use heddle::tt::Counts;

/// What time is measured in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Seconds of this machine.
    Wall,
    /// Thousands of nodes of one worker, where all workers keep pace, whatever the machine has to
    /// run them on.
    Virtual,
}

impl Clock {
    /// The unit of time, as tables have it.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Wall => "s",
            Self::Virtual => "thousands of nodes of one worker",
        }
    }

    /// Nodes in a unit of virtual time.
    pub const KILO: f64 = 1000.0;

    /// What is said of figures in this time.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Wall => "measured",
            Self::Virtual => "simulated",
        }
    }
}

/// How many workers search, and how they work together.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Workers.
    pub threads: usize,
    /// The depths that helpers leave out; without helpers it means nothing.
    pub stagger: Stagger,
    /// Whose correction history they use.
    pub correction: Sharing,
}

impl Setting {
    /// What it has in common with the other settings of the same policy.
    #[must_use]
    pub const fn policy(self) -> Policy {
        Policy { stagger: self.stagger.name(), correction: self.correction.name() }
    }
}

/// How workers work together, by name.
#[derive(Copy, Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Policy {
    /// The stagger policy.
    pub stagger: &'static str,
    /// Whose correction history they use.
    pub correction: &'static str,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.stagger, self.correction)
    }
}

/// One search that is to be measured. It begins with an empty table.
#[derive(Copy, Clone, Debug)]
pub struct Run<'a> {
    /// The root.
    pub position: &'a Position,
    /// Who searches it.
    pub setting: Setting,
    /// The depth that the main worker has to finish, in plies; the helpers run until it has.
    pub depth: Depth,
}

/// What one search took.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time until the depth was finished, in the clock's unit.
    pub time: f64,
    /// Nodes, over all workers.
    pub nodes: u64,
    /// Depth of the move that the vote chose, in plies.
    pub depth: Depth,
    /// That move, in standard algebraic notation.
    pub best_move: String,
    /// Per mille of the table filled by the search.
    pub hashfull: u32,
    /// What was done at the table, if it was counted.
    pub census: Option<Counts>,
}

/// What searches and measures.
pub trait Instrument {
    /// What it measures time in.
    fn clock(&self) -> Clock;

    /// Searches and measures; `None` if it was told to give up.
    ///
    /// # Errors
    /// [`EngineError`], when the setting cannot be had.
    fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError>;
}

/// All runs of a measurement.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The positions.
    pub suite: Vec<Named>,
    /// The settings; the first is the one that the others are compared with.
    pub settings: Vec<Setting>,
    /// Depth of every search, in plies.
    pub depth: Depth,
    /// How often every position is searched in every setting.
    pub repeats: usize,
}

/// The place of a run in its plan.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The repeat, from 0.
    pub repeat: usize,
    /// Index of the position.
    pub position: usize,
    /// Index of the setting.
    pub setting: usize,
}

/// A run that has been measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which run.
    pub place: Place,
    /// What it took.
    pub sample: Sample,
}

/// One thread, and each other number of `threads` with each policy: each way to stagger with each
/// correction history. For one thread the policy makes no difference.
#[must_use]
pub fn settings(threads: &[usize], staggers: &[Stagger], corrections: &[Sharing]) -> Vec<Setting> {
    let mut threads: Vec<usize> = threads.iter().copied().filter(|&n| n > 1).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut settings: Vec<Setting> = Vec::new();
    for &stagger in staggers {
        for &correction in corrections {
            let alone = Setting { threads: 1, stagger, correction };
            if !settings.contains(&alone) {
                settings.push(alone);
            }
        }
    }
    let policies = settings.clone();
    settings.truncate(1);
    for threads in threads {
        settings.extend(policies.iter().map(|&policy| Setting { threads, ..policy }));
    }
    settings
}

impl Plan {
    /// Searches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.repeats * self.suite.len() * self.settings.len()
    }

    /// There is nothing to search.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every run, in order. All settings of a position come one after the other, so that a machine
    /// that slows down does so for all of them, and in every second repeat backwards, so that none
    /// is always the first.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let settings = self.settings.len();
        (0..self.repeats).flat_map(move |repeat| {
            (0..self.suite.len()).flat_map(move |position| {
                let mut order: Vec<usize> = (0..settings).collect();
                if repeat % 2 == 1 {
                    order.sort_by_key(|&setting| Reverse(setting));
                }
                order.into_iter().map(move |setting| Place { repeat, position, setting })
            })
        })
    }

    /// Measures run by run until all are done or the instrument gives up; `before` is told of each.
    ///
    /// # Errors
    /// [`EngineError`], when a setting cannot be had.
    pub fn measure(
        &self,
        instrument: &mut dyn Instrument,
        mut before: impl FnMut(Place),
    ) -> Result<Vec<Measured>, EngineError> {
        let mut measured = Vec::new();
        for place in self.places() {
            before(place);
            let run = Run {
                position: &self.suite[place.position].position,
                setting: self.settings[place.setting],
                depth: self.depth,
            };
            let Some(sample) = instrument.take(&run)? else { break };
            measured.push(Measured { place, sample });
        }
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    #[test]
    fn one_thread_is_measured_once_and_always() {
        let policies = [Stagger::Alternate, Stagger::Skip, Stagger::Alternate];
        let found: Vec<_> = settings(&[4, 2, 4], &policies, &[Sharing::Private])
            .into_iter()
            .map(|setting| (setting.threads, setting.stagger.name()))
            .collect();
        let expected =
            [(1, "alternate"), (2, "alternate"), (2, "skip"), (4, "alternate"), (4, "skip")];
        assert_eq!(found, expected);
        let found: Vec<_> = settings(&[1, 2], &policies, &Sharing::ALL)
            .into_iter()
            .map(|setting| setting.policy().to_string())
            .collect();
        let expected = ["alternate/private", "alternate/shared", "skip/private", "skip/shared"];
        assert_eq!((&found[0][..], &found[1..]), (expected[0], &expected.map(str::to_owned)[..]));
    }

    fn plan() -> Plan {
        let suite = Suite::BratkoKopec.load().unwrap();
        let settings = settings(&[1, 2], &[Stagger::None], &[Sharing::Private]);
        Plan { suite, settings, depth: 1, repeats: 2 }
    }

    #[test]
    fn settings_are_interleaved_and_repeats_are_outermost() {
        let plan = plan();
        let places: Vec<_> =
            plan.places().map(|place| (place.repeat, place.position, place.setting)).collect();
        assert_eq!(places.len(), plan.len());
        assert_eq!(places[..4], [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]);
        assert_eq!(places[48..52], [(1, 0, 1), (1, 0, 0), (1, 1, 1), (1, 1, 0)]);
    }

    /// Gives up after so many searches.
    struct Tired(usize);

    impl Instrument for Tired {
        fn clock(&self) -> Clock {
            Clock::Virtual
        }
        fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError> {
            let Some(left) = self.0.checked_sub(1) else { return Ok(None) };
            self.0 = left;
            let best_move = run.position.san(run.position.legal_moves()[0]);
            Ok(Some(Sample {
                time: 1.0,
                nodes: 1,
                depth: run.depth,
                best_move,
                hashfull: 0,
                census: None,
            }))
        }
    }

    #[test]
    fn what_was_measured_before_an_interrupt_is_kept() {
        let plan = plan();
        let mut told = 0;
        let measured = plan.measure(&mut Tired(5), |_| told += 1).unwrap();
        assert_eq!((measured.len(), told), (5, 6));
        assert!(measured.iter().map(|m| m.place).eq(plan.places().take(5)));
    }
}
