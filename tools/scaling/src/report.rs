//! The results of a measurement as data.

use std::io::{self, Write};

use heddle::names::Named;
use serde::Serialize;

use crate::advice::advice;
use crate::configuration::Policy;
use crate::forecast::{Forecast, forecasts};
use crate::machine::Machine;
use crate::measure::{Goal, Measured, Plan, TimeUnit};
use crate::origin::Origin;
use crate::serial;
use crate::summary::{Hits, Row, curves, rows, speed_is_measured};
use heddle::score::Depth;

/// With fewer positions the intervals are too narrow to trust.
const FEW_POSITIONS: usize = 10;
/// With a greater load before the first search, the machine is busy with something else.
const IDLE_LOAD: f64 = 0.5;

/// The conditions of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// The suite's name or file.
    pub suite: String,
    /// The evaluation of Heddle; other engines have their own.
    pub evaluation: Option<String>,
    /// Size of the table in MiB.
    pub hash: usize,
    /// The unit of time.
    pub time_unit: TimeUnit,
    /// The program and how it was built.
    pub build: String,
    /// The commit, the command and the date.
    pub origin: Origin,
    /// The machine.
    pub machine: Machine,
    /// Processors that others used on average during the measurement, if the system tells.
    pub others: Option<f64>,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchRecord {
    /// The repeat, from 1.
    pub repeat: usize,
    /// Name of the position.
    pub position: String,
    /// Number of workers.
    pub threads: usize,
    /// Name of the stagger policy.
    pub stagger: String,
    /// Which histories the workers share.
    pub sharing: String,
    /// The depth to complete, in plies.
    pub goal: Depth,
    /// Time to depth, in the unit of the conditions.
    pub time: f64,
    /// Nodes, summed over all workers.
    pub nodes: u64,
    /// Depth of the move chosen, in plies.
    pub depth: Depth,
    /// That move, in standard algebraic notation.
    pub best_move: String,
    /// Per mille of the table filled.
    pub hashfull: u32,
    /// Probes of the table, if they were counted.
    pub probes: Option<u64>,
    /// Probes that found an entry, in per cent.
    pub hits: Option<f64>,
    /// Probes that found another worker's entry, in per cent.
    pub foreign: Option<f64>,
}

/// How much of a plan was carried out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extent {
    /// Positions of the suite.
    pub positions: usize,
    /// How deep they were searched.
    pub goal: Goal,
    /// The least and the greatest depth to complete, in plies; `None` without searches.
    pub depths: Option<(Depth, Depth)>,
    /// Searches of every position in every configuration.
    pub repeats: usize,
    /// Searches planned.
    pub planned: usize,
    /// Searches made.
    pub runs: usize,
    /// Whether something planned was not done.
    pub partial: bool,
}

impl Extent {
    /// What `measured` has of a plan that is carried out once for each of `engines` engines.
    pub fn of<'a>(
        plan: &Plan,
        engines: usize,
        measured: &(impl Iterator<Item = &'a Measured> + Clone),
    ) -> Self {
        let depths = || measured.clone().map(|m| m.depth);
        let (planned, runs) = (plan.len() * engines, measured.clone().count());
        Self {
            positions: plan.suite.len(),
            goal: plan.goal,
            depths: depths().min().zip(depths().max()),
            repeats: plan.repeats,
            planned,
            runs,
            partial: runs < planned,
        }
    }
}

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The conditions.
    pub conditions: Conditions,
    /// How much was done.
    #[serde(flatten)]
    pub extent: Extent,
    /// Caveats a reader must know before trusting the figures.
    pub notes: Vec<String>,
    /// What to make of the figures.
    pub advice: Vec<String>,
    /// One row per configuration.
    pub rows: Vec<Row>,
    /// Predicted nodes per second for more threads, one forecast per policy.
    pub forecasts: Vec<Forecast>,
    /// The searches, in the order they were made.
    pub samples: Vec<SearchRecord>,
}

impl Report {
    /// The report on the searches of a plan, complete or not.
    pub fn new(conditions: Conditions, plan: &Plan, measured: &[Measured]) -> Self {
        let curves = curves(plan, measured, conditions.seed);
        let rows = rows(plan, measured, &curves);
        let forecasts = if speed_is_measured(conditions.time_unit) {
            forecasts(plan, &curves, conditions.machine.available)
        } else {
            Vec::new()
        };
        let extent = Extent::of(plan, 1, &measured.iter());
        let mut report = Self {
            conditions,
            extent,
            notes: Vec::new(),
            advice: Vec::new(),
            rows,
            forecasts,
            samples: measured.iter().map(|m| record(plan, m)).collect(),
        };
        report.notes = report.doubts();
        report.advice = report.advice();
        report
    }

    /// The policies that were compared, in the order of the rows.
    pub fn policies(&self) -> Vec<Policy> {
        let mut policies = Vec::new();
        for row in self.rows.iter().filter(|row| row.threads > 1) {
            if let Some(policy) = row.policy.filter(|policy| !policies.contains(policy)) {
                policies.push(policy);
            }
        }
        policies
    }

    /// Advice on real threads, if there is one policy to give it on.
    fn advice(&self) -> Vec<String> {
        let Conditions { machine, others, time_unit, .. } = &self.conditions;
        if !speed_is_measured(*time_unit) || self.policies().len() > 1 {
            return Vec::new();
        }
        advice(machine, *others, [("Heddle", &self.rows[..])])
    }

    /// Reasons to doubt the figures.
    fn doubts(&self) -> Vec<String> {
        let machine = &self.conditions.machine;
        let is_wall = self.conditions.time_unit == TimeUnit::Wall;
        let mut notes = Vec::new();
        if self.extent.partial {
            notes.push(format!(
                "PARTIAL: interrupted after {} of {} searches; positions without a counterpart \
                 on one thread are left out.",
                self.extent.runs, self.extent.planned
            ));
        }
        notes.extend(machine.load.filter(|_| is_wall).and_then(busy));
        if !is_wall {
            notes.push(
                "Simulated in lockstep: the workers take turns of equal numbers of nodes, and what \
                 memory, caches and contention cost is left out."
                    .into(),
            );
        }
        if is_wall && cfg!(debug_assertions) {
            notes.push(
                "The program was built with assertions: it is slower than a release build.".into(),
            );
        }
        let most = self.rows.iter().map(|row| row.threads).max().unwrap_or(1);
        if is_wall && most > machine.available {
            notes.push(format!(
                "Rows with more threads than the {} processors are not fitted: they say nothing about scaling.",
                machine.available
            ));
        }
        notes.extend(few(&self.rows));
        notes
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn json(&self, output: impl Write) -> io::Result<()> {
        serial::json(self, output)
    }

    /// The searches as comma-separated values, with a header.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn csv(&self, output: impl Write) -> io::Result<()> {
        serial::csv(&self.samples, output)
    }
}

/// The caveat that the rows rest on few positions, if they do.
pub fn few(rows: &[Row]) -> Option<String> {
    rows.iter()
        .any(|row| row.positions < FEW_POSITIONS)
        .then(|| format!("With fewer than {FEW_POSITIONS} positions the intervals are too narrow."))
}

/// The caveat that a machine of this load was busy, if it was.
pub fn busy(load: f64) -> Option<String> {
    (load > IDLE_LOAD).then(|| {
        format!(
            "The machine was busy before the first search (load {load:.2}): the figures are no \
             evidence of how the engine scales."
        )
    })
}

fn record(plan: &Plan, measured: &Measured) -> SearchRecord {
    let &Measured { place, depth: goal, ref sample } = measured;
    let configuration = plan.configurations[place.configuration];
    let hits = sample.census.map(|counts| Hits::of(&[counts]));
    SearchRecord {
        repeat: place.repeat + 1,
        position: plan.suite[place.position].name.clone(),
        threads: configuration.threads,
        stagger: configuration.stagger.name().to_owned(),
        sharing: configuration.sharing.name().to_owned(),
        goal,
        time: sample.time,
        nodes: sample.nodes,
        depth: sample.depth,
        best_move: sample.best_move.clone(),
        hashfull: sample.hashfull,
        probes: sample.census.map(|counts| counts.probes),
        hits: hits.map(|hits| hits.all),
        foreign: hits.map(|hits| hits.foreign),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::configuration::configurations;
    use crate::measure::{Place, Sample};
    use heddle::position::Position;
    use heddle::smp::recorder::Misses;
    use heddle::smp::teamwork::{Sharing, Stagger};
    use heddle::text::suite::Named;
    use heddle::tt::Counts;

    /// A report of the first `runs` searches of 3 positions on 1, 2 and 4 threads with two
    /// policies; a position's name is one that has to be escaped.
    pub fn report(runs: usize) -> Report {
        let named = |i| Named { name: format!("<{i}>, \"q\""), position: Position::default() };
        let configurations =
            configurations(&[1, 2, 4], &[Stagger::Alternate, Stagger::Skip], &[Sharing::Private]);
        let plan = Plan {
            suite: (1..=3).map(named).collect(),
            configurations,
            goal: Goal::Depth(5),
            repeats: 2,
        };
        let measure = |place: Place| {
            let threads = plan.configurations[place.configuration].threads as f64;
            let time = (1.0 + place.position as f64) / threads.sqrt();
            let nodes = (time * threads * 1000.0) as u64;
            let (best_move, hashfull) = ("e4".to_owned(), 7);
            let census = Some(Counts { probes: 80, hits: 20, foreign: 3, ..Counts::default() });
            let misses = Some(Misses::default());
            let sample = Sample { time, nodes, depth: 5, best_move, hashfull, census, misses };
            Measured { place, depth: 5, sample }
        };
        let measured: Vec<_> = plan.places().take(runs).map(measure).collect();
        let machine = Machine { load: Some(0.0), available: 8, ..Machine::here() };
        let conditions = Conditions {
            suite: "three & more".into(),
            evaluation: Some("classical".into()),
            hash: 1,
            time_unit: TimeUnit::Wall,
            build: "a build".into(),
            origin: Origin {
                commit: "0123abc".into(),
                command: "heddle scaling --epd 'three & more'".into(),
                date: "2026-01-02 03:04 UTC".into(),
            },
            machine,
            others: None,
            seed: 1,
        };
        Report::new(conditions, &plan, &measured)
    }

    pub const ALL_RUNS: usize = 30;

    #[test]
    fn an_interrupted_measurement_is_reported_as_such() {
        let whole = report(ALL_RUNS);
        assert!(!whole.extent.partial && whole.rows.len() == 5 && whole.forecasts.len() == 2);
        assert!(!whole.notes.iter().any(|note| note.starts_with("PARTIAL")));
        for runs in [0, 1, 2, 7, 16, ALL_RUNS - 1] {
            let report = report(runs);
            assert!(report.extent.partial && report.notes[0].starts_with("PARTIAL"), "{runs}");
            assert_eq!((report.extent.runs, report.samples.len()), (runs, runs));
            let mut json = Vec::new();
            report.json(&mut json).unwrap();
            let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(json["partial"], true);
            assert!(report.csv(io::sink()).is_ok());
        }
    }

    #[test]
    fn the_searches_are_written_as_csv() {
        let mut text = Vec::new();
        report(2).csv(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "repeat,position,threads,stagger,sharing,goal,time,nodes,depth,best_move,hashfull,\
                 probes,hits,foreign",
                "1,\"<1>, \"\"q\"\"\",1,alternate,private,5,1.0,1000,5,e4,7,80,25.0,3.75"
            ]
        );
    }
}
