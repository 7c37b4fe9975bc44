//! The results of several engines as data.

use serde::Serialize;

use crate::advice::advice;
use crate::measure::{Measured, Plan};
use crate::report::{Conditions, Extent, busy, few};
use crate::summary::{Row, curves, rows};
use heddle::score::Depth;

use super::lineup::Entrant;

/// What was measured of one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// Its command, as a shell takes it.
    pub command: String,
    /// Its UCI options with their values, besides those that the measurement sets.
    pub options: Vec<(String, String)>,
    /// Whether a fault ended its measurement.
    pub is_out: bool,
    /// Whatever kept it from being measured as planned.
    pub remarks: Vec<String>,
    /// One row for each number of threads.
    pub rows: Vec<Row>,
}

/// One search of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// The engine's name.
    pub engine: String,
    /// The repeat, from 1.
    pub repeat: usize,
    /// Name of the position.
    pub position: String,
    /// Number of threads.
    pub threads: usize,
    /// The depth to complete, in plies.
    pub goal: Depth,
    /// Time to depth, in seconds.
    pub time: f64,
    /// Nodes, summed over all threads.
    pub nodes: u64,
    /// The depth reported at that time, in plies.
    pub depth: Depth,
    /// The move chosen, in standard algebraic notation.
    pub best_move: String,
    /// Per mille of the table filled.
    pub hashfull: u32,
}

/// A measurement of several engines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The conditions.
    pub conditions: Conditions,
    /// How much was done.
    #[serde(flatten)]
    pub extent: Extent,
    /// Whether the user ended it.
    pub is_interrupted: bool,
    /// Caveats a reader must know before trusting the figures.
    pub notes: Vec<String>,
    /// What to make of the figures.
    pub advice: Vec<String>,
    /// The engines, in the order given.
    pub engines: Vec<Engine>,
    /// The searches, engine by engine in the order they were made.
    pub samples: Vec<Record>,
}

impl Comparison {
    /// The report on the searches of a plan by each of `entrants`.
    pub fn new(
        conditions: Conditions,
        plan: &Plan,
        entrants: &[Entrant],
        is_interrupted: bool,
    ) -> Self {
        let all = entrants.iter().flat_map(|entrant| &entrant.measured);
        let extent = Extent::of(plan, entrants.len(), &all);
        let samples = entrants.iter().flat_map(|entrant| {
            entrant.measured.iter().map(|measured| record(plan, entrant, measured))
        });
        let samples = samples.collect();
        let engines = entrants.iter().map(|entrant| engine(plan, entrant, conditions.seed));
        let engines: Vec<Engine> = engines.collect();
        let rows = engines.iter().map(|engine| (engine.name.as_str(), &engine.rows[..]));
        let advice = advice(&conditions.machine, conditions.others, rows);
        let notes = Vec::new();
        let mut comparison =
            Self { conditions, extent, is_interrupted, notes, advice, engines, samples };
        comparison.notes = comparison.doubts();
        comparison
    }

    /// Reasons to doubt the figures.
    fn doubts(&self) -> Vec<String> {
        let machine = &self.conditions.machine;
        let rows = || self.engines.iter().flat_map(|engine| &engine.rows);
        let mut notes = Vec::new();
        if self.is_interrupted {
            let Extent { runs, planned, .. } = self.extent;
            notes.push(format!("PARTIAL: interrupted after {runs} of {planned} searches."));
        }
        notes.extend(self.engines.iter().flat_map(|engine| engine.remarks.iter().cloned()));
        notes.extend(machine.load.and_then(busy));
        if rows().any(|row| row.threads > machine.available) {
            notes.push(format!(
                "Rows with more threads than the {} processors say nothing about scaling.",
                machine.available
            ));
        }
        notes.extend(few(&rows().cloned().collect::<Vec<_>>()));
        notes
    }
}

/// The rows of one engine.
fn engine(plan: &Plan, entrant: &Entrant, seed: u64) -> Engine {
    let measured = &entrant.measured;
    let rows = rows(plan, measured, &curves(plan, measured, seed));
    let spec = &entrant.spec;
    let words = std::iter::once(&spec.program).chain(&spec.args);
    Engine {
        name: entrant.name.clone(),
        command: shell_words::join(words),
        options: spec.options.clone(),
        is_out: entrant.is_out,
        remarks: entrant.remarks.clone(),
        // The policies are Heddle's own.
        rows: rows.into_iter().map(|row| Row { policy: None, ..row }).collect(),
    }
}

fn record(plan: &Plan, entrant: &Entrant, measured: &Measured) -> Record {
    let &Measured { place, depth: goal, ref sample } = measured;
    Record {
        engine: entrant.name.clone(),
        repeat: place.repeat + 1,
        position: plan.suite[place.position].name.clone(),
        threads: plan.configurations[place.configuration].threads,
        goal,
        time: sample.time,
        nodes: sample.nodes,
        depth: sample.depth,
        best_move: sample.best_move.clone(),
        hashfull: sample.hashfull,
    }
}
