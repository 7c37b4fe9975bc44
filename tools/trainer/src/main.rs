//! The trainer's command line.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::{self, ExitCode};

use clap::Parser;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_trainer::train::{self, Args, Control, TrainError};

/// What a shell expects of a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// Trains Heddle's network on the engine's own games.
///
/// Ctrl-C ends a training after the current step and keeps its checkpoint, if it has one; a second
/// one ends it at once.
#[derive(Parser)]
#[command(name = "heddle-train", version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    let stop = Arc::new(StopFlag::default());
    if let Err(error) = stop_on_interrupt(Arc::clone(&stop)) {
        tell(format_args!("Ctrl-C will end the training at once: {error}"));
    }
    match train::run(&args, Control { stop: &stop, say: &|line| say(line) }) {
        Ok(_) => {
            say(args.outputs.output.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            tell(&error);
            match error {
                TrainError::Interrupted { .. } => ExitCode::from(INTERRUPTED),
                _ => ExitCode::from(2),
            }
        }
    }
}

fn stop_on_interrupt(stop: Arc<StopFlag>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        if stop.is_raised() {
            process::exit(INTERRUPTED.into());
        }
        stop.raise();
    })
}

/// Writes a line to standard output. A failure is ignored: no message is worth the training.
fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Writes a line to standard error, in the same way.
fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "heddle-train: {text}");
}
