//! The command line of the scaling measurements.

use std::process::ExitCode;

use clap::Parser;
use heddle::commands::cli::{INTERRUPTED, fail};
use heddle_scaling::Completion;

#[derive(Parser)]
#[command(name = "heddle-scaling", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_scaling::Args,
}

fn main() -> ExitCode {
    match heddle_scaling::run(&Cli::parse().args) {
        Ok(Completion::Complete) => ExitCode::SUCCESS,
        Ok(Completion::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => fail("heddle-scaling", &error),
    }
}
