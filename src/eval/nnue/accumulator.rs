//! The first layer's sums along the current line.
//!
//! A move changes only a few inputs, so the sums of a position are those of the previous one plus
//! and minus a few rows: this is what makes the network efficiently updatable. Making a move only
//! records it. Sums are computed when a position is evaluated, which most never are, from the
//! nearest earlier position whose sums are known.
//!
//! What is kept is of pieces on squares. The rows of further inputs are added at each evaluation.
//!
//! When a king crosses the middle or enters another bucket, every input of that side's view
//! changes. The sums are then refreshed from the last ones of the same view, from anywhere in the
//! tree: only the pieces in which the boards differ are added and subtracted. The idea is known as
//! "Finny tables" (F. Eggers, Koivisto).

use arrayvec::ArrayVec;

use super::features::{MAX_PIECES, Perspective, ZONES};
use super::judge;
use super::network::{Network, Row};
use super::pawn_sums::PawnSums;
use crate::position::{Board, Color, Move, PieceChange, Position, Role, piece_changes};
use crate::score::{MAX_PLY, Score};

/// The most pieces that one move takes off the board, or puts on it.
const MAX_CHANGES: usize = 2;

/// In a build with assertions, one evaluation in this many is compared with one from scratch.
const CHECKED: u64 = 16;

/// The sums of one position, by color of the view, and the move that led to it.
#[derive(Clone)]
struct PlySums {
    sums: [Row; 2],
    is_known: [bool; 2],
    by: Color,
    m: Option<Move>,
}

impl PlySums {
    const EMPTY: Self = Self {
        sums: [const { Row([0; super::network::HIDDEN]) }; 2],
        is_known: [false; 2],
        by: Color::White,
        m: None,
    };

    /// Whether the move changes every input of the view of `color`.
    fn turns(&self, color: Color) -> bool {
        let mut turns = false;
        if let Some(m) = self.m
            && self.by == color
            && m.role() == Role::King
        {
            let mut seen = None;
            piece_changes(color, m, |_, _, role, square| {
                if role == Role::King {
                    let view = Perspective::new(color, square);
                    turns = seen.replace(view).is_some_and(|other| other != view);
                }
            });
        }
        turns
    }
}

/// Sums, and the board they belong to.
#[derive(Clone)]
struct Cached {
    sums: Row,
    board: Board,
}

/// The memory of [`Accumulators`], kept from search to search. It holds the sums of [`MAX_PLY`]
/// plies without further allocation.
pub struct Sums {
    frames: Vec<PlySums>,
    pawns: PawnSums,
}

impl Default for Sums {
    fn default() -> Self {
        Self { frames: Vec::with_capacity(MAX_PLY + 1), pawns: PawnSums::default() }
    }
}

/// The sums of every position on the current line, as far as they have been needed.
pub struct Accumulators<'a> {
    network: &'a Network,
    /// Grows as needed, because most searches never get deep.
    frames: &'a mut Vec<PlySums>,
    pawns: &'a mut PawnSums,
    /// By color and zone of the view; `None` until the first refresh, since a short search needs
    /// few of them.
    cached: [[Option<Cached>; ZONES]; 2],
}

impl<'a> Accumulators<'a> {
    /// For a search with `network`; the root is the position evaluated at ply 0.
    pub fn new(network: &'a Network, sums: &'a mut Sums) -> Self {
        let Sums { frames, pawns } = sums;
        frames.clear();
        frames.push(PlySums::EMPTY);
        pawns.begin_search();
        Self { network, frames, pawns, cached: [const { [const { None }; ZONES] }; 2] }
    }

    /// Records the move of `by` (`None` for a null move) from `ply` to the next. It replaces an
    /// earlier move at the same ply and never needs to be undone.
    pub fn push(&mut self, ply: usize, by: Color, m: Option<Move>) {
        if self.frames.len() == ply + 1 {
            self.frames.push(PlySums::EMPTY);
        }
        let next = &mut self.frames[ply + 1];
        next.is_known = [false; 2];
        (next.by, next.m) = (by, m);
    }

    /// The static evaluation of the position at `ply`, for the side to move.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        for color in Color::ALL {
            self.bring_up(position, ply, color);
        }
        let turn = position.turn();
        let sums = [turn, !turn].map(|color| &self.frames[ply].sums[color as usize]);
        let pawns = self.pawns.get(self.network, position);
        let score = judge(self.network, position, sums, pawns);
        if cfg!(debug_assertions) && position.key().is_multiple_of(CHECKED) {
            assert_eq!(score, super::evaluate(self.network, position), "{position:?}");
        }
        score
    }

    /// Computes the sums of the view of `color` at `ply`.
    fn bring_up(&mut self, position: &Position, ply: usize, color: Color) {
        let perspective = Perspective::new(color, position.king(color));
        let mut known = ply;
        while !self.frames[known].is_known[color as usize] {
            if known == 0 || self.frames[known].turns(color) {
                return self.refresh(position.board(), ply, perspective);
            }
            known -= 1;
        }
        for next in known + 1..=ply {
            self.step(next, perspective);
        }
    }

    /// Computes the sums at `ply` from those of the previous ply.
    fn step(&mut self, ply: usize, perspective: Perspective) {
        let view = perspective.color as usize;
        let (before, after) = self.frames.split_at_mut(ply);
        let (before, after) = (&before[ply - 1], &mut after[0]);
        let (from, to) = (&before.sums[view], &mut after.sums[view]);
        after.is_known[view] = true;
        let mut added = ArrayVec::<&Row, MAX_CHANGES>::new();
        let mut removed = ArrayVec::<&Row, MAX_CHANGES>::new();
        if let Some(m) = after.m {
            piece_changes(after.by, m, |change, color, role, square| {
                let row = &self.network.features[perspective.input(color, role, square)];
                match change {
                    PieceChange::Added => added.push(row),
                    PieceChange::Removed => removed.push(row),
                }
            });
        }
        let simd = self.network.simd;
        match (&added[..], &removed[..]) {
            (&[a], &[r]) => simd.update(to, from, [a], [r]),
            (&[a], &[r, s]) => simd.update(to, from, [a], [r, s]),
            (&[a, b], &[r, s]) => simd.update(to, from, [a, b], [r, s]),
            _ => to.clone_from(from), // a null move
        }
    }

    /// Refreshes the sums at `ply` from the last ones of the same view.
    fn refresh(&mut self, board: &Board, ply: usize, perspective: Perspective) {
        let view = perspective.color as usize;
        let cached = self.cached[view][perspective.zone()].get_or_insert_with(|| Cached {
            sums: self.network.bias.clone(),
            board: Board::empty(),
        });
        let mut added = ArrayVec::<&Row, MAX_PIECES>::new();
        let mut removed = ArrayVec::<&Row, MAX_PIECES>::new();
        for color in Color::ALL {
            for role in Role::ALL {
                let row = |square| &self.network.features[perspective.input(color, role, square)];
                let (now, then) =
                    (board.by_piece(role.of(color)), cached.board.by_piece(role.of(color)));
                added.extend((now & !then).into_iter().map(row));
                removed.extend((then & !now).into_iter().map(row));
            }
        }
        cached.board.clone_from(board);
        let sums = &mut cached.sums;
        self.network.simd.accumulate(sums, &added, &removed);
        let frame = &mut self.frames[ply];
        frame.sums[view].clone_from(sums);
        frame.is_known[view] = true;
    }
}
