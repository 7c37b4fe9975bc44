//! The training itself: batches, steps, reports, checkpoints.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::eval::nnue::network::Network;
use indicatif::{ProgressBar, ProgressStyle};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::adam::Adam;
use crate::aim::{Aim, SCALE};
use crate::checkpoint::{self, Checkpoint, CheckpointError};
use crate::curve::{self, Point};
use crate::loader::{self, LoadError, Source};
use crate::model::Model;
use crate::params::Params;
use crate::quantise::{QuantiseError, quantise, restored, rounded};
use crate::sample::Sample;
use crate::schedule::{Schedule, Shape};

/// Positions of held-out games that the loss is measured on, at most.
const HELD_OUT: usize = 200_000;
/// Reports in a training.
const REPORTS: u64 = 40;
/// The stream of random numbers that the first weights come from; the data's order has its own.
const WEIGHTS_STREAM: u128 = 1 << 64;

/// What is trained, and how: everything that the result depends on.
#[derive(clap::Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Files of games in viriformat
    #[arg(required_unless_present = "resume", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Games that are not learnt from, to measure the loss on
    #[arg(long, value_name = "FILE")]
    pub held_out: Vec<PathBuf>,
    /// Positions to learn from in all, each as often as it comes up
    #[arg(long, default_value_t = 100_000_000)]
    pub positions: u64,
    /// Positions a step
    #[arg(long, default_value_t = 4096)]
    pub batch: usize,
    /// Positions shuffled at a time (136 bytes each)
    #[arg(long, default_value_t = 16_000_000)]
    pub buffer: usize,
    /// How the learning rate falls
    #[arg(long, value_enum, default_value_t = Shape::Cosine)]
    pub schedule: Shape,
    /// The first learning rate
    #[arg(long, default_value_t = 1e-3)]
    pub rate: f32,
    /// The last learning rate
    #[arg(long, default_value_t = 1e-5)]
    pub last_rate: f32,
    /// Weight of the game's result in what is learnt; the rest is the search's score
    #[arg(long, default_value_t = 0.0)]
    pub lambda: f32,
    /// Weight of the classical evaluation in what is learnt
    #[arg(long, default_value_t = 0.0)]
    pub anchor: f32,
    /// Weight of the searches of later plies, each this much of the one before, beside that of the
    /// position itself
    #[arg(long, default_value_t = 0.7)]
    pub trace: f32,
    /// Seed of the first weights and of the order of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Begin with the weights of this network: a file, or `default` for the engine's own
    #[arg(long, value_name = "NETWORK")]
    pub from: Option<String>,
}

/// Why a training has ended early.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The data.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file of the training's own.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The network to begin with cannot be had.
    #[error(transparent)]
    EvalFile(#[from] EvalFileError),
    /// The network cannot be written.
    #[error(transparent)]
    Quantise(#[from] QuantiseError),
    /// The plan cannot be carried out.
    #[error("{0}")]
    Plan(&'static str),
    /// The loss curve cannot be drawn.
    #[error("cannot draw the curve: {0}")]
    Curve(String),
}

/// Where the results go.
#[derive(clap::Args, Clone, Debug)]
pub struct Outputs {
    /// The network
    #[arg(long, short, default_value = "heddle.nnue", value_name = "FILE")]
    pub output: PathBuf,
    /// The loss curve as SVG
    #[arg(long, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    /// Keep the state of the training here, to resume from
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Stop after so many steps, though the plan goes on, as if interrupted
    #[arg(long, hide = true)]
    pub stop_after: Option<u64>,
}

/// A training as it is asked for.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What is trained, unless a training is resumed.
    #[command(flatten)]
    pub plan: Plan,
    /// Where the results go.
    #[command(flatten)]
    pub outputs: Outputs,
    /// Go on with the training kept in this file; the plan is the one it was begun with
    #[arg(long, value_name = "FILE", conflicts_with = "Plan")]
    pub resume: Option<PathBuf>,
}

impl Plan {
    fn steps(&self) -> u64 {
        (self.positions / self.batch.max(1) as u64).max(1)
    }

    fn aim(&self) -> Aim {
        Aim { lambda: self.lambda, anchor: self.anchor, trace: self.trace }
    }

    fn check(&self) -> Result<(), TrainError> {
        let rates = 0.0 < self.last_rate && self.last_rate <= self.rate && self.rate < 1.0;
        match () {
            () if self.batch == 0 => Err(TrainError::Plan("a batch has at least one position")),
            () if self.buffer < self.batch => {
                Err(TrainError::Plan("the buffer holds at least one batch"))
            }
            () if !rates => Err(TrainError::Plan("rates are such that 0 < last <= first < 1")),
            () if !self.aim().is_valid() => Err(TrainError::Plan(
                "lambda, anchor and trace are from 0 to 1, and so is the sum of the first two",
            )),
            () => Ok(()),
        }
    }
}

/// Trains what `args` ask for.
///
/// # Errors
/// [`TrainError`].
pub fn run(args: &Args) -> Result<Network, TrainError> {
    match &args.resume {
        Some(path) => resume(path, &args.outputs),
        None => begin(&args.plan, &args.outputs),
    }
}

/// Trains by `plan` from the beginning.
///
/// # Errors
/// [`TrainError`].
pub fn begin(plan: &Plan, outputs: &Outputs) -> Result<Network, TrainError> {
    let params = match &plan.from {
        Some(name) => weights_of(name)?,
        None => Params::random(&mut Pcg64::new(u128::from(plan.seed), WEIGHTS_STREAM)),
    };
    go_on(plan, Model::new(params, Adam::default()), outputs)
}

/// The weights of the network of that name.
fn weights_of(name: &str) -> Result<Params, TrainError> {
    let network = EvalFile::from(name).load()?;
    let network = network.ok_or(TrainError::Plan("the hand-written evaluation has no weights"))?;
    if network.scale == SCALE as i32 {
        Ok(restored(&network))
    } else {
        Err(TrainError::Plan("the network to begin with has another scale"))
    }
}

/// Goes on with a training.
///
/// # Errors
/// [`TrainError`].
pub fn resume(path: &Path, outputs: &Outputs) -> Result<Network, TrainError> {
    let Checkpoint { plan, params, adam } = Checkpoint::load(path)?;
    go_on(&plan, Model::new(params, adam), outputs)
}

fn go_on(plan: &Plan, mut model: Model, outputs: &Outputs) -> Result<Network, TrainError> {
    plan.check()?;
    let steps = plan.steps();
    let schedule = Schedule { shape: plan.schedule, first: plan.rate, last: plan.last_rate, steps };
    let held_out = loader::read(&plan.held_out, HELD_OUT, plan.aim())?;
    let source = Source {
        files: plan.files.clone(),
        batch: plan.batch,
        buffer: plan.buffer,
        aim: plan.aim(),
        seed: plan.seed,
    };
    let first = model.adam.steps;
    let last = outputs.stop_after.map_or(steps, |stop| (first + stop).min(steps));
    let batches = source.batches(first);
    let mut journal = Journal::new(plan, first, last);
    for step in first..last {
        let batch = batches.recv().map_err(|_| TrainError::Plan("the reader has died"))??;
        let loss = model.learn(&batch, schedule.rate(step));
        journal.note(step + 1, loss);
        if journal.is_due(step + 1) {
            let held_out = (!held_out.is_empty()).then(|| mean_loss(&mut model, &held_out));
            journal.report(step + 1, held_out);
            if let Some(path) = &outputs.checkpoint {
                Checkpoint::save(path, plan, &model.params, &model.adam)?;
            }
        }
    }
    journal.bar.finish_and_clear();
    let network = quantise(&model.params, SCALE as i32)?;
    if !held_out.is_empty() {
        model.params = rounded(&model.params);
        println!("quantised: held out {:.6}", mean_loss(&mut model, &held_out));
    }
    checkpoint::replace(&outputs.output, &network.to_bytes())?;
    if let Some(path) = &outputs.curve {
        curve::draw(path, &journal.points).map_err(TrainError::Curve)?;
    }
    Ok(network)
}

/// The mean loss over many samples, in pieces of a batch's size.
fn mean_loss(model: &mut Model, samples: &[Sample]) -> f64 {
    const PIECE: usize = 16_384;
    let losses = samples.chunks(PIECE).map(|piece| model.loss(piece) * piece.len() as f64);
    losses.sum::<f64>() / samples.len() as f64
}

/// What a person sees of a training.
struct Journal {
    bar: ProgressBar,
    batch: u64,
    interval: u64,
    last: u64,
    begun: Instant,
    first: u64,
    losses: Vec<f64>,
    points: Vec<Point>,
}

impl Journal {
    fn new(plan: &Plan, first: u64, last: u64) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {percent}% {msg} ETA {eta}")
            .expect("the template is valid");
        let bar = ProgressBar::new(last).with_style(style).with_position(first);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        let interval = (plan.steps() / REPORTS).max(1);
        let batch = plan.batch as u64;
        let begun = Instant::now();
        Self { bar, batch, interval, last, begun, first, losses: vec![], points: vec![] }
    }

    fn note(&mut self, steps: u64, loss: f64) {
        self.losses.push(loss);
        self.bar.set_position(steps);
        self.bar.set_message(format!("{:.2} M positions/s", self.speed(steps) / 1e6));
    }

    fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.interval) || steps == self.last
    }

    /// Positions learnt from in a second.
    fn speed(&self, steps: u64) -> f64 {
        let positions = (steps - self.first) * self.batch;
        positions as f64 / self.begun.elapsed().as_secs_f64().max(f64::EPSILON)
    }

    fn report(&mut self, steps: u64, held_out: Option<f64>) {
        let training = self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64;
        self.losses.clear();
        let positions = (steps * self.batch) as f64 / 1e6;
        self.points.push(Point { positions, training, held_out });
        let held_out = held_out.map_or(String::new(), |loss| format!(", held out {loss:.6}"));
        let speed = self.speed(steps) / 1e6;
        let line = format!(
            "{positions:.1} M positions: loss {training:.6}{held_out}; {speed:.2} M positions/s"
        );
        if self.bar.is_hidden() { println!("{line}") } else { self.bar.println(line) }
    }
}
