//! The trainer's command line.

use std::process::ExitCode;

use clap::Parser;
use heddle_trainer::train::{self, Args};

/// Trains Heddle's network on the engine's own games.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    match train::run(&args) {
        Ok(_) => {
            println!("{}", args.outputs.output.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
