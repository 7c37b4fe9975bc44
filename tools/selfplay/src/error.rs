//! Why games could not be played or searched.

use heddle::cli::hands::HandsError;
use heddle::engine::EngineError;
use heddle::eval::nnue::eval_file::EvalFileError;
use heddle::syzygy::TablebaseError;
use heddle_client::Fault;

use crate::files::FileError;
use crate::teacher::TeacherError;

/// Why games could not be played, searched or written.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Memory for the players could not be allocated.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The network cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// Another engine's network cannot be used.
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    /// Another engine cannot be asked.
    #[error(transparent)]
    Client(#[from] Fault),
    /// The processes that share the work cannot be used.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// The tablebases cannot be opened.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
}
