//! Correction history: how far the search has found the evaluation to be off in positions like
//! this one, by the pawns, by either side's pieces and by the last move.
//!
//! Source: static evaluation correction history, Caissa (W. Szczerbiński, 2023), in the form that
//! Stockfish gave it (2024), and since 2025 shares among its workers, as is done here.

use crate::position::{Color, Key, Position};
use crate::score::{Depth, Score};
use crate::smp::coherence::{Line, Observer, Structure};
use crate::tt::prefetch;

use super::cell::{Cell, table, zero};
use super::move_keys::PieceTo;
use super::params;

/// Entries for either side to move.
const SIZE: usize = 16_384;
/// The greatest change of an entry by one node.
const STEP: i32 = CorrectionCell::LIMIT / 4;
/// An entry moves by the error times the depth over this.
const DEPTH_SCALE: i32 = 8;
/// Units of the weighted sum that make a centipawn.
const GRAIN: i32 = 1024;

/// An entry.
pub type CorrectionCell = Cell<1024>;

/// Kinds of keys that an error is stored by: the pawns, either side's pieces, the minor pieces and kings, and
/// the last move together with the one before it.
const KINDS: usize = 5;

type Cells = Box<[[CorrectionCell; SIZE]; 2]>;

/// A memory of evaluation errors.
pub struct Correction([Cells; KINDS]);

/// The entries that belong to one node.
#[derive(Copy, Clone)]
pub struct CorrectionKeys {
    side: usize,
    slots: [usize; KINDS],
}

impl CorrectionKeys {
    /// The entries of `position`, reached by the moves `previous` (the last, and the one before).
    #[must_use]
    pub fn new(position: &Position, previous: [PieceTo; 2]) -> Self {
        let slot = |key: Key| key as usize % SIZE;
        let [white, black] = Color::ALL.map(|color| slot(position.non_pawn_key(color)));
        let [last, before] = previous;
        let slots = [
            slot(position.pawn_key()),
            white,
            black,
            slot(position.minor_key()),
            last.mix(before) % SIZE,
        ];
        Self { side: position.turn() as usize, slots }
    }
}

/// The weight of each kind in the correction.
fn weights() -> [i32; KINDS] {
    let pieces = params::CORRECTION_PIECES.get();
    [
        params::CORRECTION_PAWNS.get(),
        pieces,
        pieces,
        params::CORRECTION_MINORS.get(),
        params::CORRECTION_MOVES.get(),
    ]
}

impl Correction {
    /// A memory without an error.
    #[must_use]
    pub fn new() -> Self {
        Self([table(), table(), table(), table(), table()])
    }

    /// Forgets all errors; nobody else uses this memory.
    pub fn zero(&mut self) {
        self.0.iter_mut().for_each(|table| zero(&mut **table));
    }

    /// Forgets all errors. Called while no worker searches.
    pub fn clear(&self) {
        for table in &self.0 {
            table.as_flattened().iter().for_each(CorrectionCell::clear);
        }
    }

    /// The corrected evaluation.
    #[must_use]
    pub fn apply(&self, keys: CorrectionKeys, eval: Score, observer: &impl Observer) -> Score {
        self.lines(keys).for_each(|line| observer.read(Structure::Correction, line));
        let entries = self.entries(keys).zip(weights());
        let sum: i32 = entries.map(|(entry, weight)| weight * entry.get()).sum();
        Score::eval(eval.get() + sum / GRAIN)
    }

    /// Learns that a search of `depth` found the evaluation to be off by `error` centipawns.
    pub fn learn(&self, keys: CorrectionKeys, depth: Depth, error: i32, observer: &impl Observer) {
        let step = (error * depth / DEPTH_SCALE).clamp(-STEP, STEP);
        for (entry, line) in self.entries(keys).zip(self.lines(keys)) {
            observer.read(Structure::Correction, line);
            if entry.pull(step) {
                observer.write(Structure::Correction, line);
            }
        }
    }

    /// Fetches the entries into the cache.
    #[inline]
    pub fn prefetch(&self, keys: CorrectionKeys) {
        self.entries(keys).for_each(prefetch);
    }

    /// The cache lines of the entries.
    fn lines(&self, keys: CorrectionKeys) -> impl Iterator<Item = Line> {
        self.0.iter().zip(self.entries(keys)).map(|(table, entry)| Line::within(&**table, entry))
    }

    fn entries(&self, keys: CorrectionKeys) -> impl Iterator<Item = &CorrectionCell> {
        self.0.iter().zip(keys.slots).map(move |(table, slot)| &table[keys.side][slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smp::coherence::Unobserved;

    #[test]
    fn a_lasting_error_is_corrected() {
        let correction = Correction::new();
        let keys = CorrectionKeys::new(&Position::default(), [PieceTo::NONE; 2]);
        let eval = Score::new(30);
        assert_eq!(correction.apply(keys, eval, &Unobserved), eval);
        for _ in 0..100 {
            correction.learn(keys, 8, 60, &Unobserved);
        }
        let corrected = correction.apply(keys, eval, &Unobserved);
        assert!(corrected > eval + 20 && corrected < eval + 200, "{corrected:?}");
        correction.clear();
        assert_eq!(correction.apply(keys, eval, &Unobserved), eval);
    }
}
