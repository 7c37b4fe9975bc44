//! The command line of the board.

use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, Completion, exit_status};

#[derive(Parser)]
#[command(name = "heddle-board", bin_name = "heddle board", version)]
struct Cli {
    #[command(flatten)]
    args: heddle_board::Args,
}

fn main() -> ExitCode {
    let ended = heddle_board::run(&cli::parse::<Cli>().args);
    exit_status("heddle-board", ended.map(|()| Completion::Complete))
}
