//! What earlier nodes have taught about moves: killers, counter moves and histories.
//!
//! Every history is an array of small numbers that a good move raises and a bad one lowers, by
//! gravity: the nearer to the limit, the less. Sources: history heuristic, J. Schaeffer, 1983 (and
//! P. Verhelst, "Chess Tree Search", 1997); gravity and malus, Stockfish and Ethereal; counter
//! moves, J. Uiterwijk, 1992; continuation history, Stockfish ("counter move history", 2016).

use zerocopy::FromZeros;

use crate::memory::{self, OutOfMemory};
use crate::position::{Color, Move, Position, Role};
use crate::score::Depth;

use super::params;

/// The greatest absolute value of a history.
pub const HISTORY_LIMIT: i32 = 16_384;

/// Kinds of coloured pieces times squares.
const PIECE_TO: usize = 2 * 6 * 64;
/// Sets of pawns that the pawn history tells apart.
const PAWN_SLOTS: usize = 512;

/// A coloured piece and the square it went to; the row of a continuation history.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move: the root's predecessor, or a null move.
    pub const NONE: Self = Self(PIECE_TO as u16);

    /// The piece and target of a move of `color`.
    #[must_use]
    pub fn new(color: Color, m: Move) -> Self {
        let kind = color as usize * 6 + (m.role() as usize - 1);
        Self((kind * 64 + usize::from(m.to())) as u16)
    }

    /// A number for this move and the one before it.
    #[must_use]
    pub(super) fn mix(self, before: Self) -> usize {
        self.index() * (PIECE_TO + 1) + before.index()
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Moves `value` towards the sign of `bonus`, within ±`limit`.
pub(super) fn gravitate(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

type Row = [i16; PIECE_TO];

/// One worker's histories of moves.
pub struct History {
    butterfly: Box<[[i16; 64 * 64]; 2]>,
    capture: Box<[[i16; 7]; PIECE_TO]>,
    continuation: Box<[Row; PIECE_TO + 1]>,
    pawn: Box<[Row; PAWN_SLOTS]>,
    counter: Box<[Option<Move>; PIECE_TO + 1]>,
}

/// How far back the continuation histories look, in plies.
pub const CONTINUATION_PLIES: [usize; 3] = [1, 2, 4];

/// The rows of the continuation histories at one node: the moves so far back that led to it, or
/// [`PieceTo::NONE`].
#[derive(Copy, Clone)]
pub struct Continuation(pub [PieceTo; CONTINUATION_PLIES.len()]);

/// The rows of the histories that apply to the quiet moves of one node.
pub struct QuietRows<'a> {
    us: Color,
    butterfly: &'a [i16; 64 * 64],
    pawn: &'a Row,
    continuation: [&'a Row; CONTINUATION_PLIES.len()],
}

impl QuietRows<'_> {
    /// The score of a quiet move: the sum of its butterfly, pawn and continuation histories.
    #[inline]
    #[must_use]
    pub fn score(&self, m: Move) -> i32 {
        let to = PieceTo::new(self.us, m).index();
        let base = i32::from(self.butterfly[from_to(m)]) + i32::from(self.pawn[to]);
        self.continuation.iter().fold(base, |sum, row| sum + i32::from(row[to]))
    }
}

/// What a move gains that refutes a node of this depth.
fn bonus(depth: Depth) -> i32 {
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
    pub fn quiets(&self, position: &Position, continuation: Continuation) -> QuietRows<'_> {
        let us = position.turn();
        QuietRows {
            us,
            butterfly: &self.butterfly[us as usize],
            pawn: &self.pawn[pawn_slot(position)],
            continuation: continuation.0.map(|row| &self.continuation[row.index()]),
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
    pub fn reward_quiet(
        &mut self,
        position: &Position,
        continuation: Continuation,
        depth: Depth,
        best: Move,
        tried: &[Move],
    ) {
        self.counter[continuation.0[0].index()] = Some(best);
        self.update_quiet(position, continuation, best, bonus(depth));
        for &m in tried {
            self.update_quiet(position, continuation, m, -malus(depth));
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

    fn update_quiet(&mut self, position: &Position, rows: Continuation, m: Move, bonus: i32) {
        let us = position.turn();
        let to = PieceTo::new(us, m).index();
        gravitate(&mut self.butterfly[us as usize][from_to(m)], bonus, HISTORY_LIMIT);
        gravitate(&mut self.pawn[pawn_slot(position)][to], bonus, HISTORY_LIMIT);
        for row in rows.0 {
            gravitate(&mut self.continuation[row.index()][to], bonus, HISTORY_LIMIT);
        }
    }

    fn update_tactical(&mut self, us: Color, m: Move, bonus: i32) {
        let cell = &mut self.capture[PieceTo::new(us, m).index()][victim(m)];
        gravitate(cell, bonus, HISTORY_LIMIT);
    }
}

/// The index of a move by its squares.
fn from_to(m: Move) -> usize {
    m.from().map_or(0, usize::from) * 64 + usize::from(m.to())
}

/// The index of the captured piece, 0 for a promotion without capture.
fn victim(m: Move) -> usize {
    m.capture().map_or(0, |role: Role| role as usize)
}

/// The row of the pawn history.
fn pawn_slot(position: &Position) -> usize {
    position.pawn_key() as usize % PAWN_SLOTS
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
