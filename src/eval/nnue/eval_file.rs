//! Which evaluation is used, and where its network comes from.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::network::{FILE_SIZE, Network, NetworkError};
use crate::memory::{OutOfMemory, check_headroom};
use crate::sync::Arc;

/// The network that the program was built with, if any; see `build.rs`.
const EMBEDDED: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// What loading a network takes, in bytes: the file and the network, and as much again.
const MEMORY: usize = 4 * FILE_SIZE;

/// An evaluation, as it is named to the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EvalFile {
    /// The network that the program was built with, else the hand-written evaluation.
    #[default]
    Default,
    /// The hand-written evaluation.
    Classical,
    /// The network in a file.
    File(PathBuf),
}

/// Why an evaluation cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum EvalFileError {
    /// The file cannot be read.
    #[error("cannot read the network {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no network that this engine takes.
    #[error("{}: {source}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NetworkError,
    },
    /// There is no memory for a network.
    #[error("cannot load the network: {0}")]
    Memory(#[from] OutOfMemory),
    /// The program was built with something that is no network.
    #[error("the embedded network: {0}")]
    Embedded(NetworkError),
}

impl From<&str> for EvalFile {
    /// The evaluation of that name, with the angle brackets or without; any other is a path.
    fn from(name: &str) -> Self {
        match name {
            Self::DEFAULT | "default" => Self::Default,
            Self::CLASSICAL | "classical" => Self::Classical,
            path => Self::File(path.into()),
        }
    }
}

impl EvalFile {
    /// [`EvalFile::Default`], in an option.
    pub const DEFAULT: &str = "<default>";
    /// [`EvalFile::Classical`], in an option.
    pub const CLASSICAL: &str = "<classical>";

    /// The network, or `None` for the hand-written evaluation.
    ///
    /// # Errors
    /// [`EvalFileError`], when there should be a network and it cannot be had.
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

/// The bytes of a file, but of one that is too long no more than it takes to see that.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // What is no file, a pipe for instance, might never end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
