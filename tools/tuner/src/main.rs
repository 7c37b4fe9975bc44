//! The tuner's command line.

use std::process::ExitCode;

use clap::Parser;
use heddle::commands::cli::{INTERRUPTED, fail};
use heddle_tuner::Completion;

#[derive(Parser)]
#[command(name = "heddle-tune", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_tuner::Args,
}

fn main() -> ExitCode {
    match heddle_tuner::run(&Cli::parse().args) {
        Ok(Completion::Complete) => ExitCode::SUCCESS,
        Ok(Completion::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => fail("heddle-tune", &error),
    }
}
