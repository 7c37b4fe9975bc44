//! The command line of the tools for game files.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, fail};

#[derive(Parser)]
#[command(name = "heddle-data", bin_name = "heddle data", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_selfplay::ToolArgs,
}

fn main() -> ExitCode {
    match heddle_selfplay::tools(&cli::parse::<Cli>().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail("heddle-data", &error),
    }
}
