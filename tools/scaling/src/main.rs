//! The command line of the scaling measurements.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use heddle_scaling::{Ending, INTERRUPTED};

#[derive(Parser)]
#[command(name = "heddle-scaling", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_scaling::Args,
}

fn main() -> ExitCode {
    match heddle_scaling::run(&Cli::parse().args) {
        Ok(Ending::Complete) => ExitCode::SUCCESS,
        Ok(Ending::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(io::stderr(), "heddle-scaling: {error}");
            ExitCode::from(2)
        }
    }
}
