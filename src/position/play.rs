//! Making moves, by copying: nothing is ever unmade.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Role, Square};

use super::checks::KingDanger;
use super::{Key, Position, zobrist};

impl Position {
    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, m: Move) -> Self {
        let us = self.turn;
        let mut next = self.clone();
        next.key = self.key_after(m);
        piece_changes(us, m, |_, color, role, square| next.toggle(color, role, square));
        next.move_pieces(us, m);
        next.castling &= !self.castling_lost(m);
        let irreversible = m.is_zeroing();
        next.halfmoves = if irreversible { 0 } else { self.halfmoves.saturating_add(1) };
        next.fullmoves = self.fullmoves.saturating_add(u32::from(us.is_black()));
        next.turn = !us;
        next.look_at_king();
        next.en_passant = None;
        if let Some(square) = double_push(m) {
            next.allow_en_passant(square);
        }
        next
    }

    /// The position after passing, or `None` in check, which has to be met.
    #[must_use]
    pub fn null_move(&self) -> Option<Self> {
        if self.is_check() {
            return None;
        }
        let mut next = self.clone();
        next.key ^= zobrist::black_to_move() ^ self.en_passant_key();
        next.turn = !self.turn;
        next.halfmoves = 0;
        next.en_passant = None;
        next.look_at_king();
        Some(next)
    }

    /// The key of the position after a legal move, without making it: to prefetch by.
    ///
    /// It is exact unless the move is a pawn's double step that the opponent may capture en
    /// passant, which the key here leaves out.
    #[must_use]
    pub fn key_after(&self, m: Move) -> Key {
        let mut key = self.key ^ zobrist::black_to_move() ^ self.en_passant_key();
        key ^= zobrist::castling(self.castling_lost(m));
        piece_changes(self.turn, m, |_, color, role, square| {
            key ^= zobrist::piece(color, role, square);
        });
        key
    }

    /// Finds the pieces that check and pin, as seen by the king of the side to move.
    pub(super) fn look_at_king(&mut self) {
        let KingDanger { checkers, blockers } =
            KingDanger::new(&self.board, self.turn, self.king(self.turn));
        self.checkers = checkers;
        self.blockers = blockers;
    }

    /// Allows the capture of a pawn that has stepped over `square`, if one is legal.
    fn allow_en_passant(&mut self, square: Square) {
        let mut capturers = self.en_passant_capturers(square).into_iter();
        if capturers.any(|from| self.is_en_passant_safe(from, square)) {
            self.en_passant = Some(square);
            self.key ^= self.en_passant_key();
        }
    }

    /// The rooks whose castling rights a move ends.
    fn castling_lost(&self, m: Move) -> Bitboard {
        let touched = match m {
            Move::Normal { role: Role::King, .. } | Move::Castle { .. } => {
                Bitboard::from_rank(self.turn.backrank()).with(m.to())
            }
            Move::Normal { from, to, .. } => Bitboard::from(from).with(to),
            Move::EnPassant { .. } | Move::Put { .. } => Bitboard::EMPTY,
        };
        self.castling & touched
    }

    fn move_pieces(&mut self, us: Color, m: Move) {
        match m {
            Move::Normal { role, from, to, promotion, .. } => {
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, promotion.unwrap_or(role).of(us));
            }
            Move::EnPassant { from, to } => {
                self.board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                self.board.discard_piece_at(from);
                self.board.set_piece_at(to, us.pawn());
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                self.board.discard_piece_at(king);
                self.board.discard_piece_at(rook);
                self.board.set_piece_at(side.king_to(us), us.king());
                self.board.set_piece_at(side.rook_to(us), us.rook());
            }
            Move::Put { .. } => {}
        }
    }

    /// The part of the key that stands for a legal en passant capture.
    pub(super) fn en_passant_key(&self) -> Key {
        self.en_passant.map_or(0, |square| zobrist::en_passant(square.file()))
    }

    /// Adds or removes a piece in the key of its kind.
    pub(super) fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let key = zobrist::piece(color, role, square);
        if role == Role::Pawn {
            self.pawn_key ^= key;
        } else {
            self.non_pawn_keys[color as usize] ^= key;
        }
    }
}

/// The square that a pawn steps over, if the move is a double step.
fn double_push(m: Move) -> Option<Square> {
    match m {
        Move::Normal { role: Role::Pawn, from, to, .. } if from.abs_diff(to) == 16 => {
            Some(Square::new((from as u32 + to as u32) / 2))
        }
        _ => None,
    }
}
/// What happens to a piece.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is taken off its square.
    Removed,
    /// It is put on its square.
    Added,
}

/// Calls `on` with every piece that a move of `us` takes off a square or puts on one: at most two
/// each. In Chess960 a castling piece may be put back where it stood.
#[inline]
pub fn piece_changes(us: Color, m: Move, mut on: impl FnMut(Change, Color, Role, Square)) {
    use Change::{Added, Removed};
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            on(Removed, us, role, from);
            on(Added, us, promotion.unwrap_or(role), to);
            if let Some(captured) = capture {
                on(Removed, !us, captured, to);
            }
        }
        Move::EnPassant { from, to } => {
            on(Removed, us, Role::Pawn, from);
            on(Added, us, Role::Pawn, to);
            on(Removed, !us, Role::Pawn, Square::from_coords(to.file(), from.rank()));
        }
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            on(Removed, us, Role::King, king);
            on(Removed, us, Role::Rook, rook);
            on(Added, us, Role::King, side.king_to(us));
            on(Added, us, Role::Rook, side.rook_to(us));
        }
        Move::Put { .. } => {}
    }
}
