//! The command line of the scaling measurements.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use heddle_scaling::{Completion, INTERRUPTED};

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
        Err(error) => {
            // If this fails too, nobody can be told.
            let _ = writeln!(io::stderr(), "heddle-scaling: {error}");
            ExitCode::from(2)
        }
    }
}
