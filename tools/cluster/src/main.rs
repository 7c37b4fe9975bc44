//! The work of a tool shared among machines: `mpirun -n 4 heddle-cluster annotate games.pgn`.
//!
//! Every process is a rank, which does a share of the work: see [`jobs`]. On each rank one thread
//! alone speaks MPI, the one that `main` runs on, and it waits for no message. `docs/cluster.md`
//! says how it is used.

mod jobs;
mod net;

use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heddle::cli::{fail, threads};

use jobs::Job;
use net::Net;

/// Share the work of a tool among all ranks.
#[derive(Parser)]
#[command(name = "heddle-cluster", version, disable_help_subcommand = true)]
#[command(after_help = "Examples:
  mpirun -n 64 heddle-cluster annotate games.pgn --pgn annotated.pgn
  mpirun -n 64 heddle-cluster datagen --positions 1000000000 --output games.vf")]
struct Args {
    #[command(subcommand)]
    tool: Tool,
    /// The processes on each rank that work at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    hands: usize,
}

/// The command line of a tool, which reads it itself.
#[derive(clap::Args)]
struct Words {
    /// What the tool takes; --help lists it
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// A tool whose work is shared.
#[derive(Subcommand)]
enum Tool {
    /// Explain games, as heddle annotate does; every rank searches games
    #[command(disable_help_flag = true)]
    Annotate(Words),
    /// Solve a test suite, as heddle suite does; every rank searches positions
    #[command(disable_help_flag = true)]
    Suite(Words),
    /// Play games to train a network on, as heddle datagen does; every rank plays games
    #[command(disable_help_flag = true)]
    Datagen(Words),
    /// Play a match, as heddle match does; every rank plays pairs of games
    #[command(disable_help_flag = true)]
    Match(Words),
}

impl Tool {
    /// The command line for `heddle`.
    fn words(&self) -> Vec<OsString> {
        let (name, Words { words }) = match self {
            Self::Annotate(words) => ("annotate", words),
            Self::Suite(words) => ("suite", words),
            Self::Datagen(words) => ("datagen", words),
            Self::Match(words) => ("match", words),
        };
        [&[name.into()][..], words].concat()
    }
}

/// Why the program fails.
type Failure = Box<dyn Error>;

/// Exit status of a rank whose version or command line differs.
const REFUSED: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    let failed = |error: Failure| fail("heddle-cluster", &*error);
    let Some((universe, net)) = net::join() else {
        return failed("this MPI does not serve programs with several threads".into());
    };
    let result = share(&net, &args.tool, args.hands);
    // What there is to say is said before the end of MPI: `mpirun` ends all ranks when one has
    // failed.
    let code = result.unwrap_or_else(failed);
    drop(net);
    drop(universe);
    code
}

/// Does this rank's share of a tool's work.
fn share(net: &Net, tool: &Tool, hands: usize) -> Result<ExitCode, Failure> {
    let job = Job::new(tool.words());
    if agree(net, &net.gather(job.digest(hands)))? {
        jobs::run(net, &job, hands)
    } else {
        Ok(ExitCode::from(REFUSED))
    }
}

/// Whether all ranks have the same number; the first rank's failure names the others.
fn agree(net: &Net, digests: &[u64]) -> Result<bool, Failure> {
    let strangers: Vec<String> = (1..net.ranks)
        .filter(|&rank| digests[rank] != digests[0])
        .map(|rank| rank.to_string())
        .collect();
    if net.rank == 0 && !strangers.is_empty() {
        let ranks = strangers.join(", ");
        return Err(format!("another version or command line on rank {ranks}").into());
    }
    Ok(strangers.is_empty())
}
