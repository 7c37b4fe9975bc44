//! Tests whether a single move is legal without generating any.

use shakmaty::attacks::{
    attacks, between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, ray, rook_attacks,
};
use shakmaty::{Bitboard, Board, CastlingSide, Color, Rank, Role, Square};

use super::{Move, Position, king_of};

impl Position {
    /// `m` is legal. Accepts any move, of whatever position.
    pub fn is_legal(&self, m: Move) -> bool {
        let us = self.turn();
        let (role, from, to) = (m.role(), m.from(), m.to());
        if m.is_castle() {
            return from == self.king(us)
                && self.castling_rooks(us).contains(to)
                && !self.is_check()
                && self.can_castle(from, to);
        }
        if m.is_en_passant() {
            return self.en_passant == Some(to)
                && en_passant_capturers(self.board(), us, to).contains(from)
                && is_en_passant_safe(self.board(), us, from, to);
        }
        self.pieces(us, role).contains(from)
            && !self.by_color(us).contains(to)
            && self.board().role_at(to) == m.capture()
            && promotion_fits(us, role, to, m.promotion())
            && self.reaches(role, from, to)
            && self.is_safe(role, from, to)
    }

    /// The piece on `from` can move to `to`, which no friend occupies, checks and pins aside.
    fn reaches(&self, role: Role, from: Square, to: Square) -> bool {
        let us = self.turn();
        if role != Role::Pawn {
            return attacks(from, role.of(us), self.occupied()).contains(to);
        }
        if self.occupied().contains(to) {
            return pawn_attacks(us, from).contains(to);
        }
        let ahead = us.fold_wb(8, -8);
        let step = i32::from(to) - i32::from(from);
        step == ahead
            || step == 2 * ahead
                && from.rank() == us.relative_rank(Rank::Second)
                && (between(from, to) & self.occupied()).is_empty()
    }

    /// A move that its piece can make does not leave the king attacked.
    fn is_safe(&self, role: Role, from: Square, to: Square) -> bool {
        if role == Role::King {
            return self.is_king_safe_on(to);
        }
        let king = self.king(self.turn());
        let answers_check = || {
            self.checkers
                .single_square()
                .is_some_and(|checker| checker == to || between(king, checker).contains(to))
        };
        (self.checkers.is_empty() || answers_check())
            && (!self.blockers.contains(from) || ray(king, from).contains(to))
    }

    /// The king of the side to move would not be attacked on `to`.
    pub(super) fn is_king_safe_on(&self, to: Square) -> bool {
        !self.is_attacked(to, self.occupied().without(self.king(self.turn())))
    }

    /// The rooks with which `color` has the right to castle.
    pub(super) fn castling_rooks(&self, color: Color) -> Bitboard {
        self.castling & Bitboard::from_rank(color.backrank())
    }

    /// Castling is legal, given that the side to move has the right and is not in check.
    pub(super) fn can_castle(&self, king: Square, rook: Square) -> bool {
        let us = self.turn();
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
        let crossed = between(king, king_to).with(king_to);
        let path = (crossed | between(rook, rook_to).with(rook_to)).without(king).without(rook);
        if (path & self.occupied()).any() {
            return false;
        }
        // In Chess960 the rook may uncover the king's new square by leaving, or cover it.
        let left = self.occupied().without(king).without(rook).with(rook_to);
        !self.is_attacked(king_to, left)
            && between(king, king_to)
                .into_iter()
                .all(|square| !self.is_attacked(square, self.occupied().without(king)))
    }

    /// The opponent attacks `square`, given the occupied squares.
    fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        let (board, us) = (self.board(), self.turn());
        let them = board.by_color(!us);
        let steppers = knight_attacks(square) & board.knights()
            | king_attacks(square) & board.kings()
            | pawn_attacks(us, square) & board.pawns();
        (steppers & them).any()
            || (bishop_attacks(square, occupied) & board.bishops_and_queens() & them).any()
            || (rook_attacks(square, occupied) & board.rooks_and_queens() & them).any()
    }
}

/// A pawn promotes on the last rank and only there; no other piece promotes.
fn promotion_fits(us: Color, role: Role, to: Square, promotion: Option<Role>) -> bool {
    let last = role == Role::Pawn && to.rank() == us.relative_rank(Rank::Eighth);
    match promotion {
        None => !last,
        Some(promotion) => last && !matches!(promotion, Role::Pawn | Role::King),
    }
}

/// The pawns of `us` that attack the en passant square.
pub(super) fn en_passant_capturers(board: &Board, us: Color, to: Square) -> Bitboard {
    pawn_attacks(!us, to) & board.by_piece(us.pawn())
}

/// An en passant capture does not leave the king attacked. Two pawns leave their squares, and the
/// captured one may be the checker.
pub(super) fn is_en_passant_safe(board: &Board, us: Color, from: Square, to: Square) -> bool {
    let captured = Square::from_coords(to.file(), from.rank());
    let occupied = board.occupied().without(from).without(captured).with(to);
    board.attacks_to(king_of(board, us), !us, occupied).without(captured).is_empty()
}

/// `us` has a legal en passant capture on `to`.
pub(super) fn can_capture_en_passant(board: &Board, us: Color, to: Square) -> bool {
    let mut capturers = en_passant_capturers(board, us, to).into_iter();
    capturers.any(|from| is_en_passant_safe(board, us, from, to))
}
