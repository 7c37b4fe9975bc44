//! The command line of the tools for game files.

use std::process::ExitCode;

use clap::Parser;
use heddle::commands::cli::fail;

#[derive(Parser)]
#[command(name = "heddle-data", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_selfplay::ToolArgs,
}

fn main() -> ExitCode {
    match heddle_selfplay::tools(&Cli::parse().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail("heddle-data", &error),
    }
}
