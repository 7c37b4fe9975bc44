//! Heddle on several machines: `mpirun -n 4 heddle-cluster` is a UCI engine.
//!
//! Every process is a rank with an engine of its own. The first speaks UCI; the others search what
//! it searches. They send each other the deepest entries of their tables, and vote on the move
//! together. On each rank one thread alone speaks MPI, the one that `main` runs on, and it never
//! waits: see [`head`] for the first rank, [`member`] for the others. `docs/cluster.md` says how it
//! works and what it is worth.
//!
//! With a command, such as `mpirun -n 4 heddle-cluster annotate games.pgn`, the ranks share the
//! work of a tool instead: see [`jobs`].

mod head;
mod host;
mod jobs;
mod local;
mod member;
mod net;
mod ring;
mod wire;

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use heddle::cli::{between, fail, threads};
use heddle::smp::crew::{SMALL_STACK, spawn};
use heddle::smp::mailbox::Mailbox;
use heddle::streams;
use heddle::sync::{Arc, Mutex};
use heddle::uci::{self, Inbox, UciError};
use heddle_exchange::{Filter, MESSAGE, Outgoing};

use head::{Desk, Head, Request};
use host::ClusterHost;
use jobs::Job;
use local::Local;
use member::Member;
use net::Net;
use ring::Sent;

/// Share the work of a tool among all ranks, or, without a command, speak UCI on the first and
/// search the same position on all of them.
#[derive(Parser)]
#[command(name = "heddle-cluster", version, disable_help_subcommand = true)]
#[command(after_help = "Examples:
  mpirun -n 64 heddle-cluster annotate games.pgn --pgn annotated.pgn
  mpirun -n 4 heddle-cluster")]
struct Args {
    #[command(subcommand)]
    tool: Option<Tool>,
    /// For a command: the processes on each rank that work at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    hands: usize,
    /// The least depth of the entries that ranks send each other, in plies
    #[arg(long, value_name = "DEPTH", default_value_t = Filter::DEFAULT.least_depth,
          value_parser = heddle::cli::depth())]
    least_depth: i32,
    /// The most entries that a thread sends at a time
    #[arg(long, value_name = "ENTRIES", default_value_t = Filter::DEFAULT.batch,
          value_parser = batch)]
    batch: usize,
    /// Microseconds between two looks at the network during a search
    #[arg(long, value_name = "US", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(10..=100_000))]
    step: u64,
    /// At the end, print what each rank has sent to the next
    #[arg(long)]
    statistics: bool,
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

impl Args {
    fn step(&self) -> Duration {
        Duration::from_micros(self.step)
    }

    /// Prints what rank `rank` has sent, if that is wanted.
    fn tell(&self, rank: usize, sent: Sent) {
        if self.statistics {
            eprintln!("heddle-cluster: rank {rank}: {sent}");
        }
    }
}

/// The entries that a thread sends at a time.
fn batch(text: &str) -> Result<usize, String> {
    between(text, 1, MESSAGE)
}

/// Why the program fails.
type Failure = Box<dyn Error>;

/// Exit status if a rank does not answer or cannot read an order.
const DESERTED: i32 = 2;
/// Exit status of a rank whose version, network or options differ.
const REFUSED: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    let failed = |error: Failure| fail("heddle-cluster", &*error);
    let Some((universe, net)) = net::join() else {
        return failed("this MPI does not serve programs with several threads".into());
    };
    let result = match &args.tool {
        Some(tool) => share(&net, tool, args.hands),
        None if net.ranks == 1 => alone(),
        None => serve(&net, &args),
    };
    // What there is to say is said before the end of MPI: `mpirun` ends all ranks when one has
    // failed.
    let code = result.unwrap_or_else(failed);
    drop(net);
    drop(universe);
    code
}

/// One rank is an ordinary engine.
fn alone() -> Result<ExitCode, Failure> {
    uci::run(io::BufReader::new(streams::input()), streams::output())?;
    Ok(ExitCode::SUCCESS)
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
        return Err(format!("another version, network or options on rank {ranks}").into());
    }
    Ok(strangers.is_empty())
}

fn serve(net: &Net, args: &Args) -> Result<ExitCode, Failure> {
    let filter = Filter { least_depth: args.least_depth, batch: args.batch };
    let inbox = uci::inbox();
    let engine = Local::new(Arc::clone(&inbox), filter);
    let digests = net.gather(engine.as_ref().map_or(0, |(local, _)| local.digest()));
    let (local, outgoing) = engine?;
    if !agree(net, &digests)? {
        return Ok(ExitCode::from(REFUSED)); // the first rank says why
    }
    if net.rank > 0 {
        let sent = Member::new(net, local, outgoing).run(args.step()).unwrap_or_else(|error| {
            eprintln!("heddle-cluster: rank {}: {error}", net.rank);
            net.abort(DESERTED)
        });
        args.tell(net.rank, sent);
        return Ok(ExitCode::SUCCESS);
    }
    lead(net, local, outgoing, inbox, args)
}

/// Speaks UCI on a thread of its own, and MPI on this one.
fn lead(
    net: &Net,
    local: Local,
    outgoing: Arc<Outgoing>,
    inbox: Arc<Inbox>,
    args: &Args,
) -> Result<ExitCode, Failure> {
    let desk = Desk::default();
    let error = Arc::<Mutex<Option<UciError>>>::default();
    let protocol = {
        let (desk, error, ranks) = (desk.clone(), Arc::clone(&error), net.ranks);
        move || {
            let _end = EndOfProtocol(Arc::clone(&desk.requests));
            let input = io::BufReader::new(streams::input());
            let host = ClusterHost::new(local, desk, ranks);
            *error.lock() = uci::run_on(&inbox, input, streams::output(), host).err();
        }
    };
    let mut head = Head::new(net, outgoing, desk.clone());
    let protocol = spawn("protocol".into(), SMALL_STACK, protocol).map_err(|refused| {
        *error.lock() = Some(UciError::Input(refused));
        desk.requests.send(Request::Quit);
    });
    let Some(sent) = head.run(args.step()) else {
        eprintln!("heddle-cluster: a rank does not answer; all are ended");
        net.abort(DESERTED);
    };
    args.tell(net.rank, sent);
    if protocol.is_ok_and(|protocol| protocol.join().is_err()) {
        return Err("the protocol's thread has panicked".into());
    }
    error.lock().take().map_or(Ok(ExitCode::SUCCESS), |error| Err(error.into()))
}

/// Tells the thread for messages, however the protocol ends.
struct EndOfProtocol(Arc<Mailbox<Request>>);

impl Drop for EndOfProtocol {
    fn drop(&mut self) {
        self.0.send(Request::Quit);
    }
}
