//! The command line of the annotator.

use std::process::ExitCode;

use clap::Parser;
use heddle::commands::cli::{INTERRUPTED, fail};
use heddle_annotate::Completion;

#[derive(Parser)]
#[command(name = "heddle-annotate", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_annotate::Args,
}

fn main() -> ExitCode {
    match heddle_annotate::run(&Cli::parse().args) {
        Ok(Completion::Complete) => ExitCode::SUCCESS,
        Ok(Completion::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => fail("heddle-annotate", &error),
    }
}
