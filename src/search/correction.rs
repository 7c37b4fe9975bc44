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

/// Kinds of keys of a position: the pawns, either side's pieces, the minor pieces and kings.
const POSITION_KINDS: usize = 4;
/// Kinds of keys of a line: the last move together with the one before it.
const LINE_KINDS: usize = 1;

/// Entries of a kind for either side to move.
const ENTRIES: usize = 16_384;

/// The greatest change of an entry by one node.
const STEP: i32 = CorrectionCell::LIMIT / 4;
/// An entry moves by error × depth / this.
const DEPTH_SCALE: i32 = 8;
/// Units of the weighted sum that make a centipawn.
const GRAIN: i32 = 1024;

/// Errors of the evaluation by kind of key, by side to move and by key: `[KINDS][2][16384]`.
///
/// Source: static evaluation correction history, Caissa (W. Szczerbiński, 2023), in the form that
/// Stockfish gave it (2024).
#[cfg_attr(not(loom), derive(FromZeros))]
pub struct Errors<const KINDS: usize>([[[CorrectionCell; ENTRIES]; 2]; KINDS]);

/// Errors by what stands on the board. Stockfish shares them among its workers since 2025, as is
/// done here.
pub type PositionErrors = Errors<POSITION_KINDS>;
/// Errors by the moves that led there. Like all that is learnt about moves they are not worth their
/// way to many workers.
pub type LineErrors = Errors<LINE_KINDS>;

impl<const KINDS: usize> Errors<KINDS> {
    /// Nothing has been learnt.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.0.as_flattened().as_flattened().iter().all(|cell| cell.get() == 0)
    }

    /// Forgets all errors. Called while no worker searches.
    pub fn clear(&self) {
        self.0.as_flattened().as_flattened().iter().for_each(CorrectionCell::clear);
    }

    fn entries(&self, side: u16, keys: [u16; KINDS]) -> [&CorrectionCell; KINDS] {
        array::from_fn(|kind| &self.0[kind][usize::from(side)][usize::from(keys[kind])])
    }
}

/// The entries that belong to one node.
#[derive(Copy, Clone, Default)]
pub struct CorrectionIndex {
    side: u16,
    position: [u16; POSITION_KINDS],
    line: [u16; LINE_KINDS],
}

impl CorrectionIndex {
    /// The entries of `position`, reached by the moves `previous` (the last, and the one before).
    pub fn new(position: &Position, previous: [PieceTo; 2]) -> Self {
        let entry = |key: Key| (key as usize % ENTRIES) as u16;
        let [white, black] = Color::ALL.map(|color| entry(position.non_pawn_key(color)));
        let [last, before] = previous;
        Self {
            side: position.turn() as u16,
            position: [entry(position.pawn_key()), white, black, entry(position.minor_key())],
            line: [(last.mix(before) % ENTRIES) as u16],
        }
    }
}

/// All kinds; that of the line comes last.
const KINDS: usize = POSITION_KINDS + LINE_KINDS;

/// An entry of each kind.
type Entries<'a> = [&'a CorrectionCell; KINDS];

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

/// The errors that a worker knows, its own or shared ones.
#[derive(Copy, Clone)]
pub struct Correction<'a> {
    /// By position.
    pub position: &'a PositionErrors,
    /// By line.
    pub line: &'a LineErrors,
}

impl<'a> Correction<'a> {
    /// The corrected evaluation.
    pub fn apply(self, index: CorrectionIndex, eval: Score, observer: Observer<'_>) -> Score {
        let entries = self.entries(index);
        if observer.is_on() {
            let lines = self.cache_lines(entries);
            lines.into_iter().for_each(|line| observer.read(Structure::Correction, line));
        }
        let sum: i32 =
            entries.iter().zip(weights()).map(|(entry, weight)| weight * entry.get()).sum();
        Score::eval(eval.get() + sum / GRAIN)
    }

    /// Learns that a search of `depth` found the evaluation to be off by `error` centipawns.
    pub fn update(self, index: CorrectionIndex, depth: Depth, error: i32, observer: Observer<'_>) {
        let step = (error * depth / DEPTH_SCALE).clamp(-STEP, STEP);
        let entries = self.entries(index);
        for (entry, line) in entries.into_iter().zip(self.cache_lines(entries)) {
            observer.read(Structure::Correction, line);
            if entry.pull(step) {
                observer.write(line);
            }
        }
    }

    /// Fetches the entries into the cache.
    #[inline]
    pub fn prefetch(self, index: CorrectionIndex) {
        self.entries(index).into_iter().for_each(prefetch);
    }

    fn cache_lines(self, entries: Entries<'_>) -> [CacheLine; KINDS] {
        let [pawns, white, black, minors, moves] = entries;
        let [pawns, white, black, minors] =
            [pawns, white, black, minors].map(|entry| CacheLine::within(self.position, entry));
        [pawns, white, black, minors, CacheLine::within(self.line, moves)]
    }

    fn entries(self, index: CorrectionIndex) -> Entries<'a> {
        let [pawns, white, black, minors] = self.position.entries(index.side, index.position);
        let [moves] = self.line.entries(index.side, index.line);
        [pawns, white, black, minors, moves]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_error_is_corrected() {
        let (position, line) = (crate::memory::zeroed(), crate::memory::zeroed());
        let correction = Correction { position: &position, line: &line };
        let index = CorrectionIndex::new(&Position::default(), [PieceTo::NONE; 2]);
        let eval = Score::new(30);
        let corrected = || correction.apply(index, eval, Observer::default());
        assert_eq!(corrected(), eval);
        for _ in 0..100 {
            correction.update(index, 8, 60, Observer::default());
        }
        assert!(corrected() > eval + 20 && corrected() < eval + 200, "{:?}", corrected());
        position.clear();
        line.clear();
        assert_eq!(corrected(), eval);
    }
}
