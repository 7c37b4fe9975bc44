//! Correction history: how far the search has found the evaluation to be off in positions like
//! this one, by the pawns, by either side's pieces and by the last move.
//!
//! Source: static evaluation correction history, Caissa (W. Szczerbiński, 2023), in the form that
//! Stockfish gave it (2024), and since 2025 shares among its workers. Here each worker has its own,
//! or all share one, see [`Sharing`](crate::smp::sharing::Sharing).

use crate::memory::{self, OutOfMemory};
use crate::position::{Color, Key, Position};
use crate::score::{Depth, Score};
use crate::sync::{AtomicI16, Ordering::Relaxed};

use super::history::{PieceTo, gravitate};

/// Entries for either side to move.
const SIZE: usize = 16_384;
/// The greatest change of an entry by one node.
const STEP: i32 = CorrectionCell::LIMIT / 4;
/// An entry moves by the error times the depth over this.
const DEPTH_SCALE: i32 = 8;
/// Units of the weighted sum that make a centipawn.
const GRAIN: i32 = 64;
const PAWN_WEIGHT: i32 = 2;
const PIECES_WEIGHT: i32 = 2;
const MOVE_WEIGHT: i32 = 1;

/// An entry, which several workers may read and move at once.
///
/// A change is a relaxed load and a relaxed store, not one atomic step: of two workers that change it
/// at once, one may undo the other's change, which costs a little learning. Relaxed is enough, since
/// every stored value is computed from one within the limit and so is within it, whatever the race.
#[derive(Debug, Default)]
pub struct CorrectionCell(AtomicI16);

impl CorrectionCell {
    /// The greatest absolute value.
    pub const LIMIT: i32 = 1024;

    /// The value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> i32 {
        self.0.load(Relaxed).into()
    }

    /// Sets the value to zero.
    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    /// Moves the value towards the sign of `step`: the nearer to the limit, the less.
    #[inline]
    pub fn pull(&self, step: i32) {
        let mut value = self.0.load(Relaxed);
        gravitate(&mut value, step, Self::LIMIT);
        self.0.store(value, Relaxed);
    }
}

type Cells = Box<[[CorrectionCell; SIZE]; 2]>;

/// A memory of evaluation errors.
pub struct Correction {
    pawns: Cells,
    pieces: [Cells; 2],
    last_moves: Cells,
}

/// The entries that belong to one node.
#[derive(Copy, Clone)]
pub struct CorrectionKeys {
    side: usize,
    pawns: usize,
    pieces: [usize; 2],
    last_moves: usize,
}

impl CorrectionKeys {
    /// The entries of `position`, reached by the moves `previous` (the last, and the one before).
    #[must_use]
    pub fn new(position: &Position, previous: [PieceTo; 2]) -> Self {
        let slot = |key: Key| key as usize % SIZE;
        Self {
            side: position.turn() as usize,
            pawns: slot(position.pawn_key()),
            pieces: Color::ALL.map(|color| slot(position.non_pawn_key(color))),
            last_moves: previous[0].mix(previous[1]) % SIZE,
        }
    }
}

impl Correction {
    /// A memory without an error.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new() -> Result<Self, OutOfMemory> {
        let table = || memory::boxed(|| [(); SIZE].map(|()| CorrectionCell::default()));
        Ok(Self { pawns: table()?, pieces: [table()?, table()?], last_moves: table()? })
    }

    /// Forgets all errors. Called while no worker searches.
    pub fn clear(&self) {
        let [white, black] = &self.pieces;
        for table in [&self.pawns, white, black, &self.last_moves] {
            table.as_flattened().iter().for_each(CorrectionCell::clear);
        }
    }

    /// The corrected evaluation.
    #[must_use]
    pub fn apply(&self, keys: CorrectionKeys, eval: Score) -> Score {
        let side = keys.side;
        let at = |cells: &Cells, slot: usize| cells[side][slot].get();
        let sum = PAWN_WEIGHT * at(&self.pawns, keys.pawns)
            + PIECES_WEIGHT * at(&self.pieces[0], keys.pieces[0])
            + PIECES_WEIGHT * at(&self.pieces[1], keys.pieces[1])
            + MOVE_WEIGHT * at(&self.last_moves, keys.last_moves);
        Score::eval(eval.get() + sum / GRAIN)
    }

    /// Learns that a search of `depth` found the evaluation to be off by `error` centipawns.
    pub fn learn(&self, keys: CorrectionKeys, depth: Depth, error: i32) {
        let step = (error * depth / DEPTH_SCALE).clamp(-STEP, STEP);
        let side = keys.side;
        self.pawns[side][keys.pawns].pull(step);
        self.pieces[0][side][keys.pieces[0]].pull(step);
        self.pieces[1][side][keys.pieces[1]].pull(step);
        self.last_moves[side][keys.last_moves].pull(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_error_is_corrected() {
        let correction = Correction::new().unwrap();
        let keys = CorrectionKeys::new(&Position::default(), [PieceTo::NONE; 2]);
        let eval = Score::new(30);
        assert_eq!(correction.apply(keys, eval), eval);
        for _ in 0..100 {
            correction.learn(keys, 8, 60);
        }
        let corrected = correction.apply(keys, eval);
        assert!(corrected > eval + 20 && corrected < eval + 200, "{corrected:?}");
        correction.clear();
        assert_eq!(correction.apply(keys, eval), eval);
    }
}
