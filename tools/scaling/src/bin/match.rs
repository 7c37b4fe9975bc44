//! The tool alone, for its tests.

use std::process::ExitCode;

use heddle_scaling::games;

fn main() -> ExitCode {
    games::own_engine().unwrap_or_else(|| heddle::cli::run_tool(games::run))
}
