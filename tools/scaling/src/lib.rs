//! How the search scales with the number of threads.
//!
//! A [`Plan`] of searches (every position of a suite on every number of threads, with every policy of
//! how they work together) is carried out by an [`Instrument`], of which there is one on real threads; a [`Report`]
//! sets the samples against those on one thread, fits the Universal Scalability Law to the speeds,
//! and is written as text, JSON, CSV or as a page. Nodes per second tell what the machine and the
//! memory can do, time to depth what the search makes of it.

mod duel;
mod equal;
mod forecast;
mod html;
mod lockstep;
mod machine;
mod measure;
mod plot;
mod report;
mod stats;
mod suite;
mod summary;
mod tables;
mod usl;
mod wall;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use heddle::commands::build;
use heddle::commands::cli::{between, hash, threads};
use heddle::commands::system::max_threads;
use heddle::engine::{EngineError, Settings};
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::eval::nnue::network::Network;
use heddle::score::{Depth, MAX_PLY};
use heddle::smp::lockstep::DEFAULT_QUANTUM;
use heddle::smp::sharing::Sharing;
use heddle::smp::stagger::Stagger;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::uci::options::MAX_QUANTUM;

pub use duel::{Duel, Odds};
pub use equal::{Contest, Equality, Trial};
pub use forecast::{Forecast, Peak, Prediction};
pub use html::page;
pub use lockstep::InLockstep;
pub use machine::Machine;
pub use measure::{
    Clock, Instrument, Measured, Place, Plan, Policy, Run, Sample, Setting, settings,
};
pub use report::{Conditions, Record, Report};
pub use stats::Estimate;
pub use suite::{Named, Suite, SuiteError};
pub use summary::{Hits, InPosition, Row};
pub use tables::text;
pub use usl::{Usl, fit};
pub use wall::OnThreads;

/// Depth unless another is asked for, in plies.
const DEFAULT_DEPTH: Depth = 14;
/// Searches of every position in every setting unless another number is asked for.
const DEFAULT_REPEATS: usize = 3;
/// The most that may be asked for.
const MAX_REPEATS: usize = 1000;
/// Nodes of each of many threads in a move of a game unless another number is asked for.
const DEFAULT_NODES: u64 = 2000;
/// Games of each number of threads unless another number is asked for.
const DEFAULT_GAMES: usize = 400;
/// The fewest games: a pair at each multiple.
const MIN_GAMES: usize = 8;
/// The most that may be asked for.
const MAX_GAMES: usize = 1_000_000;
/// Size of the table unless another is asked for, in MiB.
const DEFAULT_HASH: usize = 64;
/// How a program ends that was interrupted, to a shell.
const INTERRUPTED: i32 = 130;

/// Measure how the search scales with the number of threads: nodes per second, time to depth and
/// how many more nodes it takes, over a suite of positions.
///
/// Nothing else should run meanwhile. After an interrupt (Ctrl-C) what has been measured is
/// reported; a second one ends the program at once.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: heddle scaling --threads 1,2,4,8 --depth 15 --html scaling.html")]
pub struct Args {
    /// Numbers of threads, separated by commas; 1 is always among them [default: 1, 2, 4 ... up to
    /// the processors that affinity and quota leave]
    #[arg(long, value_delimiter = ',', value_parser = threads)]
    pub threads: Vec<usize>,
    /// Simulate these numbers of threads in lockstep, and count time in nodes of one worker: the
    /// machine may have fewer processors and do other things meanwhile
    #[arg(long, value_name = "THREADS", value_delimiter = ',', value_parser = threads,
          conflicts_with_all = ["threads", "repeats"])]
    pub simulate: Vec<usize>,
    /// Nodes of a turn in lockstep
    #[arg(long, value_name = "NODES", default_value_t = DEFAULT_QUANTUM, requires = "simulate",
          value_parser = clap::value_parser!(u64).range(1..=MAX_QUANTUM as u64))]
    pub quantum: u64,
    /// After that let these numbers of threads, in lockstep, play games against one thread that is
    /// given a multiple of the nodes, to find the multiple at which both are equally strong
    #[arg(long, value_name = "THREADS", value_delimiter = ',', value_parser = many,
          requires = "simulate")]
    pub equal_strength: Vec<usize>,
    /// Nodes of each of the many threads in a move of these games
    #[arg(long, default_value_t = DEFAULT_NODES, requires = "equal_strength",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Games of each number of threads
    #[arg(long, default_value_t = DEFAULT_GAMES, requires = "equal_strength", value_parser = games)]
    pub games: usize,
    /// Stagger policies to compare, separated by commas: none, alternate, skip
    #[arg(long, value_delimiter = ',', default_value = Stagger::default().name())]
    pub stagger: Vec<Stagger>,
    /// Correction histories to compare with each of them, separated by commas: private, shared
    #[arg(long, value_delimiter = ',', default_value = Sharing::default().name())]
    pub correction: Vec<Sharing>,
    /// Positions
    #[arg(long, value_enum, default_value_t)]
    pub suite: Suite,
    /// Positions of a file instead, one a line in EPD or as a FEN
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    pub epd: Option<PathBuf>,
    /// Depth that the main worker has to finish, in plies
    #[arg(long, default_value_t = DEFAULT_DEPTH, value_parser = depths())]
    pub depth: Depth,
    /// Searches of every position on every number of threads
    #[arg(long, default_value_t = DEFAULT_REPEATS, value_parser = repeats)]
    pub repeats: usize,
    /// Search everything once more, untimed, to count what the workers find of each other's in the
    /// table; a simulation always counts
    #[arg(long)]
    pub counters: bool,
    /// Transposition table in MiB, empty before every search
    #[arg(long, default_value_t = DEFAULT_HASH, value_parser = hash)]
    pub hash: usize,
    /// The evaluation: default, classical, or a network's file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    pub eval: EvalFile,
    /// Determines the draws of the intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the searches as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a page with tables and figures that can be read without a network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the figure of the speed-ups alone
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ScalingError {
    /// There are no positions.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The network cannot be had.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The threads or the table cannot be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Interrupts cannot be noticed.
    #[error("cannot listen for interrupts: {0}")]
    Interrupt(#[from] ctrlc::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The standard output cannot be written.
    #[error("cannot write the report: {0}")]
    Output(io::Error),
    /// The figures cannot be drawn.
    #[error("cannot draw the figures: {0}")]
    Figures(String),
}

fn many(text: &str) -> Result<usize, String> {
    between(text, 2, max_threads())
}

fn games(text: &str) -> Result<usize, String> {
    between(text, MIN_GAMES, MAX_GAMES)
}

fn repeats(text: &str) -> Result<usize, String> {
    between(text, 1, MAX_REPEATS)
}

fn depths() -> clap::builder::RangedI64ValueParser<Depth> {
    clap::value_parser!(Depth).range(1..MAX_PLY as i64)
}

/// 1, 2, 4 and so on, and `available` itself.
fn doublings(available: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |&threads: &usize| threads.checked_mul(2));
    powers.take_while(|&threads| threads < available).chain([available.max(1)]).collect()
}

/// Measures what `args` ask for, prints it and writes it to the files asked for.
///
/// # Errors
/// [`ScalingError`], when the positions, the engine or a file cannot be had.
pub fn run(args: &Args) -> Result<(), ScalingError> {
    let machine = Machine::here();
    let suite = match &args.epd {
        Some(path) => suite::read(path)?,
        None => args.suite.load()?,
    };
    let is_simulated = !args.simulate.is_empty();
    let threads = match (&args.threads[..], &args.simulate[..]) {
        ([], []) => doublings(machine.available),
        (threads, []) => threads.to_vec(),
        (_, simulated) => simulated.to_vec(),
    };
    let settings = settings(&threads, &args.stagger, &args.correction);
    // In lockstep a second search would only find the same again.
    let repeats = if is_simulated { 1 } else { args.repeats };
    let plan = Plan { suite, settings, depth: args.depth, repeats };
    let network = args.eval.load()?;
    let evaluation = if network.is_some() { "network" } else { "classical" };
    let cancel = Arc::<StopFlag>::default();
    let mut duels = duels(args, network.as_ref(), machine.available)?;
    let cancels = duels.iter().map(Duel::cancel).chain([Arc::clone(&cancel)]).collect();
    let engine = OnThreads::new(args.hash, network, cancel)?.counting(args.counters);
    let mut instrument: Box<dyn Instrument> = if is_simulated {
        Box::new(InLockstep::new(engine, args.quantum))
    } else {
        Box::new(engine)
    };
    listen(cancels)?;
    // Before the first search, for it would be a pity to find out after the last.
    let files = Files::create(args)?;
    let conditions = Conditions {
        suite: match &args.epd {
            Some(path) => path.display().to_string(),
            None => args.suite.name().to_owned(),
        },
        evaluation: evaluation.to_owned(),
        hash: args.hash,
        clock: instrument.clock(),
        build: build::compiler(),
        machine,
        seed: args.seed,
    };
    let measured = measure(&plan, &mut *instrument)?;
    let equalities = play(args, &mut duels)?;
    let report = Report::new(conditions, &plan, &measured, equalities);
    write!(io::stdout(), "{}", text(&report)).map_err(ScalingError::Output)?;
    files.write(&report)
}

/// An interrupt ends the measurement, the next one the program.
fn listen(cancels: Vec<Arc<StopFlag>>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        if cancels.iter().any(|cancel| cancel.is_raised()) {
            std::process::exit(INTERRUPTED);
        }
        cancels.iter().for_each(|cancel| cancel.raise());
    })
}

/// As many duels as can be fought at a time: in each, one thread runs.
fn duels(
    args: &Args,
    network: Option<&Arc<Network>>,
    available: usize,
) -> Result<Vec<Duel>, EngineError> {
    let count = if args.equal_strength.is_empty() { 0 } else { available };
    (0..count).map(|_| Duel::new(args.hash, network, Arc::default(), args.seed)).collect()
}

/// Plays the games that `args` ask for, under a progress bar.
fn play(args: &Args, duels: &mut [Duel]) -> Result<Vec<Equality>, EngineError> {
    let (threads, nodes, games) = (args.equal_strength.clone(), args.nodes, args.games);
    let contest = Contest { threads, nodes, games };
    if contest.is_empty() {
        return Ok(Vec::new());
    }
    let settings = Settings {
        stagger: args.stagger.first().copied().unwrap_or_default(),
        correction: args.correction.first().copied().unwrap_or_default(),
        lockstep: true,
        quantum: args.quantum,
        ..Settings::default()
    };
    let bar = progress(contest.len());
    let played = contest.play(duels, &settings, args.seed, |odds| {
        let Odds { threads, multiple, .. } = odds;
        bar.set_message(format!("{threads} against 1 with {multiple:.1} times the nodes"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    played
}

/// A progress bar, which is silent where there is no terminal.
fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} ETA {eta}");
    ProgressBar::new(length as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Carries out the plan under a progress bar.
fn measure(plan: &Plan, instrument: &mut dyn Instrument) -> Result<Vec<Measured>, EngineError> {
    let bar = progress(plan.len());
    let mut started = 0;
    let measured = plan.measure(instrument, |place| {
        let setting = plan.settings[place.setting];
        let (threads, policy) = (setting.threads, setting.policy());
        bar.set_position(started);
        bar.set_message(format!("{} on {threads}, {policy}", plan.suite[place.position].name));
        started += 1;
    });
    bar.finish_and_clear();
    measured
}

/// The files that were asked for, open.
struct Files {
    json: Option<Output>,
    csv: Option<Output>,
    html: Option<Output>,
    svg: Option<Output>,
}

struct Output {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Files {
    fn create(args: &Args) -> Result<Self, ScalingError> {
        let create = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        Ok(Self {
            json: create(&args.json)?,
            csv: create(&args.csv)?,
            html: create(&args.html)?,
            svg: create(&args.svg)?,
        })
    }

    fn write(self, report: &Report) -> Result<(), ScalingError> {
        if let Some(json) = self.json {
            json.write(|file| report.json(file))?;
        }
        if let Some(csv) = self.csv {
            csv.write(|file| report.csv(file))?;
        }
        if let Some(html) = self.html {
            let page = page(report).map_err(ScalingError::Figures)?;
            html.write(|file| file.write_all(page.as_bytes()))?;
        }
        if let Some(svg) = self.svg {
            let figures = plot::figures(report).map_err(ScalingError::Figures)?;
            let nothing = || ScalingError::Figures("nothing was measured".into());
            let figure = figures.into_iter().next().ok_or_else(nothing)?;
            svg.write(|file| file.write_all(figure.svg.as_bytes()))?;
        }
        Ok(())
    }
}

impl Output {
    fn create(path: &Path) -> Result<Self, ScalingError> {
        let file = File::create(path)
            .map_err(|source| ScalingError::File { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    fn write(
        mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), ScalingError> {
        let written = write(&mut self.file).and_then(|()| self.file.flush());
        written.map_err(|source| ScalingError::File { path: self.path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_double_up_to_what_there_is() {
        assert_eq!(doublings(1), [1]);
        assert_eq!(doublings(2), [1, 2]);
        assert_eq!(doublings(6), [1, 2, 4, 6]);
        assert_eq!(doublings(64), [1, 2, 4, 8, 16, 32, 64]);
    }
}
