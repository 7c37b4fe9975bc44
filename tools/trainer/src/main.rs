//! The trainer's command line.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heddle::cli::{self, INTERRUPTED, fail, stop_on_interrupt};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_trainer::train::{self, Args, Control, TrainError};
use heddle_trainer::{duel, gold, judge, mean};

/// The program's name in messages.
const PROGRAM: &str = "heddle-train";

/// Train Heddle's network on the engine's own games.
///
/// Ctrl-C ends a training after the current step and keeps its checkpoint, if it has one; a second
/// Ctrl-C ends it at once.
#[derive(Parser)]
#[command(name = "heddle-train", bin_name = "heddle train", version)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    args: Args,
}

#[derive(Subcommand)]
enum Command {
    Eval(gold::Args),
    Judge(judge::Args),
    Duel(duel::Args),
    Mean(mean::Args),
}

fn main() -> ExitCode {
    let cli = cli::parse::<Cli>();
    match cli.command {
        None => train(&cli.args),
        Some(Command::Eval(args)) => show(gold::run(&args)),
        Some(Command::Judge(args)) => show(judge::run(&args)),
        Some(Command::Duel(args)) => duel(&args),
        Some(Command::Mean(args)) => written(mean::run(&args), &args.output),
    }
}

/// Prints a result, which is all that the command is for: a write error matters.
fn show(result: Result<impl Display, impl Error + 'static>) -> ExitCode {
    match result.map(|report| write!(io::stdout(), "{report}")) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => fail(PROGRAM, &error),
        Err(error) => fail(PROGRAM, &error),
    }
}

fn duel(args: &duel::Args) -> ExitCode {
    let stop = Arc::new(StopFlag::default());
    if let Err(error) = stop_on_interrupt(Arc::clone(&stop)) {
        let _ = writeln!(io::stderr(), "{PROGRAM}: Ctrl-C will lose the games: {error}");
    }
    show(duel::run(args, &stop).map(|score| format!("{score}\n")))
}

fn train(args: &Args) -> ExitCode {
    let stop = Arc::new(StopFlag::default());
    if let Err(error) = stop_on_interrupt(Arc::clone(&stop)) {
        let _ = writeln!(io::stderr(), "{PROGRAM}: Ctrl-C will end the training at once: {error}");
    }
    let trained = train::run(args, Control { stop: &stop, say: &|line| say(line) });
    written(trained.map(|_| ()), &args.outputs.output)
}

/// Names the network that was written to `path`, or says why there is none.
fn written(result: Result<(), TrainError>, path: &Path) -> ExitCode {
    let Err(error) = result else {
        say(path.display());
        return ExitCode::SUCCESS;
    };
    let failure = fail(PROGRAM, &error);
    let is_interrupted = matches!(error, TrainError::Interrupted { .. });
    if is_interrupted { ExitCode::from(INTERRUPTED) } else { failure }
}

/// Writes a line to standard output. A failure is ignored: no message is worth losing the training.
fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}
