//! What the observer sees of the transposition table and the board; the histories show their own.

use crate::position::Key;
use crate::smp::coherence::{Line, Observer, Structure};

use super::mode::Mode;
use super::worker::Search;

impl<M: Mode> Search<'_, M> {
    /// A probe of the transposition table.
    #[inline]
    pub fn observe_probe(&self, key: Key) {
        self.observer.read(Structure::Table, Line::of(self.table.cluster(key)));
    }

    /// An entry offered to the transposition table, and stored if it is worth it.
    #[inline]
    pub fn observe_store(&self, key: Key, is_stored: bool) {
        let line = Line::of(self.table.cluster(key));
        self.observer.read(Structure::Table, line);
        if is_stored {
            self.observer.write(Structure::Table, line);
        }
    }

    /// A node counted in the worker's own row of the board.
    #[inline]
    pub fn observe_node(&self) {
        self.observer.write(Structure::Board, self.run.board.row_line(self.index));
    }

    /// The rows of all workers read.
    #[inline]
    pub fn observe_rows(&self) {
        for worker in 0..self.task.workers {
            self.observer.read(Structure::Board, self.run.board.row_line(worker));
        }
    }

    /// The effort on all choices read, or nodes added to one of them.
    #[inline]
    pub fn observe_effort(&self, spent_on: Option<u16>) {
        for (choice, line) in self.run.board.effort_lines() {
            if spent_on.is_none_or(|spent_on| spent_on == choice) {
                self.observer.read(Structure::Board, line);
            }
            if spent_on == Some(choice) {
                self.observer.write(Structure::Board, line);
            }
        }
    }
}
