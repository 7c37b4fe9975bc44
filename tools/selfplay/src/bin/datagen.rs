//! The command line of self-play.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, fail};

#[derive(Parser)]
#[command(name = "heddle-datagen", bin_name = "heddle datagen", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_selfplay::GenerateArgs,
}

fn main() -> ExitCode {
    match heddle_selfplay::generate(&cli::parse::<Cli>().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail("heddle-datagen", &error),
    }
}
