//! The laboratory's command line.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, fail};

#[derive(Parser)]
#[command(name = "heddle-lab", bin_name = "heddle lab", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_lab::Args,
}

fn main() -> ExitCode {
    match heddle_lab::run(&cli::parse::<Cli>().args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail("heddle-lab", &error),
    }
}
