//! What is trained, and how.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use heddle_figures::output::{Overlap, check_distinct};
use serde::{Deserialize, Serialize};

use heddle::eval::nnue::eval_file::EvalFileError;

use crate::aim::Aim;
use crate::committee::Committee;
use crate::logistic::SCALE;
use crate::params::{ALL_ROWS, FURTHER_ROWS, SHARED_ROWS};
use crate::schedule::{Schedule, Shape};

/// Groups of options in `--help`.
const DATA: &str = "Data";
const TARGET: &str = "Target";
const RATE: &str = "Learning rate";

/// The weights that learn.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Learn {
    /// All of them
    All,
    /// All but the rows of single king buckets, so that what many positions taught these is not
    /// lost to few
    Shared,
    /// The rows of further inputs alone: attacked pieces, pawns, mobility
    Further,
}

/// Everything that the result depends on.
#[derive(clap::Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Files of games in viriformat
    #[arg(required_unless_present = "resume", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Games to hold out from training, to measure the loss on
    #[arg(long, help_heading = DATA, value_name = "FILE")]
    pub held_out: Vec<PathBuf>,
    /// Total positions to train on, counting repetitions
    #[arg(long, help_heading = DATA, default_value_t = 100_000_000)]
    pub positions: u64,
    /// Positions per step
    #[arg(long, help_heading = DATA, default_value_t = 4096)]
    pub batch: usize,
    /// Positions shuffled at a time (36 bytes each)
    #[arg(long, help_heading = DATA, default_value_t = 16_000_000)]
    pub buffer: usize,
    /// How the learning rate decays
    #[arg(long, help_heading = RATE, value_enum, default_value_t = Shape::Cosine)]
    pub schedule: Shape,
    /// The initial learning rate
    #[arg(long, help_heading = RATE, default_value_t = 1e-3)]
    pub rate: f32,
    /// The final learning rate
    #[arg(long, help_heading = RATE, default_value_t = 5e-6)]
    pub last_rate: f32,
    /// Share of the steps, the last ones, over which the weights are averaged
    #[arg(long, help_heading = RATE, default_value_t = 0.0, value_name = "SHARE")]
    pub average: f32,
    /// Weight of the game's result in the target; the rest is the search's score
    #[arg(long, help_heading = TARGET, default_value_t = 0.0)]
    pub lambda: f32,
    /// Weight of the teachers' evaluation in the target
    #[arg(long, help_heading = TARGET, default_value_t = 0.0)]
    pub anchor: f32,
    /// An evaluation that teaches: a network file, `default` or `classical`; may be repeated, and
    /// the mean counts
    #[arg(long, help_heading = TARGET, value_name = "EVAL", default_value = "classical")]
    pub teacher: Vec<String>,
    /// Weight of the searches of later plies: each weighs this much of the one before, starting
    /// with that of the position itself
    #[arg(long, help_heading = TARGET, default_value_t = 0.7)]
    pub trace: f32,
    /// Centipawns that multiply the odds by e [default: fitted to the results of the games]
    #[arg(long, help_heading = TARGET, value_name = "CENTIPAWNS")]
    pub logistic: Option<f32>,
    /// Seed of the initial weights and of the order of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Start with the weights of this network: a file, or `default` for the engine's own
    #[arg(long, value_name = "NETWORK")]
    pub from: Option<String>,
    /// Which weights learn
    #[arg(long, value_enum, default_value_t = Learn::All, requires_ifs = [("shared", "from"), ("further", "from")])]
    pub learn: Learn,
}

/// Why a plan is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A batch is empty.
    #[error("a batch needs at least one position")]
    Batch,
    /// The buffer is too small.
    #[error("the buffer must hold at least one batch")]
    Buffer,
    /// The learning rates do not decay, or are out of bounds.
    #[error("the rates must satisfy 0 < last <= first < 1")]
    Rates,
    /// The averaged share is out of bounds.
    #[error("the averaged share of the steps must be from 0 to 1")]
    Average,
    /// The weights of the target are out of bounds.
    #[error(
        "lambda, anchor and trace must be from 0 to 1, and so must lambda + anchor; logistic must be positive"
    )]
    Aim,
    /// An output would overwrite an input file or another output.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// The network to start with is the classical evaluation.
    #[error("the classical evaluation has no weights")]
    Weightless,
    /// A network to start with or to average has another scale than the trainer gives.
    #[error("the network has another scale than the trainer gives")]
    Scale,
}

impl Plan {
    /// Total number of steps.
    #[must_use]
    pub fn steps(&self) -> u64 {
        (self.positions / self.batch.max(1) as u64).max(1)
    }

    /// The training target.
    ///
    /// # Errors
    /// [`EvalFileError`] if a teacher cannot be loaded.
    pub fn aim(&self) -> Result<Aim, EvalFileError> {
        let &Self { lambda, anchor, trace, .. } = self;
        let names: &[String] = if anchor > 0.0 { &self.teacher } else { &[] };
        let teachers = Committee::load(names.iter().map(String::as_str))?;
        Ok(Aim { lambda, anchor, teachers, trace, logistic: self.logistic.unwrap_or(SCALE) })
    }

    /// The rows that learn.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        match self.learn {
            Learn::All => ALL_ROWS,
            Learn::Shared => SHARED_ROWS,
            Learn::Further => FURTHER_ROWS,
        }
    }

    /// The learning rate of each step.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let steps = self.steps();
        Schedule { shape: self.schedule, first: self.rate, last: self.last_rate, steps }
    }

    /// The number of steps before those whose weights are averaged.
    #[must_use]
    pub fn steps_before_average(&self) -> u64 {
        let steps = self.steps();
        steps - (steps as f64 * f64::from(self.average)) as u64
    }

    /// Validates the plan, and checks that none of `outputs` would overwrite one of its files or
    /// another output.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn check<'a>(
        &self,
        aim: &Aim,
        outputs: impl Iterator<Item = &'a Path>,
    ) -> Result<(), PlanError> {
        if self.batch == 0 {
            return Err(PlanError::Batch);
        }
        if self.buffer < self.batch {
            return Err(PlanError::Buffer);
        }
        if !(0.0 < self.last_rate && self.last_rate <= self.rate && self.rate < 1.0) {
            return Err(PlanError::Rates);
        }
        if !(0.0..=1.0).contains(&self.average) {
            return Err(PlanError::Average);
        }
        if !aim.is_valid() {
            return Err(PlanError::Aim);
        }
        let inputs = self.files.iter().chain(&self.held_out).map(PathBuf::as_path);
        Ok(check_distinct(inputs, outputs)?)
    }
}
