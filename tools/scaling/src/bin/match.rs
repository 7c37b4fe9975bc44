//! The command line of `heddle match`.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use heddle::cli::{self, exit_status, fail};
use heddle::streams;
use heddle::tt::share_arena;
use heddle_scaling::games::{self, OWN_ENGINE};

#[derive(Parser)]
#[command(name = "heddle-match", bin_name = "heddle match", version)]
struct Cli {
    #[command(flatten)]
    args: games::Args,
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == OWN_ENGINE) {
        return engine();
    }
    exit_status("heddle-match", games::run(&cli::parse::<Cli>().args))
}

/// Heddle itself, for the sides that have no command.
fn engine() -> ExitCode {
    share_arena();
    match heddle::uci::run(io::BufReader::new(streams::input()), streams::output()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail("heddle-match", &error),
    }
}
