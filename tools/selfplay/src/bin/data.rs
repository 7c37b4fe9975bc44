//! The command line of the tools for game files.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "heddle-data", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_selfplay::ToolArgs,
}

fn main() -> ExitCode {
    match heddle_selfplay::tools(&Cli::parse().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, nobody can be told.
            let _ = writeln!(io::stderr(), "heddle-data: {error}");
            ExitCode::from(2)
        }
    }
}
