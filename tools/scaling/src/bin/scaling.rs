//! The command line of the scaling measurements.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, exit_status};

#[derive(Parser)]
#[command(name = "heddle-scaling", bin_name = "heddle scaling", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_scaling::Args,
}

fn main() -> ExitCode {
    exit_status("heddle-scaling", heddle_scaling::run(&cli::parse::<Cli>().args))
}
