//! The engine that is tuned.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heddle::position::Position;
use heddle::score::Depth;
use heddle_client::{Fault, House, Seat, Spec};
use heddle_scaling::games::DuelError;

use crate::parameter::{Parameter, ParameterError};

/// Depth of the signature search, in plies: it takes a fraction of a second.
const SIGNATURE_DEPTH: Depth = 12;

/// Why an engine cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot run {}: {source}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The program has no margins to tune.
    #[error("{}: not a build of heddle with --features spsa", .0.display())]
    Untunable(PathBuf),
    /// A margin makes no sense.
    #[error("{}: {source}", path.display())]
    Parameter {
        /// The program.
        path: PathBuf,
        /// What is wrong with it.
        source: ParameterError,
    },
    /// The process ended early.
    #[error("{}: the engine died ({status})", path.display())]
    Died {
        /// The program.
        path: PathBuf,
        /// How it ended, in words.
        status: String,
    },
    /// The engine has a fault outside a game.
    #[error("{}: {source}", path.display())]
    Fault {
        /// The program.
        path: PathBuf,
        /// The fault.
        source: Fault,
    },
    /// The engine cannot play.
    #[error(transparent)]
    Duel(#[from] DuelError),
    /// The engine has a fault in a game.
    #[error("{0}")]
    Lost(String),
}

/// The margins of the engine `path`, from its command `spsa`.
///
/// # Errors
/// [`EngineError`] when it cannot be run or has none.
pub fn parameters(path: &Path) -> Result<Vec<Parameter>, EngineError> {
    let output = Command::new(path)
        .arg("spsa")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| EngineError::Start { path: path.to_owned(), source })?;
    let path = path.to_owned();
    if output.status.code().is_none() {
        return Err(EngineError::Died { path, status: output.status.to_string() });
    }
    let lines = String::from_utf8(output.stdout).ok().filter(|_| output.status.success());
    let lines = lines.filter(|lines| !lines.is_empty());
    let Some(lines) = lines else { return Err(EngineError::Untunable(path)) };
    let found = lines.lines().map(str::parse).collect::<Result<Vec<Parameter>, _>>();
    found.map_err(|source| EngineError::Parameter { path, source })
}

/// The nodes of a short search by the engine at `path` with the default values. A change of the
/// search or the network is likely to change it.
///
/// # Errors
/// [`EngineError`].
pub fn signature(path: &Path, house: House) -> Result<u64, EngineError> {
    let mut seat = Seat::new(spec(path), house);
    let sample = seat
        .session()
        .and_then(|session| session.take(&Position::default(), 1, SIGNATURE_DEPTH, None));
    sample
        .map(|sample| sample.nodes)
        .map_err(|source| EngineError::Fault { path: path.to_owned(), source })
}

/// How the engine at `path` is started.
pub fn spec(path: &Path) -> Spec {
    let program = path.to_string_lossy().into_owned();
    Spec { program, ..Spec::default() }
}
