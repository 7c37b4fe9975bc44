//! Making moves. Each builds a new position, so nothing is ever unmade.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::checks::KingDanger;
use super::legal::can_capture_en_passant;
use super::{Key, Move, PAWNS, Position, zobrist};

impl Position {
    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, m: Move) -> Self {
        self.play_with_key(m, self.key_after(m))
    }

    /// [`Position::play`] for a caller that already has `key`, which is [`Position::key_after`] of
    /// the move.
    #[must_use]
    pub fn play_with_key(&self, m: Move, key: Key) -> Self {
        debug_assert_eq!(key, self.key_after(m));
        // Forming the parts first and the position last avoids changing a copy on the stack and
        // moving it, which stalls on the stores just made.
        let us = self.turn;
        let mut board = self.board.clone();
        move_pieces(&mut board, us, m);
        let mut part_keys = self.part_keys;
        let mut minor_key = self.minor_key;
        piece_changes(us, m, |_, color, role, square| {
            let piece = zobrist::piece(color, role, square);
            part_keys[part(color, role)] ^= piece;
            minor_key ^= minor_part(role, piece);
        });
        let en_passant = double_step(m).filter(|&to| can_capture_en_passant(&board, !us, to));
        let KingDanger { checkers, blockers } = KingDanger::new(&board, !us);
        Self {
            board,
            castling: self.castling & !self.castling_lost(m),
            checkers,
            blockers,
            key: key ^ en_passant_key(en_passant),
            part_keys,
            minor_key,
            halfmoves: if m.is_zeroing() { 0 } else { self.halfmoves.saturating_add(1) },
            fullmoves: self.fullmoves.saturating_add(u32::from(us.is_black())),
            turn: !us,
            en_passant,
            mode: self.mode,
        }
    }

    /// The position after passing, or `None` if the side to move is in check.
    pub fn null_move(&self) -> Option<Self> {
        if self.is_check() {
            return None;
        }
        let KingDanger { checkers, blockers } = KingDanger::new(&self.board, !self.turn);
        Some(Self {
            board: self.board.clone(),
            checkers,
            blockers,
            key: self.key ^ zobrist::black_to_move() ^ en_passant_key(self.en_passant),
            halfmoves: 0,
            turn: !self.turn,
            en_passant: None,
            ..*self
        })
    }

    /// The position after a legal move, or after passing if there is none; `None` if that side is
    /// in check and cannot pass.
    pub fn after(&self, m: Option<Move>) -> Option<Self> {
        m.map_or_else(|| self.null_move(), |m| Some(self.play(m)))
    }

    /// The key of the position after a legal move, without making it, for prefetching.
    ///
    /// Exact, except after a double step of a pawn that can be captured en passant: that right is
    /// left out.
    pub fn key_after(&self, m: Move) -> Key {
        let mut key = self.key ^ self.state_change(m);
        piece_changes(self.turn, m, |_, color, role, square| {
            key ^= zobrist::piece(color, role, square);
        });
        key
    }

    /// The change of the key by a move, apart from the pieces.
    fn state_change(&self, m: Move) -> Key {
        let castling = zobrist::castling(self.castling_lost(m));
        zobrist::black_to_move() ^ en_passant_key(self.en_passant) ^ castling
    }

    /// The rooks whose castling rights a move ends.
    fn castling_lost(&self, m: Move) -> Bitboard {
        let left = if m.role() == Role::King {
            Bitboard::from_rank(self.turn.backrank())
        } else {
            Bitboard::from(m.from())
        };
        self.castling & left.with(m.to())
    }
}

/// The share of a piece's key in that of kings, knights and bishops.
pub(super) fn minor_part(role: Role, piece: Key) -> Key {
    if matches!(role, Role::King | Role::Knight | Role::Bishop) { piece } else { 0 }
}

fn move_pieces(board: &mut Board, us: Color, m: Move) {
    let (from, to) = (m.from(), m.to());
    board.discard_piece_at(from);
    if let Some(side) = m.castling_side() {
        board.discard_piece_at(to);
        board.set_piece_at(side.king_to(us), us.king());
        board.set_piece_at(side.rook_to(us), us.rook());
        return;
    }
    if m.is_en_passant() {
        board.discard_piece_at(m.captured_on());
    }
    board.set_piece_at(to, m.promotion().unwrap_or(m.role()).of(us));
}

/// The index of the part key that a piece belongs to.
pub(super) fn part(color: Color, role: Role) -> usize {
    if role == Role::Pawn { PAWNS } else { color as usize }
}

/// The part of the key that stands for a legal en passant capture.
pub(super) fn en_passant_key(square: Option<Square>) -> Key {
    square.map_or(0, |square| zobrist::en_passant(square.file()))
}

/// The square that a pawn passes over, if the move is a double step.
fn double_step(m: Move) -> Option<Square> {
    let (from, to) = (m.from(), m.to());
    let is_double = m.role() == Role::Pawn && from.abs_diff(to) == 16;
    is_double.then(|| Square::new((from as u32 + to as u32) / 2))
}

/// The effect of a move on a piece.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PieceChange {
    /// It leaves its square.
    Removed,
    /// It arrives on its square.
    Added,
}

/// Calls `on` for every piece that a move of `us` removes from or adds to a square: at most two
/// each. A castling piece in Chess960 may be added where it was removed.
#[inline]
pub fn piece_changes(us: Color, m: Move, mut on: impl FnMut(PieceChange, Color, Role, Square)) {
    use PieceChange::{Added, Removed};
    let (role, to) = (m.role(), m.to());
    on(Removed, us, role, m.from());
    if let Some(side) = m.castling_side() {
        on(Removed, us, Role::Rook, to);
        on(Added, us, Role::King, side.king_to(us));
        on(Added, us, Role::Rook, side.rook_to(us));
        return;
    }
    on(Added, us, m.promotion().unwrap_or(role), to);
    if let Some(captured) = m.capture() {
        on(Removed, !us, captured, m.captured_on());
    }
}
