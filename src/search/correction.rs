//! Correction history: how far the search has found the evaluation to be off.

use std::array;

#[cfg(not(loom))]
use zerocopy::FromZeros;

use crate::position::{Color, Key, Position};
use crate::score::{Depth, Score};
use crate::smp::recorder::{CacheLine, Observer, Structure};
use crate::tt::prefetch;

use super::history::{Cell, PieceTo};
use super::params;

/// An entry of the correction history.
type CorrectionCell = Cell<1024>;

/// Kinds of keys that an error is stored by: the pawns, either side's pieces, the minor pieces and
/// kings, and the last move together with the one before it.
const KINDS: usize = 5;
/// The last kind: it goes by the line, the others by the position.
const LINE: usize = KINDS - 1;

/// Entries of a kind for either side to move.
const ENTRIES: usize = 16_384;

/// The greatest change of an entry by one node.
const STEP: i32 = CorrectionCell::LIMIT / 4;
/// An entry moves by error × depth / this.
const DEPTH_SCALE: i32 = 8;
/// Units of the weighted sum that make a centipawn.
const GRAIN: i32 = 1024;

/// Errors of the evaluation by kind of key, by side to move and by key: `[5][2][16384]`.
///
/// Source: static evaluation correction history, Caissa (W. Szczerbiński, 2023), in the form that
/// Stockfish gave it (2024).
#[cfg_attr(not(loom), derive(FromZeros))]
pub struct Errors([[[CorrectionCell; ENTRIES]; 2]; KINDS]);

impl Errors {
    /// Forgets all errors. Called while no worker searches.
    pub fn clear(&self) {
        self.0.as_flattened().as_flattened().iter().for_each(CorrectionCell::clear);
    }

    /// Whether anything has been learnt by positions, and by lines.
    #[cfg(test)]
    pub fn is_learnt(&self) -> [bool; 2] {
        let (positions, lines) = self.0.split_at(LINE);
        [positions, lines]
            .map(|kinds| kinds.as_flattened().as_flattened().iter().any(|cell| cell.get() != 0))
    }
}

/// The entries that belong to one node.
#[derive(Copy, Clone, Default)]
pub struct CorrectionIndex {
    side: u16,
    keys: [u16; KINDS],
}

impl CorrectionIndex {
    /// The entries of `position`, reached by the moves `previous` (the last, and the one before).
    pub fn new(position: &Position, previous: [PieceTo; 2]) -> Self {
        let entry = |key: Key| (key as usize % ENTRIES) as u16;
        let [white, black] = Color::ALL.map(|color| entry(position.non_pawn_key(color)));
        let [last, before] = previous;
        let keys = [
            entry(position.pawn_key()),
            white,
            black,
            entry(position.minor_key()),
            (last.mix(before) % ENTRIES) as u16,
        ];
        Self { side: position.turn() as u16, keys }
    }
}

/// The weight of each kind in the correction.
fn weights() -> [i32; KINDS] {
    let pieces = params::correction_pieces();
    [
        params::correction_pawns(),
        pieces,
        pieces,
        params::correction_minors(),
        params::correction_moves(),
    ]
}

/// The errors that a worker knows. Those by position are shared by all that search together, as
/// Stockfish does since 2025. Those by line are, like all that is learnt about moves, not worth
/// their way to many workers.
#[derive(Copy, Clone)]
pub struct Correction<'a> {
    /// Where the errors by position are.
    pub position: &'a Errors,
    /// Where those by line are.
    pub line: &'a Errors,
}

impl<'a> Correction<'a> {
    /// Both are here.
    pub fn of(errors: &'a Errors) -> Self {
        Self { position: errors, line: errors }
    }

    /// The corrected evaluation.
    pub fn apply(self, index: CorrectionIndex, eval: Score, observer: Observer<'_>) -> Score {
        let entries = self.entries(index);
        if observer.is_on() {
            entries.iter().for_each(|(_, line)| observer.read(Structure::Correction, *line));
        }
        let sum: i32 =
            entries.iter().zip(weights()).map(|((entry, _), weight)| weight * entry.get()).sum();
        Score::eval(eval.get() + sum / GRAIN)
    }

    /// Learns that a search of `depth` found the evaluation to be off by `error` centipawns.
    pub fn update(self, index: CorrectionIndex, depth: Depth, error: i32, observer: Observer<'_>) {
        let step = (error * depth / DEPTH_SCALE).clamp(-STEP, STEP);
        for (entry, line) in self.entries(index) {
            observer.read(Structure::Correction, line);
            if entry.pull(step) {
                observer.write(line);
            }
        }
    }

    /// Fetches the entries into the cache.
    #[inline]
    pub fn prefetch(self, index: CorrectionIndex) {
        self.entries(index).into_iter().for_each(|(entry, _)| prefetch(entry));
    }

    /// The entry of each kind, and its cache line.
    #[inline(always)]
    fn entries(self, index: CorrectionIndex) -> [(&'a CorrectionCell, CacheLine); KINDS] {
        array::from_fn(|kind| {
            let errors = if kind == LINE { self.line } else { self.position };
            let entry = &errors.0[kind][usize::from(index.side)][usize::from(index.keys[kind])];
            (entry, CacheLine::within(errors, entry))
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_error_is_corrected() {
        let errors = crate::memory::zeroed::<Errors>();
        let correction = Correction::of(&errors);
        let index = CorrectionIndex::new(&Position::default(), [PieceTo::NONE; 2]);
        let eval = Score::new(30);
        let corrected = || correction.apply(index, eval, Observer::default());
        assert_eq!(corrected(), eval);
        for _ in 0..100 {
            correction.update(index, 8, 60, Observer::default());
        }
        assert!(corrected() > eval + 20 && corrected() < eval + 200, "{:?}", corrected());
        errors.clear();
        assert_eq!(corrected(), eval);
    }
}
