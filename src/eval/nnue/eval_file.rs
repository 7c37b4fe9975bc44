//! Selects the evaluation, and where its network comes from.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::network::{FILE_SIZE, Network, NetworkError};
use crate::memory::{OutOfMemory, check_headroom};
use crate::paths;
use crate::sync::Arc;

/// The network the program was built with, if any; see `build.rs`.
const EMBEDDED: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Memory needed to load a network, in bytes: the file and the network, and as much again.
const MEMORY: usize = 4 * FILE_SIZE;

/// The choice of an evaluation, as a user names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EvalFile {
    /// The network the program was built with; if there is none, the classical evaluation.
    #[default]
    Default,
    /// The classical evaluation.
    Classical,
    /// The network in a file.
    File(PathBuf),
}

/// Why an evaluation could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum EvalFileError {
    /// The file could not be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file is not a network that this engine accepts.
    #[error("{}: {source}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: NetworkError,
    },
    /// There is not enough memory for a network.
    #[error("cannot load the network: {0}")]
    Memory(#[from] OutOfMemory),
    /// The program was built with a file that is not a valid network.
    #[error("the embedded network: {0}")]
    Embedded(NetworkError),
}

impl From<&str> for EvalFile {
    /// Parses `<default>` and `<classical>`, with or without the angle brackets; anything else is a
    /// path.
    fn from(name: &str) -> Self {
        match name {
            Self::DEFAULT | "default" => Self::Default,
            Self::CLASSICAL | "classical" => Self::Classical,
            path => Self::File(paths::path(path)),
        }
    }
}

impl From<OsString> for EvalFile {
    /// The same for a word of the command line.
    fn from(name: OsString) -> Self {
        Self::from(paths::text(&name).as_str())
    }
}

impl EvalFile {
    /// The option value that means [`EvalFile::Default`].
    pub const DEFAULT: &str = "<default>";
    /// The option value that means [`EvalFile::Classical`].
    pub const CLASSICAL: &str = "<classical>";

    /// Loads the network; `None` for the classical evaluation.
    ///
    /// # Errors
    /// [`EvalFileError`] when there should be a network but it cannot be loaded.
    pub fn load(&self) -> Result<Option<Arc<Network>>, EvalFileError> {
        if *self != Self::Classical {
            check_headroom(MEMORY)?;
        }
        let network = match self {
            Self::Classical => return Ok(None),
            Self::Default => {
                let Some(bytes) = EMBEDDED else { return Ok(None) };
                Network::from_bytes(bytes).map_err(EvalFileError::Embedded)?
            }
            Self::File(path) => {
                let bytes = read(path)
                    .map_err(|source| EvalFileError::Unreadable { path: path.clone(), source })?;
                Network::from_bytes(&bytes)
                    .map_err(|source| EvalFileError::Refused { path: path.clone(), source })?
            }
        };
        Ok(Some(Arc::new(network)))
    }
}

/// Reads a file; of one that is too long, only enough to see that.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Anything but a regular file, such as a pipe, might never end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
