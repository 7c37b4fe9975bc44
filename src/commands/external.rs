//! Commands that are separate programs: `heddle x` runs `heddle-x`, as git and cargo do.
//!
//! The tools (annotation, the board, the laboratory, scaling, matches, self-play, the trainer, the
//! tuner) are built separately, so that the playing program does not depend on anything that only
//! measures, draws or serves pages.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cli::{hint, similar};

/// The prefix of every external program's name.
const PREFIX: &str = "heddle-";
/// The external commands that come with Heddle, with their summaries.
pub const KNOWN: [(&str, &str); 9] = [
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

/// Why an external command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// The program belongs to Heddle but was not found.
    #[error(
        "cannot find {0}, neither beside this program nor on PATH; `make tools` or \
         `cargo build --release` builds it"
    )]
    NotBuilt(String),
    /// No such program was found.
    #[error("no such command: {name}; {}", hint(similar.as_deref(), "see heddle --help"))]
    Unknown {
        /// The word that was typed.
        name: String,
        /// The command that is spelt most alike.
        similar: Option<String>,
    },
    /// The system could not start the program.
    #[error("cannot run {}: {}", .0.display(), .1)]
    Start(PathBuf, #[source] io::Error),
}

/// Whether `command` is one of the programs that come with Heddle.
pub fn is_known(command: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == command)
}

/// Runs the program `heddle-` `command` with `arguments` and returns its exit status. On Unix the
/// program replaces this one, so that signals reach it. `commands` are the names of the program's
/// own commands.
pub fn run(
    command: &str,
    arguments: &[OsString],
    commands: &[&str],
) -> Result<ExitCode, ExternalError> {
    let name = format!("{PREFIX}{command}");
    let path = locate(&name).ok_or_else(|| {
        if is_known(command) {
            ExternalError::NotBuilt(name)
        } else {
            let all = commands.iter().copied().chain(KNOWN.map(|(known, _)| known));
            let similar = similar(command, all).map(str::to_owned);
            ExternalError::Unknown { name: command.into(), similar }
        }
    })?;
    replace(Command::new(&path).args(arguments))
        .map_err(|source| ExternalError::Start(path, source))
}

/// Finds the program `name` beside this one or on `PATH`.
pub fn locate(name: &str) -> Option<PathBuf> {
    let beside = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    find(name, beside, env::var_os("PATH").as_deref())
}

/// Finds the program `name` beside this one or in a directory of `search_path`. A name that
/// contains a separator is never found.
fn find(name: &str, beside: Option<PathBuf>, search_path: Option<&OsStr>) -> Option<PathBuf> {
    if Path::new(name).components().count() != 1 {
        return None;
    }
    let listed = search_path.map(|list| env::split_paths(list).collect::<Vec<_>>());
    let directories = beside.into_iter().chain(listed.into_iter().flatten());
    directories.map(|directory| directory.join(format!("{name}{EXE_SUFFIX}"))).find(|p| p.is_file())
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

/// The lines of `--help` about the external commands.
pub fn help() -> String {
    let rows = KNOWN.map(|(name, summary)| format!("  {name:9}  {summary}"));
    format!("Separate programs, run as {PREFIX}<COMMAND>:\n{}", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_beside_this_one_first() {
        let here = env::current_exe().unwrap();
        let folder = here.parent().unwrap().to_owned();
        let name = here.file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(find(&name, Some(folder.clone()), None), Some(here.clone()));
        assert_eq!(find(&name, None, Some(folder.as_os_str())), Some(here));
        assert_eq!(find(&name, None, None), None);
        assert_eq!(find(&format!("../{name}"), Some(folder), None), None);
    }

    #[test]
    fn what_is_missing_is_said_with_how_to_build_it() {
        let error = |command| run(command, &[], &["analyse", "bench"]).unwrap_err().to_string();
        assert_eq!(error("castle"), "no such command: castle; see heddle --help");
        let meant = "no such command: analyze; did you mean analyse?";
        assert_eq!(error("analyze"), meant);
        assert!(error("scalling").contains("did you mean scaling?"));
        let missing = ExternalError::NotBuilt("heddle-lab".into()).to_string();
        assert!(missing.contains("make tools"), "{missing}");
    }
}
