//! Runs the methods and compares their work.

use std::panic::resume_unwind;
use std::time::Instant;

use serde::Serialize;

use crate::methods::{BASELINE, Method};
use heddle::machine::processors;
use heddle::score::{Depth, Score};
use heddle::sync::{Arc, AtomicU64, Ordering, thread};
use heddle_progress::ProgressBar;
use heddle_reference::Game;
use heddle_reference::search::Counts;

/// The results of one method and their cost, over all positions.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The method.
    pub algorithm: &'static str,
    /// Whether the method must return the minimax value.
    pub keeps_the_value: bool,
    /// The value of each position, in centipawns on the scale of [`Score`].
    pub values: Vec<i32>,
    /// How many of them equal the baseline's value.
    pub agreeing: usize,
    /// Positions visited.
    pub nodes: u64,
    /// Positions at the horizon and finished games.
    pub leaves: u64,
    /// Static evaluations.
    pub evaluations: u64,
    /// Searches of the root.
    pub searches: u64,
    /// Iterations of deepening; more searches than that repeat some with another window.
    pub iterations: u64,
    /// Children searched again with another window.
    pub researches: u64,
    /// Nodes visited with a minimal window.
    pub null_windows: u64,
    /// Nodes at which the table was asked for a cutoff.
    pub probes: u64,
    /// Probes that found the position searched deep enough.
    pub hits: u64,
    /// Probes whose entry settled the search.
    pub cutoffs: u64,
    /// Positions visited, for each position of the suite.
    pub nodes_by_position: Vec<u64>,
    /// Milliseconds, summed over the positions.
    pub milliseconds: f64,
    /// Leaves relative to the Knuth-Moore minimum, where that is defined.
    pub leaves_to_minimum: Option<f64>,
    /// Nodes relative to the baseline.
    pub nodes_to_baseline: f64,
    /// The principal variations, as far as they are proven.
    pub pvs: Vec<Vec<String>>,
}

/// What to run.
pub struct Plan<G: Game> {
    /// The rows.
    pub methods: Vec<Method>,
    /// The positions.
    pub games: Vec<G>,
    /// Depth in plies.
    pub depth: Depth,
    /// Deepen ply by ply.
    pub deepens: bool,
    /// Writes a move.
    pub name: fn(&G, G::Move) -> String,
}

/// The result of one method in one position.
struct Solution {
    value: Score,
    counts: Counts,
    iterations: u64,
    milliseconds: f64,
    pv: Vec<String>,
}

/// Runs every method on every position, several at a time. [`compare`] completes the rows.
pub fn rows<G>(plan: Plan<G>, bar: &ProgressBar) -> Vec<Row>
where
    G: Game + Send + Sync + 'static,
    G::Move: 'static,
{
    let plan = Arc::new(plan);
    let next = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..processors())
        .map(|_| {
            let (plan, next, bar) = (plan.clone(), next.clone(), bar.clone());
            thread::spawn(move || plan.work(&next, &bar))
        })
        .collect();
    let mut solutions: Vec<(usize, Solution)> = workers
        .into_iter()
        .flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
        .collect();
    solutions.sort_by_key(|&(job, _)| job);
    let mut rows: Vec<Row> = plan.methods.iter().map(Row::new).collect();
    for (job, solution) in solutions {
        rows[job / plan.games.len()].add(solution);
    }
    rows
}

impl<G: Game> Plan<G> {
    /// Runs jobs until none is left.
    fn work(&self, next: &AtomicU64, bar: &ProgressBar) -> Vec<(usize, Solution)> {
        let mut solutions = Vec::new();
        loop {
            // Relaxed is enough: the addition itself gives each thread its own number, and the join
            // publishes the solutions.
            let job = next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some(method) = self.methods.get(job / self.games.len()) else {
                return solutions;
            };
            bar.set_message(method.name);
            solutions.push((job, self.solve(method, &self.games[job % self.games.len()])));
            bar.inc(1);
        }
    }

    fn solve(&self, method: &Method, game: &G) -> Solution {
        let start = Instant::now();
        let (found, counts) = method.solve(game, self.depth, self.deepens);
        let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
        let mut at = game.clone();
        let write = |m| {
            let written = (self.name)(&at, m);
            at = at.play(m);
            written
        };
        let pv = found.line.moves().map(write).collect();
        let iterations = method.iterations(self.depth, self.deepens);
        Solution { value: found.value, counts, iterations, milliseconds, pv }
    }
}

impl Row {
    fn new(method: &Method) -> Self {
        Self {
            algorithm: method.name,
            keeps_the_value: method.keeps_the_value(),
            values: Vec::new(),
            agreeing: 0,
            nodes: 0,
            leaves: 0,
            evaluations: 0,
            searches: 0,
            iterations: 0,
            researches: 0,
            null_windows: 0,
            probes: 0,
            hits: 0,
            cutoffs: 0,
            nodes_by_position: Vec::new(),
            milliseconds: 0.0,
            leaves_to_minimum: None,
            nodes_to_baseline: 1.0,
            pvs: Vec::new(),
        }
    }

    fn add(&mut self, solution: Solution) {
        self.values.push(solution.value.get());
        let counts = solution.counts;
        self.nodes += counts.nodes;
        self.nodes_by_position.push(counts.nodes);
        self.leaves += counts.leaves;
        self.evaluations += counts.evaluations;
        self.searches += counts.searches;
        self.iterations += solution.iterations;
        self.researches += counts.researches;
        self.null_windows += counts.null_windows;
        self.probes += counts.probes;
        self.hits += counts.hits;
        self.cutoffs += counts.cutoffs;
        self.milliseconds += solution.milliseconds;
        self.pvs.push(solution.pv);
    }

    /// The average number of moves of the PV.
    pub fn pv_length(&self) -> f64 {
        let moves: usize = self.pvs.iter().map(Vec::len).sum();
        moves as f64 / self.pvs.len() as f64
    }

    /// The value of the first position.
    pub fn value(&self) -> Score {
        Score::new(self.values[0])
    }
}

/// The leaves that alpha-beta must visit in a tree of `width` moves and `depth` plies even in
/// perfect order, `W^ceil(D/2) + W^floor(D/2) - 1` (D. E. Knuth and R. W. Moore, 1975); `None` if
/// the number is too large.
pub fn knuth_moore(width: u8, depth: Depth) -> Option<u64> {
    let depth = u32::try_from(depth).ok()?;
    let power = |exponent| u64::from(width).checked_pow(exponent);
    Some(power(depth.div_ceil(2))? + power(depth / 2)? - 1)
}

/// Compares every row with the baseline and, if it is known, with the minimum number of leaves.
pub fn compare(rows: &mut [Row], minimum: Option<u64>) {
    let Some(baseline) = rows.iter().find(|row| row.algorithm == BASELINE).cloned() else {
        return;
    };
    for row in rows {
        row.agreeing = row.values.iter().zip(&baseline.values).filter(|(a, b)| a == b).count();
        row.nodes_to_baseline = row.nodes as f64 / baseline.nodes as f64;
        row.leaves_to_minimum = minimum.map(|minimum| row.leaves as f64 / minimum as f64);
    }
}
