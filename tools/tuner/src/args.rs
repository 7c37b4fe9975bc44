//! The command line.

use std::path::PathBuf;

use heddle::cli;
use heddle::machine::processors;

/// Tune the parameters of the search by games (simultaneous perturbation).
///
/// The engine plays pairs of games against itself with two sets of parameters and moves all of them
/// towards the winner's. A run may be stopped in any way at any time; the same command continues
/// it. Without `--engine`, nothing is played and the state is shown as it is: with `--plot`,
/// `--apply` or `--print`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Example: heddle tune --engine heddle-spsa --state tune.json --plot tune.svg"
)]
pub struct Args {
    /// File to keep the state in
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// The engine: a build with --features spsa
    #[arg(long, value_name = "PATH", required_unless_present_any = ["plot", "apply", "print"])]
    pub engine: Option<PathBuf>,
    /// Nodes per move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Pairs of games to play in all
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub pairs: u64,
    /// Pairs to play at the same time, one processor each
    #[arg(long, default_value_t = processors(), value_parser = cli::threads)]
    pub concurrency: usize,
    /// Tune only these parameters, separated by commas [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Seed of the perturbations and the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// File of openings in EPD or FEN [default: random moves]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Write the path of every parameter as SVG, at the end
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Print the tuned values as params.rs declares them
    #[arg(long)]
    pub apply: bool,
    /// Print the tuned values as OpenBench takes them for another tuning
    #[arg(long, conflicts_with = "apply")]
    pub print: bool,
}
