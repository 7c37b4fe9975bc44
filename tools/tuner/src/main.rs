//! The tuner's command line.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, exit_status};

#[derive(Parser)]
#[command(name = "heddle-tune", bin_name = "heddle tune", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_tuner::Args,
}

fn main() -> ExitCode {
    exit_status("heddle-tune", heddle_tuner::run(&cli::parse::<Cli>().args))
}
