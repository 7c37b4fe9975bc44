//! The tool alone, for its tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    heddle::cli::run_tool(heddle_lab::run)
}
