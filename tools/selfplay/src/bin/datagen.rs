//! The command line of self-play.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "heddle-datagen", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_selfplay::GenerateArgs,
}

fn main() -> ExitCode {
    match heddle_selfplay::generate(&Cli::parse().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, nobody can be told.
            let _ = writeln!(io::stderr(), "heddle-datagen: {error}");
            ExitCode::from(2)
        }
    }
}
