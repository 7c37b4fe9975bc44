//! A training on disk, to go on from.
//!
//! A line of JSON says what is being trained and how far it has come; the numbers of the
//! parameters and of both moments follow as 32-bit floats, little endian, and last their CRC-32.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::adam::Adam;
use crate::params::Params;
use crate::train::Plan;

/// What a checkpoint begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    trainer: String,
    plan: Plan,
    steps: u64,
}

/// What the header must say of itself.
const TRAINER: &str = "heddle 1";

/// A training that can go on.
pub struct Checkpoint {
    /// What is being done.
    pub plan: Plan,
    /// The network.
    pub params: Params,
    /// The optimiser, with the steps done.
    pub adam: Adam,
}

/// Why a checkpoint cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system says so.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something else, or is damaged.
    #[error("{}: not a checkpoint of this trainer: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// Writes `bytes` beside `path` and puts them in its place, so that there is always a whole file.
///
/// # Errors
/// [`CheckpointError::Io`].
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let beside = path.with_added_extension("part");
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    written.map_err(|source| CheckpointError::Io { path: path.to_owned(), source })
}

impl Checkpoint {
    /// Writes the checkpoint, in the place of an older one.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn save(
        path: &Path,
        plan: &Plan,
        params: &Params,
        adam: &Adam,
    ) -> Result<(), CheckpointError> {
        let header = Header { trainer: TRAINER.into(), plan: plan.clone(), steps: adam.steps };
        let json = serde_json::to_string(&header)
            .map_err(|error| CheckpointError::Io { path: path.to_owned(), source: error.into() })?;
        let mut bytes = json.into_bytes();
        bytes.push(b'\n');
        let numbers = [params, &adam.first, &adam.second].into_iter().flat_map(Params::iter);
        let start = bytes.len();
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
        bytes.extend(crc32fast::hash(&bytes[start..]).to_le_bytes());
        replace(path, &bytes)
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = fs::read(path)
            .map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
        Self::parse(&bytes)
            .map_err(|reason| CheckpointError::Foreign { path: path.to_owned(), reason })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("no header")?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|e| e.to_string())?;
        if header.trainer != TRAINER {
            return Err(format!("it is of {}", header.trainer));
        }
        let mut params = Params::zero();
        let mut adam = Adam { steps: header.steps, ..Adam::default() };
        let wanted = 3 * params.iter().count();
        let (numbers, checksum) =
            bytes[end + 1..].as_chunks::<4>().0.split_at_checked(wanted).ok_or("it is cut off")?;
        if checksum != [crc32fast::hash(numbers.as_flattened()).to_le_bytes()] {
            return Err("the checksum is wrong".into());
        }
        let places =
            [&mut params, &mut adam.first, &mut adam.second].into_iter().flat_map(Params::iter_mut);
        for (place, number) in places.zip(numbers) {
            *place = f32::from_le_bytes(*number);
        }
        Ok(Self { plan: header.plan, params, adam })
    }
}
