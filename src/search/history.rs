//! Memory of moves that were good or bad in earlier nodes: killers, counter moves and histories.
//!
//! Every history is an array of small numbers that a good move raises and a bad one lowers, by
//! gravity: the nearer to the limit, the less. Sources: history heuristic, J. Schaeffer, 1983 (and
//! P. Verhelst, "Chess Tree Search", 1997); gravity and malus, Stockfish and Ethereal; counter
//! moves, J. Uiterwijk, 1992; continuation history, Stockfish ("counter move history", 2016).

use crate::position::{Color, Key, Move, Role};
use crate::score::Depth;
use crate::smp::coherence::{Line, Observer, Structure};

use super::cell::{Cell, table, zero};
use super::context::Context;
use super::correction::Correction;
use super::move_keys::{BUTTERFLY, ButterflySlot, Continuation, PIECE_TO, PieceTo};
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

/// The histories of moves.
pub struct MoveTables {
    butterfly: Box<Butterfly>,
    capture: Box<Captures>,
    continuation: Box<Continuations>,
    pawn: Box<Pawns>,
}

impl MoveTables {
    /// Empty histories.
    #[must_use]
    pub fn new() -> Self {
        Self { butterfly: table(), capture: table(), continuation: table(), pawn: table() }
    }

    /// Empties all histories, which nobody else uses.
    pub fn zero(&mut self) {
        zero(&mut *self.butterfly);
        zero(&mut *self.capture);
        zero(&mut *self.continuation);
        zero(&mut *self.pawn);
    }

    /// Empties all histories. Called while no worker searches.
    pub fn clear(&self) {
        self.butterfly.iter().for_each(MoveCell::clear);
        self.capture.as_flattened().iter().for_each(MoveCell::clear);
        self.continuation.as_flattened().iter().for_each(MoveCell::clear);
        self.pawn.as_flattened().iter().for_each(MoveCell::clear);
    }
}

/// Everything that one worker learns, or that those of its group share.
pub struct Histories {
    pub(super) moves: MoveTables,
    pub(super) correction: Correction,
}

impl Histories {
    /// Empty histories.
    #[must_use]
    pub(super) fn new() -> Self {
        Self { moves: MoveTables::new(), correction: Correction::new() }
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

/// The histories of moves as one worker uses them, all but the counter moves perhaps shared with others.
pub struct History<'a, O> {
    butterfly: &'a Butterfly,
    capture: &'a Captures,
    continuation: &'a Continuations,
    pawn: &'a Pawns,
    counter: &'a mut CounterMoves,
    observer: O,
}

/// The step of a move that refutes a node of this depth.
pub fn bonus(depth: Depth) -> i32 {
    (params::BONUS_FACTOR.get() * depth - params::BONUS_OFFSET.get()).min(params::BONUS_MAX.get())
}

/// The step down of a move that was searched before it without a cutoff.
fn malus(depth: Depth) -> i32 {
    (params::MALUS_FACTOR.get() * depth - params::MALUS_OFFSET.get()).min(params::MALUS_MAX.get())
}

impl<'a, O: Observer> History<'a, O> {
    /// The histories of a worker.
    #[must_use]
    pub fn new(moves: &'a MoveTables, counter: &'a mut CounterMoves, observer: O) -> Self {
        let MoveTables { butterfly, capture, continuation, pawn } = moves;
        Self { butterfly, capture, continuation, pawn, counter, observer }
    }

    /// Scores the quiet moves of one node: by the sum of their butterfly, pawn and continuation histories.
    #[inline]
    pub fn quiets(&self, context: &Context) -> impl Fn(Move) -> i32 {
        let us = context.us();
        let threats = context.threats().all;
        let pawn = &self.pawn[pawn_slot(context.pawn_key())];
        let continuation = context.continuation().0.map(|row| &self.continuation[row.index()]);
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
    #[must_use]
    pub fn tactical(&self, us: Color, m: Move) -> i32 {
        self.read(Structure::Capture, self.capture, self.capture_cell(us, m))
    }

    /// The quiet move that last refuted the move before.
    #[must_use]
    pub fn counter(&self, previous: PieceTo) -> Option<Move> {
        self.counter[previous.index()]
    }

    /// Rewards the quiet move that refuted a node and punishes the quiet moves tried before it.
    pub fn reward_quiet(&mut self, context: &Context, depth: Depth, best: Move, tried: &[Move]) {
        self.counter[context.continuation().0[0].index()] = Some(best);
        self.update_quiet(context, best, bonus(depth));
        for &m in tried {
            self.update_quiet(context, m, -malus(depth));
        }
    }

    /// Rewards the capture that refuted a node.
    pub fn reward_tactical(&self, us: Color, depth: Depth, best: Move) {
        self.update_tactical(us, best, bonus(depth));
    }

    /// Punishes the captures that were searched without a cutoff.
    pub fn punish_tactical(&self, us: Color, depth: Depth, tried: &[Move]) {
        for &m in tried {
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
        for row in rows.0 {
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
        self.observer.read(structure, Line::within(table, cell));
        cell.get()
    }

    /// Moves the value of a cell of `table`.
    #[inline]
    fn pull<T>(&self, structure: Structure, table: &T, cell: &MoveCell, step: i32) {
        let line = Line::within(table, cell);
        self.observer.read(structure, line);
        if cell.pull(step) {
            self.observer.write(structure, line);
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

/// The last two quiet moves that refuted a node at one ply, newest first.
///
/// Source: S. Akl and M. Newborn, 1977; P. Verhelst, "Chess Tree Search", 1997.
#[derive(Copy, Clone, Debug, Default)]
pub struct Killers([Option<Move>; 2]);

impl Killers {
    /// Makes `m` the newest.
    pub fn add(&mut self, m: Move) {
        if self.0[0] != Some(m) {
            self.0 = [Some(m), self.0[0]];
        }
    }

    /// Newest first.
    #[must_use]
    pub fn get(self) -> [Option<Move>; 2] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn killers_are_two_and_distinct() {
        let position = Position::default();
        let moves = position.legal_moves();
        let mut killers = Killers::default();
        for m in [moves[0], moves[1], moves[1], moves[2]] {
            killers.add(m);
        }
        assert_eq!(killers.get(), [Some(moves[2]), Some(moves[1])]);
    }
}
