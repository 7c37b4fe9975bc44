//! Saves a training to disk, to be resumed.
//!
//! The first line is JSON: the plan and the progress. The numbers of the parameters, of both
//! moments and of the average follow as 32-bit floats, little-endian, and then the CRC-32 of
//! everything before it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::adam::Adam;
use crate::average::Average;
use crate::params::Params;
use crate::plan::Plan;

/// The first line of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    trainer: String,
    plan: Plan,
    steps: u64,
}

/// The name and version of the format.
const TRAINER: &str = "heddle 7";
/// Sets of numbers: parameters, two moments, average.
const SETS: usize = 4;
/// Size of a number, and of the checksum, in bytes.
const NUMBER: usize = 4;

/// A training that can be resumed.
pub struct Checkpoint {
    /// What is being trained, and how.
    pub plan: Plan,
    /// The network.
    pub params: Params,
    /// The optimiser, including the number of steps taken.
    pub adam: Adam,
    /// The average of the weights so far.
    pub average: Average,
}

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The plan cannot be written as JSON: a file name is not Unicode.
    #[error("a checkpoint cannot hold this plan: {0}")]
    Plan(serde_json::Error),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file is not a checkpoint, or is damaged.
    #[error("{}: not a checkpoint of this trainer: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// Serialises a checkpoint.
///
/// # Errors
/// [`CheckpointError::Plan`].
pub fn to_bytes(
    plan: &Plan,
    params: &Params,
    adam: &Adam,
    average: &Average,
) -> Result<Vec<u8>, CheckpointError> {
    let header = Header { trainer: TRAINER.into(), plan: plan.clone(), steps: adam.steps };
    let mut bytes = serde_json::to_vec(&header).map_err(CheckpointError::Plan)?;
    bytes.push(b'\n');
    let numbers = [params, &adam.first, &adam.second, &average.mean];
    let numbers = numbers.into_iter().flat_map(Params::iter);
    bytes.extend(numbers.flat_map(f32::to_le_bytes));
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    Ok(bytes)
}

impl Checkpoint {
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

    /// Parses a checkpoint.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("no header")?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|e| e.to_string())?;
        if header.trainer != TRAINER {
            return Err(format!("it was written by {}", header.trainer));
        }
        let mut params = Params::zero();
        let mut mean = Params::zero();
        let mut adam = Adam { steps: header.steps, ..Adam::default() };
        let wanted = SETS * NUMBER * params.iter().count();
        let (start, body) = (end + 1, bytes.len().saturating_sub(NUMBER));
        if body != start + wanted {
            return Err("wrong length".into());
        }
        if bytes[body..] != crc32fast::hash(&bytes[..body]).to_le_bytes() {
            return Err("wrong checksum".into());
        }
        let places = [&mut params, &mut adam.first, &mut adam.second, &mut mean];
        let places = places.into_iter().flat_map(Params::iter_mut);
        for (place, number) in places.zip(bytes[start..body].as_chunks::<NUMBER>().0) {
            *place = f32::from_le_bytes(*number);
        }
        let average = Average::new(mean, header.plan.steps_before_average());
        Ok(Self { plan: header.plan, params, adam, average })
    }
}
