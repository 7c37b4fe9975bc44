//! All tools in one program: `heddle annotate` runs `heddle-tools annotate`.
//!
//! Each tool is a library, whose crate also has it as a program of its own for its tests. One
//! program for all has the engine in it once.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, exit_status};
use heddle_scaling::games;

/// The tools of Heddle, a UCI chess engine, which runs them as its commands.
#[derive(Parser)]
#[command(name = "heddle-tools", display_name = "heddle", bin_name = "heddle")]
#[command(version, propagate_version = true)]
enum Tool {
    Annotate(heddle_annotate::Args),
    Board(heddle_board::Args),
    Lab(heddle_lab::Args),
    Scaling(heddle_scaling::Args),
    Match(games::Args),
    Datagen(heddle_selfplay::GenerateArgs),
    Data(heddle_selfplay::ToolArgs),
    Train(heddle_trainer::Args),
    Tune(heddle_tuner::Args),
}

fn main() -> ExitCode {
    games::own_engine().unwrap_or_else(|| match cli::parse::<Tool>(&[]) {
        Tool::Annotate(args) => exit_status(heddle_annotate::run(&args)),
        Tool::Board(args) => exit_status(heddle_board::run(&args)),
        Tool::Lab(args) => exit_status(heddle_lab::run(&args)),
        Tool::Scaling(args) => exit_status(heddle_scaling::run(&args)),
        Tool::Match(args) => exit_status(games::run(&args)),
        Tool::Datagen(args) => exit_status(heddle_selfplay::generate(&args)),
        Tool::Data(args) => exit_status(heddle_selfplay::tools(&args)),
        Tool::Train(args) => exit_status(heddle_trainer::run(&args)),
        Tool::Tune(args) => exit_status(heddle_tuner::run(&args)),
    })
}
