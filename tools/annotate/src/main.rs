//! The command line of the annotator.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, exit_status};

#[derive(Parser)]
#[command(name = "heddle-annotate", bin_name = "heddle annotate", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_annotate::Args,
}

fn main() -> ExitCode {
    exit_status("heddle-annotate", heddle_annotate::run(&cli::parse::<Cli>().args))
}
