//! The command line.

use std::path::PathBuf;

use heddle::cli::{ANALYSIS_HASH, between, depth, hash, milliseconds, named, threads};
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::names::Named;
use heddle::score::Depth;
use heddle::smp::teamwork::{Sharing, Stagger};
use heddle::smp::turnstile::DEFAULT_QUANTUM;
use heddle::uci::options::MAX_QUANTUM;

use crate::measure::Goal;
use crate::output::Outputs;
use crate::suite::Suite;
use heddle_client::{Spec, spec};

/// Default time of a search on one thread: milliseconds, or thousands of nodes.
const DEFAULT_TIME: u64 = 1000;
/// The longest: a day, or as many thousands of nodes.
const MAX_TIME: u64 = 86_400_000;
/// Default number of searches of every position in every configuration.
const DEFAULT_REPEATS: usize = 3;
/// The most repeats.
const MAX_REPEATS: usize = 1000;
/// Default wait for an engine, in seconds: some take long to allocate a large table.
const DEFAULT_TIMEOUT: u64 = 60;
/// The longest: a day.
const MAX_TIMEOUT: u64 = 86_400;

/// Groups of options in `--help`.
const SIMULATION: &str = "Simulation";

/// Measure how the search scales with the number of threads: nodes per second, time to depth and
/// node overhead, over a suite of positions.
///
/// Nothing else should run meanwhile. After an interrupt (Ctrl-C) the results so far are reported
/// and the exit status is 130; a second one ends the program at once.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  heddle scaling --threads 1,2,4,8 --html scaling.html
  heddle scaling --engine ./heddle --engine name=SF,cmd=stockfish,option.Hash=256 --html engines.html")]
pub struct Args {
    /// Numbers of threads, separated by commas; 1 is always included [default: 1, 2, 4 ... up to
    /// the processors allowed by affinity and quota]
    #[arg(long, value_delimiter = ',', value_parser = threads)]
    pub threads: Vec<usize>,
    /// Measure this UCI engine instead, and any others given likewise: a command, or
    /// name=NAME,cmd=COMMAND,args=ARGUMENTS,dir=FOLDER,option.OPTION=VALUE, of which only cmd must
    /// be given. Their searches alternate. Threads and Hash are set by the measurement, unless
    /// option.Hash is given
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine,
          conflicts_with_all = ["simulate", "stagger", "sharing", "counters", "eval"])]
    pub engines: Vec<Spec>,
    /// The longest wait for an answer of such an engine, in seconds, besides the time it was given
    /// to search; then it is left out
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_TIMEOUT, requires = "engines",
          value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT))]
    pub timeout: u64,
    /// Simulate these numbers of threads in lockstep, and measure time in nodes of one worker
    /// (works on any machine, busy or not)
    #[arg(long, help_heading = SIMULATION, value_name = "THREADS", value_delimiter = ',', value_parser = threads,
          conflicts_with_all = ["threads", "repeats"])]
    pub simulate: Vec<usize>,
    /// Nodes per turn in lockstep
    #[arg(long, help_heading = SIMULATION, value_name = "NODES", default_value_t = DEFAULT_QUANTUM, requires = "simulate",
          value_parser = clap::value_parser!(u64).range(1..=MAX_QUANTUM as u64))]
    pub quantum: u64,
    /// Count the misses of simulated caches by structure: reads of lines that another worker has
    /// written since this one last had them. Turns then last one node, which is slow: choose a
    /// small depth
    #[arg(long, help_heading = SIMULATION, requires = "simulate", conflicts_with = "quantum")]
    pub cache_misses: bool,
    /// Stagger policies to compare, separated by commas
    #[arg(
        long,
        value_parser = named::<Stagger>(),
        ignore_case = true,
        value_delimiter = ',',
        default_value = Stagger::default().name()
    )]
    pub stagger: Vec<Stagger>,
    /// Histories to compare, separated by commas
    #[arg(
        long,
        value_parser = named::<Sharing>(),
        ignore_case = true,
        value_delimiter = ',',
        default_value = Sharing::default().name()
    )]
    pub sharing: Vec<Sharing>,
    /// Positions to search
    #[arg(long, value_enum, default_value_t)]
    pub suite: Suite,
    /// Positions from a file instead, one per line as EPD or FEN
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    pub epd: Option<PathBuf>,
    /// Search every position to the depth that one thread completes in this time: milliseconds, or
    /// thousands of nodes in a simulation
    #[arg(long, value_name = "TIME", default_value_t = DEFAULT_TIME, value_parser = time)]
    pub movetime: u64,
    /// Search every position to this depth instead, in plies: the same searches on every machine
    #[arg(long, conflicts_with = "movetime", value_parser = depth())]
    pub depth: Option<Depth>,
    /// Searches of every position for every number of threads
    #[arg(long, default_value_t = DEFAULT_REPEATS, value_parser = repeats)]
    pub repeats: usize,
    /// Search everything once more, untimed, to count how often workers hit each other's entries in
    /// the transposition table; a simulation always counts
    #[arg(long)]
    pub counters: bool,
    /// Transposition table in MiB, empty before every search
    #[arg(long, default_value_t = ANALYSIS_HASH, value_parser = hash)]
    pub hash: usize,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    pub eval: EvalFile,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The files of the report
    #[command(flatten)]
    pub outputs: Outputs,
}

impl Args {
    /// Whether the threads are simulated in lockstep.
    pub fn is_simulated(&self) -> bool {
        !self.simulate.is_empty()
    }

    /// The numbers of threads to measure on a machine with `available` processors.
    pub fn thread_counts(&self, available: usize) -> Vec<usize> {
        match (&self.threads[..], &self.simulate[..]) {
            ([], []) => doublings(available),
            (threads, []) => threads.to_vec(),
            (_, simulated) => simulated.to_vec(),
        }
    }

    /// How deep the positions are searched.
    pub fn goal(&self) -> Goal {
        self.depth.map_or(Goal::Time(self.movetime), Goal::Depth)
    }

    /// The name of the suite in reports.
    pub fn suite_name(&self) -> String {
        match &self.epd {
            Some(path) => path.display().to_string(),
            None => self.suite.name().to_owned(),
        }
    }
}

/// An engine on the command line; its threads are measured.
fn engine(text: &str) -> Result<Spec, String> {
    let spec = spec(text)?;
    if spec.program.is_empty() {
        return Err("no command".into());
    }
    match spec.option("Threads") {
        Some(_) => Err("Threads is set by --threads".into()),
        None => Ok(spec),
    }
}

/// The time of a search, at most [`MAX_TIME`].
fn time(text: &str) -> Result<u64, String> {
    let time = milliseconds(text)?;
    if time <= MAX_TIME { Ok(time) } else { Err(format!("more than {MAX_TIME} ms")) }
}

fn repeats(text: &str) -> Result<usize, String> {
    between(text, 1, MAX_REPEATS)
}

/// 1, 2, 4 and so on, and `available` itself.
fn doublings(available: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |&threads: &usize| threads.checked_mul(2));
    powers.take_while(|&threads| threads < available).chain([available.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_has_a_command_and_no_threads_of_its_own() {
        assert_eq!(engine("./sf a").unwrap().program, "./sf");
        for (text, said) in [
            ("", "no command"),
            ("name=X,option.Hash=2", "no command"),
            ("cmd=x,option.threads=2", "Threads is set by --threads"),
        ] {
            assert_eq!(engine(text), Err(said.to_owned()), "{text}");
        }
    }

    #[test]
    fn threads_double_up_to_what_there_is() {
        assert_eq!(doublings(1), [1]);
        assert_eq!(doublings(2), [1, 2]);
        assert_eq!(doublings(6), [1, 2, 4, 6]);
        assert_eq!(doublings(64), [1, 2, 4, 8, 16, 32, 64]);
    }
}
