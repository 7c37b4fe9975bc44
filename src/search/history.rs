//! What earlier nodes have taught about moves: killers, counter moves and histories.
//!
//! Every history is an array of small numbers that a good move raises and a bad one lowers, by
//! gravity: the nearer to the limit, the less. Sources: history heuristic, J. Schaeffer, 1983 (and
//! P. Verhelst, "Chess Tree Search", 1997); gravity and malus, Stockfish and Ethereal; counter
//! moves, J. Uiterwijk, 1992; continuation history, Stockfish ("counter move history", 2016).

use zerocopy::FromZeros;

use crate::memory::{self, OutOfMemory};
use crate::position::{Bitboard, Color, Key, Move, Role};
use crate::score::Depth;

use super::context::Context;
use super::move_keys::{
    BUTTERFLY, ButterflySlot, CONTINUATION_PLIES, Continuation, PIECE_TO, PieceTo,
};
use super::params;

/// The greatest absolute value of a history.
pub const HISTORY_LIMIT: i32 = 16_384;

/// Sets of pawns that the pawn history tells apart.
const PAWN_SLOTS: usize = 512;

/// Moves `value` towards the sign of `bonus`, within ±`limit`.
pub(super) fn gravitate(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

type Row = [i16; PIECE_TO];

type Butterfly = [i16; BUTTERFLY];

/// One worker's histories of moves.
pub struct History {
    butterfly: Box<Butterfly>,
    capture: Box<[[i16; 7]; PIECE_TO]>,
    continuation: Box<[Row; PIECE_TO + 1]>,
    pawn: Box<[Row; PAWN_SLOTS]>,
    counter: Box<[Option<Move>; PIECE_TO + 1]>,
}

/// The rows of the histories that apply to the quiet moves of one node.
pub struct QuietRows<'a> {
    us: Color,
    threats: Bitboard,
    butterfly: &'a Butterfly,
    pawn: &'a Row,
    continuation: [&'a Row; CONTINUATION_PLIES.len()],
}

impl QuietRows<'_> {
    /// The score of a quiet move: the sum of its butterfly, pawn and continuation histories.
    #[inline]
    #[must_use]
    pub fn score(&self, m: Move) -> i32 {
        let to = PieceTo::new(self.us, m).index();
        let base = i32::from(self.butterfly[ButterflySlot::new(self.us, self.threats, m).0])
            + i32::from(self.pawn[to]);
        self.continuation.iter().fold(base, |sum, row| sum + i32::from(row[to]))
    }
}

/// What a move gains that refutes a node of this depth.
pub fn bonus(depth: Depth) -> i32 {
    (params::BONUS_FACTOR.get() * depth - params::BONUS_OFFSET.get()).min(params::BONUS_MAX.get())
}

/// What a move loses that was searched before it without a cutoff.
fn malus(depth: Depth) -> i32 {
    (params::MALUS_FACTOR.get() * depth - params::MALUS_OFFSET.get()).min(params::MALUS_MAX.get())
}

impl History {
    /// Empty histories.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            butterfly: memory::zeroed()?,
            capture: memory::zeroed()?,
            continuation: memory::zeroed()?,
            pawn: memory::zeroed()?,
            counter: memory::boxed(|| None)?,
        })
    }

    /// Empties all histories.
    pub fn clear(&mut self) {
        self.butterfly.zero();
        self.capture.zero();
        self.continuation.zero();
        self.pawn.zero();
        self.counter.fill(None);
    }

    /// The rows that score the quiet moves of one node.
    #[must_use]
    pub fn quiets(&self, context: &Context) -> QuietRows<'_> {
        QuietRows {
            us: context.us(),
            threats: context.threats().all,
            butterfly: &self.butterfly,
            pawn: &self.pawn[pawn_slot(context.pawn_key())],
            continuation: context.continuation().0.map(|row| &self.continuation[row.index()]),
        }
    }

    /// The score of a capture or promotion.
    #[must_use]
    pub fn tactical(&self, us: Color, m: Move) -> i32 {
        i32::from(self.capture[PieceTo::new(us, m).index()][victim(m)])
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
    pub fn reward_tactical(&mut self, us: Color, depth: Depth, best: Move) {
        self.update_tactical(us, best, bonus(depth));
    }

    /// Punishes the captures that were searched without a cutoff.
    pub fn punish_tactical(&mut self, us: Color, depth: Depth, tried: &[Move]) {
        for &m in tried {
            self.update_tactical(us, m, -malus(depth));
        }
    }

    /// Moves all histories of a quiet move.
    fn update_quiet(&mut self, context: &Context, m: Move, bonus: i32) {
        let to = PieceTo::new(context.us(), m);
        let pawn = &mut self.pawn[pawn_slot(context.pawn_key())][to.index()];
        gravitate(pawn, bonus, HISTORY_LIMIT);
        self.update_butterfly(context.butterfly(m), bonus);
        self.update_continuation(context.continuation(), to, bonus);
    }

    /// Moves the butterfly history of a quiet move.
    pub fn update_butterfly(&mut self, slot: ButterflySlot, bonus: i32) {
        gravitate(&mut self.butterfly[slot.0], bonus, HISTORY_LIMIT);
    }

    /// Moves the continuation histories of a quiet move.
    pub fn update_continuation(&mut self, rows: Continuation, m: PieceTo, bonus: i32) {
        for row in rows.0 {
            gravitate(&mut self.continuation[row.index()][m.index()], bonus, HISTORY_LIMIT);
        }
    }

    fn update_tactical(&mut self, us: Color, m: Move, bonus: i32) {
        let cell = &mut self.capture[PieceTo::new(us, m).index()][victim(m)];
        gravitate(cell, bonus, HISTORY_LIMIT);
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
    fn gravity_keeps_every_value_within_its_limit() {
        let mut value = 0;
        for _ in 0..1000 {
            gravitate(&mut value, 3000, HISTORY_LIMIT);
        }
        assert!(i32::from(value) > HISTORY_LIMIT * 9 / 10);
        assert!(i32::from(value) <= HISTORY_LIMIT);
        for _ in 0..1000 {
            gravitate(&mut value, -HISTORY_LIMIT * 2, HISTORY_LIMIT);
        }
        assert_eq!(i32::from(value), -HISTORY_LIMIT);
    }

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
