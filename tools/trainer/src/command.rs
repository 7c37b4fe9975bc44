//! The command line.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use clap::Subcommand;
use heddle::cli::{Completion, stop_on_interrupt};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_progress::tell;

use crate::train::{self, Control, TrainError};
use crate::{duel, gold, judge, mean, prune};

/// Train Heddle's network on the engine's own games.
///
/// Ctrl-C ends a training after the current step and keeps its checkpoint, if it has one; a second
/// Ctrl-C ends it at once.
#[derive(clap::Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[group(skip)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    train: train::Args,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    Eval(gold::Args),
    Judge(judge::Args),
    Duel(duel::Args),
    Mean(mean::Args),
    Prune(prune::Args),
}

/// Runs the command that `args` ask for.
///
/// # Errors
/// Those of the command, and a result that cannot be printed.
pub fn run(args: &Args) -> Result<Completion, Box<dyn Error>> {
    match &args.command {
        None => train(&args.train),
        Some(Command::Eval(args)) => show(gold::run(args)?),
        Some(Command::Judge(args)) => show(judge::run(args)?),
        Some(Command::Duel(args)) => duel(args),
        Some(Command::Mean(args)) => written(mean::run(args), &args.output),
        Some(Command::Prune(args)) => written(prune::run(args), &args.output),
    }
}

/// Prints a result, which is all that the command is for: a write error matters.
fn show(report: impl Display) -> Result<Completion, Box<dyn Error>> {
    write!(io::stdout(), "{report}")?;
    Ok(Completion::Complete)
}

fn duel(args: &duel::Args) -> Result<Completion, Box<dyn Error>> {
    let stop = Arc::new(StopFlag::default());
    if let Err(error) = stop_on_interrupt(Arc::clone(&stop)) {
        tell(format_args!("heddle: Ctrl-C will lose the games: {error}"));
    }
    show(format_args!("{}\n", duel::run(args, &stop)?))
}

fn train(args: &train::Args) -> Result<Completion, Box<dyn Error>> {
    let stop = Arc::new(StopFlag::default());
    if let Err(error) = stop_on_interrupt(Arc::clone(&stop)) {
        tell(format_args!("heddle: Ctrl-C will end the training at once: {error}"));
    }
    let trained = train::run(args, Control { stop: &stop, say: &|line| say(line) });
    written(trained.map(|_| ()), &args.outputs.output)
}

/// Names the network that was written to `path`, or says why there is none.
fn written(result: Result<(), TrainError>, path: &Path) -> Result<Completion, Box<dyn Error>> {
    match result {
        Ok(()) => {
            say(path.display());
            Ok(Completion::Complete)
        }
        Err(interrupted @ TrainError::Interrupted { .. }) => {
            tell(format_args!("heddle: {interrupted}"));
            Ok(Completion::Interrupted)
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes a line to standard output. A failure is ignored: no message is worth losing the training.
fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}
