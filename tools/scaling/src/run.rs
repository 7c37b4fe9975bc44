//! One measurement from the command line to the report.

use std::time::Duration;

use heddle::cli::{Completion, InterruptError, stop_on_interrupt};
use heddle::engine::EngineError;
use heddle::eval::nnue::eval_file::EvalFileError;
use heddle::numa;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::build;
use heddle::text::suite::SuiteError;
use heddle_figures::output::{OutputError, Overlap, check_distinct};
use heddle_progress::{bar, tell};

use crate::args::Args;
use crate::configuration::configurations;
use crate::engines::{Comparison, Entrant, lineup, measure as measure_all};
use crate::machine::{Machine, counted};
use crate::measure::{Instrument, Measured, Place, Plan, TimeUnit};
use crate::misses;
use crate::origin::Origin;
use crate::output::{Files, WriteError};
use crate::report::{Conditions, Report};
use crate::suite::positions;
use crate::usage::Usage;
use crate::virtual_time::InLockstep;
use crate::wall::OnThreads;

/// What a progress bar shows.
pub const BAR: &str = "{wide_bar} {pos}/{len} {msg} ETA {eta}";

/// Why a measurement failed, wholly or in part.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError {
    /// There are no positions.
    #[error(transparent)]
    Positions(#[from] SuiteError),
    /// The network cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The engine cannot allocate its table or start its threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Engines had faults, of which the user has been told.
    #[error("left out: {names}, of {}", counted(*count, "engine"))]
    LeftOut {
        /// The names of the engines.
        names: String,
        /// How many engines there are.
        count: usize,
    },
    /// The handler for interrupts cannot be installed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// A file would replace another.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// A file cannot be opened.
    #[error(transparent)]
    File(#[from] OutputError),
    /// The report cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Measures what `args` ask for, writes the requested files and prints the report. Results from
/// before an error are still written to every file that can be written.
///
/// # Errors
/// [`ScalingError`], the first one.
pub fn run(args: &Args) -> Result<Completion, ScalingError> {
    check_distinct(args.epd.as_deref(), args.outputs.files())?;
    let machine = Machine::here();
    let suite = positions(args.suite, args.epd.as_deref())?;
    let threads = args.thread_counts(machine.available);
    let configurations = configurations(&threads, &args.stagger, &args.sharing);
    // In lockstep a second search would only repeat the first.
    let repeats = if args.is_simulated() { 1 } else { args.repeats };
    let plan = Plan { suite, configurations, goal: args.goal(), repeats };
    if !args.engines.is_empty() {
        return compare(args, &plan, machine);
    }
    let network = args.eval.load()?;
    let evaluation = if network.is_some() { "network" } else { "classical" };
    let cancel = Arc::<StopFlag>::default();
    if args.is_simulated() {
        bind();
    }
    let engine = OnThreads::new(args.hash, network, Arc::clone(&cancel))?.counting(args.counters);
    let mut instrument: Box<dyn Instrument> = if args.is_simulated() {
        let quantum = if args.cache_misses { misses::QUANTUM } else { args.quantum };
        Box::new(InLockstep::new(engine, quantum).counting_misses(args.cache_misses))
    } else {
        Box::new(engine)
    };
    stop_on_interrupt(cancel)?;
    // Before the first search: an unwritable path should not cost hours.
    let files = Files::open(&args.outputs)?;
    let mut conditions = circumstances(args, Some(evaluation), instrument.time_unit(), machine);
    let usage = Usage::now();
    let mut measured = Vec::new();
    let finished = measure(&plan, &mut *instrument, &mut measured);
    conditions.others = others(usage, &conditions.machine);
    let report = Report::new(conditions, &plan, &measured);
    let told = files.publish(&report);
    finished?;
    told?;
    Ok(if report.extent.partial { Completion::Interrupted } else { Completion::Complete })
}

/// Measures the engines that `args` name.
fn compare(args: &Args, plan: &Plan, machine: Machine) -> Result<Completion, ScalingError> {
    let cancel = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&cancel))?;
    let files = Files::open(&args.outputs)?;
    let mut conditions = circumstances(args, None, TimeUnit::Wall, machine);
    let usage = Usage::now();
    let bar = bar((plan.len() * args.engines.len()) as u64, BAR);
    let mut remark = |text: &str| bar.suspend(|| tell(text));
    let patience = Duration::from_secs(args.timeout);
    let mut entrants = lineup(&args.engines, plan, args.hash, patience, &cancel, &mut remark);
    if cancel.is_raised() {
        return Ok(Completion::Interrupted);
    }
    left_out(&entrants)
        .filter(|_| entrants.iter().all(|entrant| entrant.is_out))
        .map_or(Ok(()), Err)?;
    let mut started = 0;
    let before = |name: &str, place: Place| {
        let threads = plan.configurations[place.configuration].threads;
        bar.set_position(started);
        bar.set_message(format!("{}: {name} on {threads}", plan.suite[place.position].name));
        started += 1;
    };
    let is_interrupted = measure_all(plan, &mut entrants, before, &mut remark).is_err();
    bar.finish_and_clear();
    // The time that an engine took is known when it has ended.
    entrants.iter_mut().for_each(Entrant::dismiss);
    conditions.others = others(usage, &conditions.machine);
    files.publish(&Comparison::new(conditions, plan, &entrants, is_interrupted))?;
    match left_out(&entrants) {
        _ if is_interrupted => Ok(Completion::Interrupted),
        Some(error) => Err(error),
        None => Ok(Completion::Complete),
    }
}

/// The error that engines had faults, if any did.
fn left_out(entrants: &[Entrant]) -> Option<ScalingError> {
    let out = entrants.iter().filter(|entrant| entrant.is_out);
    let names: Vec<&str> = out.map(|entrant| entrant.name.as_str()).collect();
    let (names, count) = ((!names.is_empty()).then(|| names.join(", "))?, entrants.len());
    Some(ScalingError::LeftOut { names, count })
}

/// The processors that others have used since `start`.
fn others(start: Option<Usage>, machine: &Machine) -> Option<f64> {
    start?.of_others(Usage::now()?, machine.logical)
}

/// What is measured, with what and on what.
fn circumstances(
    args: &Args,
    evaluation: Option<&str>,
    time_unit: TimeUnit,
    machine: Machine,
) -> Conditions {
    Conditions {
        suite: args.suite_name(),
        evaluation: evaluation.map(str::to_owned),
        hash: args.hash,
        time_unit,
        build: build::compiler(),
        origin: Origin::here("scaling"),
        machine,
        others: None,
        seed: args.seed,
    }
}

/// Binds this thread, and with it those that it starts, to a processor: waking a thread, as every
/// turn of a simulation does, takes longest between two processors.
fn bind() {
    if let Some(processor) = numa::allowed().first() {
        numa::bind(&[*processor]);
    }
}

/// Carries out the plan under a progress bar.
fn measure(
    plan: &Plan,
    instrument: &mut dyn Instrument,
    measured: &mut Vec<Measured>,
) -> Result<(), EngineError> {
    let bar = bar(plan.len() as u64, BAR);
    let mut started = 0;
    let finished = plan.measure(instrument, measured, |place| {
        let configuration = plan.configurations[place.configuration];
        let (threads, policy) = (configuration.threads, configuration.policy());
        bar.set_position(started);
        bar.set_message(format!("{} on {threads}, {policy}", plan.suite[place.position].name));
        started += 1;
    });
    bar.finish_and_clear();
    finished
}
