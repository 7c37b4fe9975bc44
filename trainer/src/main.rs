//! The trainer's command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use trainer::train::{self, Outputs, Plan};

/// Trains Heddle's network on the engine's own games.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    plan: Plan,
    #[command(flatten)]
    outputs: Outputs,
    /// Go on with the training kept in this file; the plan is the one it was begun with
    #[arg(long, value_name = "FILE", conflicts_with = "Plan")]
    resume: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Cli { plan, outputs, resume } = Cli::parse();
    let result = match resume {
        Some(path) => train::resume(&path, &outputs),
        None => train::begin(&plan, &outputs),
    };
    match result {
        Ok(_) => {
            println!("{}", outputs.output.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
