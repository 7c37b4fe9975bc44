//! The tools: `heddle annotate` runs `heddle-tools annotate`.
//!
//! They are a program of their own, so that the playing program does not depend on anything that
//! only measures, draws or serves pages.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The program of all tools.
const PROGRAM: &str = "heddle-tools";
/// The tools, with their summaries.
pub const TOOLS: [(&str, &str); 9] = [
    ("annotate", "Explain games: PGN to annotated PGN and a page with a board"),
    ("board", "Play, analyse and watch the threads think, in a browser"),
    ("lab", "Compare the classical search algorithms on the same trees"),
    ("scaling", "Measure how the search scales with the number of threads"),
    ("match", "Play games between two UCI engines, at equal or unequal nodes or time"),
    ("datagen", "Play games of the engine against itself to train a network on"),
    ("data", "Count, shuffle, split, rescore and fit files of games"),
    ("train", "Train a network on games"),
    ("tune", "Tune the parameters of the search by games"),
];

/// The program of the tools cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {PROGRAM}, which `make tools` builds: {0}")]
pub struct ToolsError(#[source] io::Error);

/// Whether `command` is a tool.
pub fn is_tool(command: &str) -> bool {
    TOOLS.iter().any(|(tool, _)| *tool == command)
}

/// Runs the tools with this command line and returns the exit status. On Unix their program
/// replaces this one, so that signals reach it.
///
/// # Errors
/// [`ToolsError`].
pub fn run(words: &[OsString]) -> Result<ExitCode, ToolsError> {
    replace(Command::new(locate(PROGRAM)).args(words)).map_err(ToolsError)
}

/// The program `name` beside this one; its name alone, which the system looks for on `PATH`, if
/// there is none.
pub fn locate(name: &str) -> PathBuf {
    let name = format!("{name}{EXE_SUFFIX}");
    let beside = env::current_exe().map(|path| path.with_file_name(&name));
    beside.ok().filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

#[cfg(unix)]
fn replace(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The lines of `--help` about the tools.
pub fn help() -> String {
    let rows = TOOLS.map(|(name, summary)| format!("  {name:9}  {summary}"));
    format!("Tools, run by {PROGRAM}:\n{}", rows.join("\n"))
}
