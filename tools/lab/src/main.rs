//! The laboratory's command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "heddle-lab", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_lab::Args,
}

fn main() -> ExitCode {
    match heddle_lab::run(&Cli::parse().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, nobody can be told.
            let _ = writeln!(io::stderr(), "heddle-lab: {error}");
            ExitCode::from(2)
        }
    }
}
