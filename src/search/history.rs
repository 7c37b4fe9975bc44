//! What workers learn from node to node: which moves were good or bad, and how far the evaluation was off.
//!
//! Every history is an array of small numbers that a good move raises and a bad one lowers, by
//! gravity: the nearer to the limit, the less. Sources: history heuristic, J. Schaeffer, 1983 (and
//! P. Verhelst, "Chess Tree Search", 1997); gravity and malus, Stockfish and Ethereal; counter
//! moves, J. Uiterwijk, 1992; continuation history, Stockfish ("counter move history", 2016).

#[cfg(not(loom))]
use zerocopy::FromZeros;

use crate::position::{Color, Key, Move, Position, Role};
use crate::score::{Depth, Score};
use crate::smp::recorder::{CacheLine, Observer, Structure};
use crate::sync::{AtomicI16, Ordering::Relaxed};
use crate::tt::prefetch;

use super::context::{BUTTERFLY, ButterflySlot, Context, Continuation, PIECE_TO, PieceTo};
use super::params;

/// The greatest absolute value of a history.
pub const HISTORY_LIMIT: i32 = 16_384;

/// Sets of pawns that the pawn history tells apart.
const PAWN_SLOTS: usize = 512;

/// An entry of a history of moves.
type MoveCell = Cell<HISTORY_LIMIT>;
type PieceToCells = [MoveCell; PIECE_TO];
type Butterfly = [MoveCell; BUTTERFLY];
type Captures = [[MoveCell; 7]; PIECE_TO];
type Continuations = [PieceToCells; PIECE_TO + 1];
type Pawns = [PieceToCells; PAWN_SLOTS];
/// The quiet move that last refuted each move.
pub type CounterMoves = [Option<Move>; PIECE_TO + 1];

/// An entry of a history: a number within ±`LIMIT`, which several workers may read and move at once.
///
/// A change is a relaxed load and a relaxed store, not one atomic step: of two workers that change it
/// at once, one may undo the other's change, which costs a little learning. Relaxed is enough, since
/// every stored value is computed from one within the limit and so is within it, whatever the race.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), derive(FromZeros))]
#[repr(transparent)]
pub struct Cell<const LIMIT: i32>(AtomicI16);

impl<const LIMIT: i32> Cell<LIMIT> {
    /// The greatest absolute value.
    pub const LIMIT: i32 = LIMIT;

    /// The value.
    #[inline]
    pub fn get(&self) -> i32 {
        self.0.load(Relaxed).into()
    }

    /// Sets the value to zero. Memory that has never been written stays so, and takes up nothing.
    pub fn clear(&self) {
        if self.get() != 0 {
            self.0.store(0, Relaxed);
        }
    }

    /// Moves the value towards the sign of `step` by gravity: the nearer to the limit, the less. True if that
    /// changed it. Source: Stockfish and Ethereal.
    #[inline]
    pub fn pull(&self, step: i32) -> bool {
        let step = step.clamp(-LIMIT, LIMIT);
        let old = self.get();
        let new = old + step - old * step.abs() / LIMIT;
        // A store that changes nothing would only take the cache line from the other workers.
        if new != old {
            self.0.store(new as i16, Relaxed);
        }
        new != old
    }
}

/// A table of entries at zero, whose memory is taken up when it is written.
#[cfg(not(loom))]
fn table<T: FromZeros>() -> Box<T> {
    crate::memory::zeroed()
}

/// Sets all entries of a table that nobody else uses to zero, faster than one by one.
#[cfg(not(loom))]
fn zero<T: FromZeros>(table: &mut T) {
    table.zero();
}

/// No model searches, and loom's atomics are more than zeros.
#[cfg(loom)]
fn table<T>() -> Box<T> {
    unreachable!("no model searches")
}

/// There is no such table, see [`table`].
#[cfg(loom)]
fn zero<T>(_: &mut T) {}

/// Everything that one worker learns, or that those of its group share.
pub struct Histories {
    butterfly: Box<Butterfly>,
    capture: Box<Captures>,
    continuation: Box<Continuations>,
    pawn: Box<Pawns>,
    pub(super) correction: Correction,
}

impl Histories {
    /// Empty histories.
    pub(super) fn new() -> Self {
        Self {
            butterfly: table(),
            capture: table(),
            continuation: table(),
            pawn: table(),
            correction: Correction::new(),
        }
    }

    /// Forgets everything; nobody else uses this memory.
    pub fn zero(&mut self) {
        zero(&mut *self.butterfly);
        zero(&mut *self.capture);
        zero(&mut *self.continuation);
        zero(&mut *self.pawn);
        self.correction.zero();
    }

    /// Forgets everything. Called while no worker searches.
    pub fn clear(&self) {
        self.butterfly.iter().for_each(MoveCell::clear);
        self.capture.as_flattened().iter().for_each(MoveCell::clear);
        self.continuation.as_flattened().iter().for_each(MoveCell::clear);
        self.pawn.as_flattened().iter().for_each(MoveCell::clear);
        self.correction.clear();
    }
}

/// The histories of moves as one worker uses them, all but the counter moves perhaps shared with others.
pub struct History<'a> {
    butterfly: &'a Butterfly,
    capture: &'a Captures,
    continuation: &'a Continuations,
    pawn: &'a Pawns,
    counter: &'a mut CounterMoves,
    observer: Observer<'a>,
}

/// The step of a move that refutes a node of this depth.
pub fn bonus(depth: Depth) -> i32 {
    (params::bonus_factor() * depth - params::bonus_offset()).min(params::bonus_max())
}

/// The step down of a move that was searched before it without a cutoff.
fn malus(depth: Depth) -> i32 {
    (params::malus_factor() * depth - params::malus_offset()).min(params::malus_max())
}

impl<'a> History<'a> {
    /// The histories of a worker.
    pub fn new(
        histories: &'a Histories,
        counter: &'a mut CounterMoves,
        observer: Observer<'a>,
    ) -> Self {
        let Histories { butterfly, capture, continuation, pawn, correction: _ } = histories;
        Self { butterfly, capture, continuation, pawn, counter, observer }
    }

    /// Scores the quiet moves of one node: by the sum of their butterfly, pawn and continuation histories.
    #[inline]
    pub fn quiets(&self, context: &Context) -> impl Fn(Move) -> i32 {
        let us = context.us();
        let threats = context.threats().all;
        let pawn = &self.pawn[pawn_slot(context.pawn_key())];
        let continuation = context.continuation().map(|row| &self.continuation[row.index()]);
        move |m| {
            let to = PieceTo::new(us, m).index();
            let butterfly = &self.butterfly[ButterflySlot::new(us, threats, m).0];
            let base = self.read(Structure::Butterfly, self.butterfly, butterfly)
                + self.read(Structure::Pawn, self.pawn, &pawn[to]);
            continuation.iter().fold(base, |sum, row| {
                sum + self.read(Structure::Continuation, self.continuation, &row[to])
            })
        }
    }

    /// The score of a capture or promotion.
    pub fn tactical(&self, us: Color, m: Move) -> i32 {
        self.read(Structure::Capture, self.capture, self.capture_cell(us, m))
    }

    /// The quiet move that last refuted the move before.
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        self.counter[previous.index()]
    }

    /// Rewards the quiet move that refuted a node and punishes the quiet moves tried before it.
    pub fn reward_quiet(
        &mut self,
        context: &Context,
        depth: Depth,
        best: Move,
        tried: impl IntoIterator<Item = Move>,
    ) {
        self.counter[context.continuation()[0].index()] = Some(best);
        self.update_quiet(context, best, bonus(depth));
        for m in tried {
            self.update_quiet(context, m, -malus(depth));
        }
    }

    /// Rewards the capture that refuted a node.
    pub fn reward_tactical(&self, us: Color, depth: Depth, best: Move) {
        self.update_tactical(us, best, bonus(depth));
    }

    /// Punishes the captures that were searched without a cutoff.
    pub fn punish_tactical(&self, us: Color, depth: Depth, tried: impl IntoIterator<Item = Move>) {
        for m in tried {
            self.update_tactical(us, m, -malus(depth));
        }
    }

    /// Moves all histories of a quiet move.
    fn update_quiet(&self, context: &Context, m: Move, bonus: i32) {
        let to = PieceTo::new(context.us(), m);
        let pawn = &self.pawn[pawn_slot(context.pawn_key())][to.index()];
        self.pull(Structure::Pawn, self.pawn, pawn, bonus);
        self.update_butterfly(context.butterfly(m), bonus);
        self.update_continuation(context.continuation(), to, bonus);
    }

    /// Moves the butterfly history of a quiet move.
    pub fn update_butterfly(&self, slot: ButterflySlot, bonus: i32) {
        self.pull(Structure::Butterfly, self.butterfly, &self.butterfly[slot.0], bonus);
    }

    /// Moves the continuation histories of a quiet move.
    pub fn update_continuation(&self, rows: Continuation, m: PieceTo, bonus: i32) {
        for row in rows {
            let cell = &self.continuation[row.index()][m.index()];
            self.pull(Structure::Continuation, self.continuation, cell, bonus);
        }
    }

    fn update_tactical(&self, us: Color, m: Move, bonus: i32) {
        self.pull(Structure::Capture, self.capture, self.capture_cell(us, m), bonus);
    }

    fn capture_cell(&self, us: Color, m: Move) -> &'a MoveCell {
        &self.capture[PieceTo::new(us, m).index()][victim(m)]
    }

    /// The value of a cell of `table`.
    #[inline]
    fn read<T>(&self, structure: Structure, table: &T, cell: &MoveCell) -> i32 {
        self.observer.read(structure, CacheLine::within(table, cell));
        cell.get()
    }

    /// Moves the value of a cell of `table`.
    #[inline]
    fn pull<T>(&self, structure: Structure, table: &T, cell: &MoveCell, step: i32) {
        let line = CacheLine::within(table, cell);
        self.observer.read(structure, line);
        if cell.pull(step) {
            self.observer.write(line);
        }
    }
}

/// The index of the captured piece, 0 for a promotion without capture.
fn victim(m: Move) -> usize {
    m.capture().map_or(0, |role: Role| role as usize)
}

/// The row of the pawn history.
fn pawn_slot(pawn_key: Key) -> usize {
    pawn_key as usize % PAWN_SLOTS
}

/// Entries for either side to move.
const CORRECTIONS: usize = 16_384;
/// The greatest change of an entry by one node.
const STEP: i32 = CorrectionCell::LIMIT / 4;
/// An entry moves by error × depth / this.
const DEPTH_SCALE: i32 = 8;
/// Units of the weighted sum that make a centipawn.
const GRAIN: i32 = 1024;

/// An entry of the correction history.
type CorrectionCell = Cell<1024>;

/// Kinds of keys that an error is stored by: the pawns, either side's pieces, the minor pieces and kings, and
/// the last move together with the one before it.
const KINDS: usize = 5;

type Cells = Box<[[CorrectionCell; CORRECTIONS]; 2]>;

/// Correction history: how far the search has found the evaluation to be off in positions like
/// this one, by the pawns, by either side's pieces and by the last move.
///
/// Source: static evaluation correction history, Caissa (W. Szczerbiński, 2023), in the form that
/// Stockfish gave it (2024), and since 2025 shares among its workers, as is done here.
pub struct Correction([Cells; KINDS]);

/// The entries that belong to one node.
#[derive(Copy, Clone)]
pub struct CorrectionKeys {
    side: usize,
    slots: [usize; KINDS],
}

impl CorrectionKeys {
    /// The entries of `position`, reached by the moves `previous` (the last, and the one before).
    pub fn new(position: &Position, previous: [PieceTo; 2]) -> Self {
        let slot = |key: Key| key as usize % CORRECTIONS;
        let [white, black] = Color::ALL.map(|color| slot(position.non_pawn_key(color)));
        let [last, before] = previous;
        let slots = [
            slot(position.pawn_key()),
            white,
            black,
            slot(position.minor_key()),
            last.mix(before) % CORRECTIONS,
        ];
        Self { side: position.turn() as usize, slots }
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

impl Correction {
    /// A memory without an error.
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
    pub fn apply(&self, keys: CorrectionKeys, eval: Score, observer: Observer<'_>) -> Score {
        self.lines(keys).for_each(|line| observer.read(Structure::Correction, line));
        let entries = self.entries(keys).zip(weights());
        let sum: i32 = entries.map(|(entry, weight)| weight * entry.get()).sum();
        Score::eval(eval.get() + sum / GRAIN)
    }

    /// Learns that a search of `depth` found the evaluation to be off by `error` centipawns.
    pub fn learn(&self, keys: CorrectionKeys, depth: Depth, error: i32, observer: Observer<'_>) {
        let step = (error * depth / DEPTH_SCALE).clamp(-STEP, STEP);
        for (entry, line) in self.entries(keys).zip(self.lines(keys)) {
            observer.read(Structure::Correction, line);
            if entry.pull(step) {
                observer.write(line);
            }
        }
    }

    /// Fetches the entries into the cache.
    #[inline]
    pub fn prefetch(&self, keys: CorrectionKeys) {
        self.entries(keys).for_each(prefetch);
    }

    /// The cache lines of the entries.
    fn lines(&self, keys: CorrectionKeys) -> impl Iterator<Item = CacheLine> {
        self.0
            .iter()
            .zip(self.entries(keys))
            .map(|(table, entry)| CacheLine::within(&**table, entry))
    }

    fn entries(&self, keys: CorrectionKeys) -> impl Iterator<Item = &CorrectionCell> {
        self.0.iter().zip(keys.slots).map(move |(table, slot)| &table[keys.side][slot])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_every_value_within_its_limit() {
        const LIMIT: i32 = 16_384;
        let cell = Cell::<LIMIT>::default();
        for _ in 0..1000 {
            cell.pull(3000);
        }
        assert!(cell.get() > LIMIT * 9 / 10);
        assert!(cell.get() <= LIMIT);
        for _ in 0..1000 {
            cell.pull(-LIMIT * 2);
        }
        assert_eq!(cell.get(), -LIMIT);
    }

    #[test]
    fn a_lasting_error_is_corrected() {
        let correction = Correction::new();
        let keys = CorrectionKeys::new(&Position::default(), [PieceTo::NONE; 2]);
        let eval = Score::new(30);
        assert_eq!(correction.apply(keys, eval, Observer::default()), eval);
        for _ in 0..100 {
            correction.learn(keys, 8, 60, Observer::default());
        }
        let corrected = correction.apply(keys, eval, Observer::default());
        assert!(corrected > eval + 20 && corrected < eval + 200, "{corrected:?}");
        correction.clear();
        assert_eq!(correction.apply(keys, eval, Observer::default()), eval);
    }
}
