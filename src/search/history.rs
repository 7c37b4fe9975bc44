//! What workers learn about moves from node to node: which were good or bad.
//!
//! Every history is a table of small numbers that a good move raises and a bad one lowers, by
//! gravity: the nearer to the limit, the less. Sources: history heuristic, J. Schaeffer, 1983 (and
//! P. Verhelst, "Chess Tree Search", 1997); gravity and malus, Stockfish and Ethereal.
//!
//! A new table is a type with its shape here, a line in [`histories`](super::histories) and in
//! [`Structure`], a term in [`order`](super::order) and an update in [`learn`](super::learn).

#[cfg(not(loom))]
use zerocopy::FromZeros;

use crate::position::{Bitboard, Color, Key, Move, Role, Square};
use crate::smp::recorder::{CacheLine, Observer, Structure};
use crate::sync::{AtomicI16, Ordering::Relaxed};

/// The greatest absolute value of a history.
pub const HISTORY_LIMIT: i32 = 16_384;

/// An entry of a history: a number within ±`LIMIT`, which several workers may read and move at
/// once.
///
/// A change is a relaxed load and a relaxed store, not one atomic step: of two workers that change
/// it at once, one may undo the other's change, which costs a little learning. Relaxed is enough,
/// since every stored value is computed from one within the limit and so is within it, whatever the
/// race.
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

    /// Moves the value towards the sign of `step` by gravity: the nearer to the limit, the less.
    /// True if that changed it. Source: Stockfish and Ethereal.
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

/// An entry of a history of moves.
type MoveCell = Cell<HISTORY_LIMIT>;

/// A history of moves.
pub(super) trait History: Sized {
    /// Identifies an entry.
    type Index;

    /// The structure in the reports of a recorder.
    const STRUCTURE: Structure;

    /// All entries.
    fn cells(&self) -> &[MoveCell];

    /// One entry.
    fn cell(&self, index: Self::Index) -> &MoveCell;

    /// The value of an entry.
    #[inline]
    fn get(&self, index: Self::Index, observer: Observer<'_>) -> i32 {
        let cell = self.cell(index);
        observer.read(Self::STRUCTURE, CacheLine::within(self, cell));
        cell.get()
    }

    /// Moves the value of an entry by gravity.
    #[inline]
    fn update(&self, index: Self::Index, step: i32, observer: Observer<'_>) {
        let cell = self.cell(index);
        let line = CacheLine::within(self, cell);
        observer.read(Self::STRUCTURE, line);
        if cell.pull(step) {
            observer.write(line);
        }
    }

    /// Sets all entries to zero.
    fn clear(&self) {
        self.cells().iter().for_each(MoveCell::clear);
    }
}

/// Kinds of colored pieces times squares.
pub(super) const PIECE_TO: usize = 2 * 6 * 64;

/// A colored piece and the square it went to: `[2][6][64]`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// No move: the root's predecessor, or a null move.
    pub const NONE: Self = Self(PIECE_TO as u16);

    /// The piece and target of a move of `color`.
    pub fn new(color: Color, m: Move) -> Self {
        let kind = color as usize * 6 + (m.role() as usize - 1);
        Self((kind * 64 + usize::from(m.to())) as u16)
    }

    /// The piece went to `square`.
    pub fn is_to(self, square: Square) -> bool {
        self != Self::NONE && self.index() % 64 == usize::from(square)
    }

    /// A number for this move and the one before it.
    pub(super) fn mix(self, before: Self) -> usize {
        self.index() * (PIECE_TO + 1) + before.index()
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Quiet moves by side to move, by whether the opponent attacks the square left and the square
/// entered, and by both squares: `[2][2][2][64][64]`.
///
/// Source: threat-aware history, Koivisto (K. Kahre and F. Eggers, 2021).
#[cfg_attr(not(loom), derive(FromZeros))]
pub(super) struct Butterfly([MoveCell; BUTTERFLY]);

const BUTTERFLY: usize = 2 * 2 * 2 * 64 * 64;

/// A quiet move's place in [`Butterfly`].
#[derive(Copy, Clone, Debug)]
pub struct ButterflyIndex(usize);

impl ButterflyIndex {
    /// The place of a move by `us`, the opponent attacking `threats`.
    pub fn new(us: Color, threats: Bitboard, m: Move) -> Self {
        let leaves = threats.contains(m.from());
        let exposure = usize::from(leaves) * 2 + usize::from(threats.contains(m.to()));
        Self((us as usize * 4 + exposure) * 64 * 64 + m.from_to())
    }
}

impl History for Butterfly {
    type Index = ButterflyIndex;
    const STRUCTURE: Structure = Structure::Butterfly;

    fn cells(&self) -> &[MoveCell] {
        &self.0
    }

    fn cell(&self, index: ButterflyIndex) -> &MoveCell {
        &self.0[index.0]
    }
}

/// Captures and promotions by piece, target and captured role (0 for none): `[768][7]`.
#[cfg_attr(not(loom), derive(FromZeros))]
pub(super) struct Capture([[MoveCell; 7]; PIECE_TO]);

impl History for Capture {
    /// The side to move and its move.
    type Index = (Color, Move);
    const STRUCTURE: Structure = Structure::Capture;

    fn cells(&self) -> &[MoveCell] {
        self.0.as_flattened()
    }

    fn cell(&self, (us, m): (Color, Move)) -> &MoveCell {
        let captured = m.capture().map_or(0, |role: Role| role as usize);
        &self.0[PieceTo::new(us, m).index()][captured]
    }
}

/// Quiet moves by an earlier move, which may be none, and by piece and target: `[769][768]`.
///
/// Source: Stockfish ("counter move history", 2016).
#[cfg_attr(not(loom), derive(FromZeros))]
pub(super) struct ContinuationHistory([[MoveCell; PIECE_TO]; PIECE_TO + 1]);

/// The moves after one earlier move, for those who ask for many of them.
#[derive(Copy, Clone)]
pub(super) struct ContinuationRow<'a>(&'a [MoveCell; PIECE_TO]);

impl ContinuationRow<'_> {
    /// The value of an entry.
    #[inline(always)]
    pub fn get(self, m: PieceTo, observer: Observer<'_>) -> i32 {
        let cell = &self.0[m.index()];
        observer.read(ContinuationHistory::STRUCTURE, CacheLine::within(self.0, cell));
        cell.get()
    }
}

impl ContinuationHistory {
    /// The moves after `earlier`.
    #[inline]
    pub fn after(&self, earlier: PieceTo) -> ContinuationRow<'_> {
        ContinuationRow(&self.0[earlier.index()])
    }
}

/// The distances of the earlier moves, in plies.
pub const CONTINUATION_PLIES: [usize; 3] = [1, 2, 4];

/// The earlier moves of one node, at [`CONTINUATION_PLIES`].
pub type Continuation = [PieceTo; CONTINUATION_PLIES.len()];

impl History for ContinuationHistory {
    /// The earlier move and this one.
    type Index = (PieceTo, PieceTo);
    const STRUCTURE: Structure = Structure::Continuation;

    fn cells(&self) -> &[MoveCell] {
        self.0.as_flattened()
    }

    fn cell(&self, (earlier, m): (PieceTo, PieceTo)) -> &MoveCell {
        &self.0[earlier.index()][m.index()]
    }
}

/// Quiet moves by the key of all pawns, and by piece and target: `[512][768]`.
#[cfg_attr(not(loom), derive(FromZeros))]
pub(super) struct Pawn([[MoveCell; PIECE_TO]; PAWN_KEYS]);

const PAWN_KEYS: usize = 512;

impl History for Pawn {
    /// The key of the pawns and the move.
    type Index = (Key, PieceTo);
    const STRUCTURE: Structure = Structure::Pawn;

    fn cells(&self) -> &[MoveCell] {
        self.0.as_flattened()
    }

    fn cell(&self, (pawns, m): (Key, PieceTo)) -> &MoveCell {
        &self.0[pawns as usize % PAWN_KEYS][m.index()]
    }
}

/// The quiet move that last refuted each move, or none: `[769]`.
///
/// Source: J. Uiterwijk, 1992.
pub struct CounterMoves([Option<Move>; PIECE_TO + 1]);

impl Default for CounterMoves {
    fn default() -> Self {
        Self([None; PIECE_TO + 1])
    }
}

impl CounterMoves {
    /// The quiet move that last refuted `previous`.
    pub fn get(&self, previous: PieceTo) -> Option<Move> {
        self.0[previous.index()]
    }

    /// Records that `m` refutes `previous`.
    pub fn update(&mut self, previous: PieceTo, m: Move) {
        self.0[previous.index()] = Some(m);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(None);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::Position;

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
    fn a_quiet_move_has_an_entry_for_each_way_to_be_attacked() {
        let position = Position::default();
        let m = position.parse_move("g1f3").unwrap();
        let (from, to) = (Bitboard::from(Square::G1), Bitboard::from(Square::F3));
        let places: std::collections::HashSet<_> = Color::ALL
            .into_iter()
            .flat_map(|us| {
                [Bitboard::EMPTY, from, to, from | to].map(|t| ButterflyIndex::new(us, t, m).0)
            })
            .collect();
        assert_eq!(places.len(), 8);
        assert!(places.into_iter().all(|place| place < BUTTERFLY));
    }
}
