//! Everything that a worker learns and that workers may share.

use crate::memory::OutOfMemory;

use super::correction::Correction;
use super::history::MoveTables;

/// The histories of one worker, or those that all share.
pub struct Histories {
    pub(super) moves: MoveTables,
    pub(super) correction: Correction,
}

impl Histories {
    /// Empty histories.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self { moves: MoveTables::new()?, correction: Correction::new()? })
    }

    /// Forgets everything; nobody else uses this memory.
    pub fn zero(&mut self) {
        self.moves.zero();
        self.correction.zero();
    }

    /// Forgets everything. Called while no worker searches.
    pub fn clear(&self) {
        self.moves.clear();
        self.correction.clear();
    }
}
