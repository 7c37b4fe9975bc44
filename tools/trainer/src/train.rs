//! The training itself: batches, steps, reports, checkpoints.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::eval::nnue::network::Network;
use heddle::smp::stop::StopFlag;
use rand_pcg::Pcg64;

use crate::adam::Adam;
use crate::average::Average;
use crate::checkpoint::{self, Checkpoint, CheckpointError};
use crate::curve;
use crate::journal::Journal;
use crate::loader::{self, LoadError, Source};
use crate::logistic::{self, SCALE};
use crate::model::Model;
use crate::order::order;
use crate::output::{self, Destination, OutputError};
use crate::params::Params;
use crate::plan::{Plan, PlanError};
use crate::quantise::{QuantiseError, quantise, restored, rounded};
use crate::sample::Sample;

/// The most positions of held-out games on which the loss is measured.
const HELD_OUT: usize = 200_000;
/// The random stream for the initial weights; the order of the data has its own.
const WEIGHTS_STREAM: u128 = 1 << 64;
/// How often a training that waits for data checks whether it must stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Why a training ended early.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The games cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The checkpoint cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A result cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The network could not be written to its destination and was written elsewhere.
    #[error("{error}; the network is in {}", rescued.display())]
    Rescued {
        /// The original error.
        error: OutputError,
        /// Where the network was written.
        rescued: PathBuf,
    },
    /// The network to start with cannot be loaded.
    #[error(transparent)]
    EvalFile(#[from] EvalFileError),
    /// The network does not fit the engine's integers.
    #[error(transparent)]
    Quantise(#[from] QuantiseError),
    /// The plan is invalid.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The loss curve cannot be drawn.
    #[error("cannot draw the curve: {0}")]
    Curve(String),
    /// The training was told to stop.
    #[error("interrupted after {positions} positions; {}", match checkpoint {
        Some(path) => format!("--resume {} continues from there", path.display()),
        None => "nothing new was saved (see --checkpoint)".to_owned(),
    })]
    Interrupted {
        /// Positions trained on.
        positions: u64,
        /// Where the training was saved.
        checkpoint: Option<PathBuf>,
    },
}

/// Group of options in `--help`.
const OUTPUT: &str = "Output";

/// The output files.
#[derive(clap::Args, Clone, Debug)]
pub struct Outputs {
    /// Write the network here
    #[arg(long, short, help_heading = OUTPUT, default_value = "heddle.nnue", value_name = "FILE")]
    pub output: PathBuf,
    /// Write the loss curve here, as SVG
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    /// Save the state of the training here, to resume from
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Stop after this many steps, as if interrupted; the plan stays the same
    #[arg(long, hide = true)]
    pub stop_after: Option<u64>,
}

/// How a training is observed and stopped from outside.
#[derive(Copy, Clone)]
pub struct Control<'a> {
    /// Raised to stop it.
    pub stop: &'a StopFlag,
    /// Receives the progress lines.
    pub say: &'a dyn Fn(&str),
}

/// The arguments of a training.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to train, unless a training is resumed.
    #[command(flatten)]
    pub plan: Plan,
    /// The output files.
    #[command(flatten)]
    pub outputs: Outputs,
    /// Resume the training saved in this file; its plan stays the same
    #[arg(long, value_name = "FILE", conflicts_with = "Plan")]
    pub resume: Option<PathBuf>,
}

/// Trains as `args` say.
///
/// # Errors
/// [`TrainError`].
pub fn run(args: &Args, control: Control) -> Result<Network, TrainError> {
    match &args.resume {
        Some(path) => resume(path, &args.outputs, control),
        None => begin(&args.plan, &args.outputs, control),
    }
}

/// Trains from the beginning according to `plan`.
///
/// # Errors
/// [`TrainError`].
pub fn begin(plan: &Plan, outputs: &Outputs, control: Control) -> Result<Network, TrainError> {
    let params = match &plan.from {
        Some(name) => weights_of(name)?,
        None => Params::random(&mut Pcg64::new(u128::from(plan.seed), WEIGHTS_STREAM)),
    };
    let mut plan = plan.clone();
    if plan.logistic.is_none() {
        plan.logistic = Some(logistic::fit(&plan.files).map_err(LoadError::from)?);
    }
    let average = Average::new(Params::zero(), plan.steps_before_average());
    train(&plan, Model::new(params, Adam::default()), average, outputs, control)
}

/// The weights of the named network.
pub(crate) fn weights_of(name: &str) -> Result<Params, TrainError> {
    let network = EvalFile::from(name).load()?.ok_or(PlanError::Weightless)?;
    if network.scale == SCALE as i32 {
        Ok(restored(&network))
    } else {
        Err(PlanError::Scale.into())
    }
}

/// Resumes the training saved in the checkpoint at `path`.
///
/// # Errors
/// [`TrainError`].
pub fn resume(path: &Path, outputs: &Outputs, control: Control) -> Result<Network, TrainError> {
    let Checkpoint { plan, params, adam, average } = Checkpoint::load(path)?;
    train(&plan, Model::new(params, adam), average, outputs, control)
}

fn train(
    plan: &Plan,
    mut model: Model,
    mut average: Average,
    outputs: &Outputs,
    control: Control,
) -> Result<Network, TrainError> {
    let aim = plan.aim()?;
    plan.check(&aim, outputs.paths())?;
    model.steepness = SCALE / aim.logistic;
    model.rows = plan.rows();
    if outputs.checkpoint.is_some() {
        // Checks before the training, rather than after it, that a checkpoint can be made.
        checkpoint::to_bytes(plan, &model.params, &model.adam, &average)?;
    }
    let mut results = Results::open(outputs)?;
    let held_out = loader::read(&plan.held_out, HELD_OUT, &aim)?;
    let first = model.adam.steps;
    let last = outputs.stop_after.map_or(plan.steps(), |stop| (first + stop).min(plan.steps()));
    // One batch early: a training that is resumed after its last step is ordered by it, too.
    let batches = Source::new(plan, aim).batches(first.saturating_sub(1));
    let schedule = plan.schedule();
    let mut journal = Journal::new(plan, first, last, control.say);
    let mut learnt = match first {
        0 => Vec::new(),
        _ => next(&batches, control.stop)?.unwrap_or_default(),
    };
    for step in first..last {
        let Some(batch) = next(&batches, control.stop)? else {
            let is_kept = step > first && results.keep(plan, &model, &average, &journal);
            let checkpoint = outputs.checkpoint.clone().filter(|_| is_kept);
            let _ = journal.finish();
            let positions = step * plan.batch as u64;
            return Err(TrainError::Interrupted { positions, checkpoint });
        };
        let loss = model.learn(&batch, schedule.rate(step));
        average.note(&model.params, step + 1);
        journal.note(step + 1, loss);
        learnt = batch;
        if journal.is_due(step + 1) {
            let held_out = (!held_out.is_empty()).then(|| model.loss(&held_out));
            journal.report(step + 1, held_out);
            results.keep(plan, &model, &average, &journal);
        }
    }
    let mut params = average.result(&model.params, last).clone();
    order(&mut params, &learnt);
    let network = quantise(&params, SCALE as i32)?;
    results.write_network(&network)?;
    if !held_out.is_empty() {
        model.params = rounded(&params);
        let loss = model.loss(&held_out);
        journal.say(&format!("quantised: held out {loss:.6}"));
    }
    results.write_curve(&journal.finish())?;
    Ok(network)
}

/// The next batch; `None` if the training must stop.
fn next(
    batches: &Receiver<Result<Vec<Sample>, LoadError>>,
    stop: &StopFlag,
) -> Result<Option<Vec<Sample>>, LoadError> {
    while !stop.is_raised() {
        match batches.recv_timeout(PATIENCE) {
            Ok(batch) => return batch.map(Some),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(LoadError::Ended),
        }
    }
    Ok(None)
}

impl Outputs {
    /// The files to be written.
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let more = [&self.curve, &self.checkpoint].into_iter().flatten();
        [&self.output].into_iter().chain(more).map(PathBuf::as_path)
    }
}

/// The output files, opened before the training.
struct Results {
    network: Destination,
    curve: Option<Destination>,
    checkpoint: Option<Destination>,
}

impl Results {
    fn open(outputs: &Outputs) -> Result<Self, OutputError> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Destination::open).transpose();
        let network = Destination::open(&outputs.output)?;
        Ok(Self { network, curve: open(&outputs.curve)?, checkpoint: open(&outputs.checkpoint)? })
    }

    /// Writes a checkpoint if requested, and returns whether it was written. A failure is only
    /// reported: the training is worth more.
    fn keep(&mut self, plan: &Plan, model: &Model, average: &Average, journal: &Journal) -> bool {
        let Some(checkpoint) = &mut self.checkpoint else { return false };
        let bytes = checkpoint::to_bytes(plan, &model.params, &model.adam, average);
        let written: Result<(), TrainError> =
            bytes.map_err(Into::into).and_then(|bytes| Ok(checkpoint.write(&bytes)?));
        if let Err(error) = &written {
            journal.say(&format!("no checkpoint: {error}"));
        }
        written.is_ok()
    }

    fn write_network(&mut self, network: &Network) -> Result<(), TrainError> {
        let bytes = network.to_bytes();
        let Err(error) = self.network.write(&bytes) else { return Ok(()) };
        Err(match output::rescue(&bytes, ".nnue") {
            Ok(rescued) => TrainError::Rescued { error, rescued },
            Err(_) => error.into(),
        })
    }

    fn write_curve(&mut self, points: &[curve::Point]) -> Result<(), TrainError> {
        let Some(file) = &mut self.curve else { return Ok(()) };
        let Some(svg) = curve::svg(points).map_err(TrainError::Curve)? else { return Ok(()) };
        Ok(file.write(svg.as_bytes())?)
    }
}
