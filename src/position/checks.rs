//! Checks: those that the side to move is in, and those that its moves give.

use shakmaty::attacks::{
    aligned, between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks,
};
use shakmaty::{Bitboard, Board, CastlingSide, Color, Role, Square};

use super::{Move, Position, ROLES, king_of};

/// The pieces around a king that restrict its side's moves.
pub(super) struct KingDanger {
    /// Enemy pieces that give check.
    pub(super) checkers: Bitboard,
    /// The only pieces, of either side, between an enemy slider and the king.
    pub(super) blockers: Bitboard,
}

impl KingDanger {
    /// The restrictions on the moves of `us`.
    pub(super) fn new(board: &Board, us: Color) -> Self {
        let king = king_of(board, us);
        let them = board.by_color(!us);
        let mut checkers = (knight_attacks(king) & board.knights()
            | pawn_attacks(us, king) & board.pawns())
            & them;
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers(board, king) & them {
            let between = between(king, sniper) & board.occupied();
            if between.is_empty() {
                checkers.add(sniper);
            } else if !between.more_than_one() {
                blockers |= between;
            }
        }
        Self { checkers, blockers }
    }
}

/// The sliders, of either side, that would attack `king` on an otherwise empty board.
fn snipers(board: &Board, king: Square) -> Bitboard {
    rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
        | bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()
}

/// The squares from which the side to move gives check.
///
/// Build it once per node and ask it about any number of moves.
#[derive(Clone, Debug)]
pub struct CheckSquares {
    /// The enemy king.
    king: Square,
    /// The squares from which a piece of each role gives check.
    by_role: [Bitboard; ROLES],
    /// Pieces of the side to move that discover a check by leaving the line to the king.
    discoverers: Bitboard,
}

impl CheckSquares {
    pub(super) fn new(position: &Position) -> Self {
        let us = position.turn();
        let board = position.board();
        let king = position.king(!us);
        let occupied = board.occupied();
        let mut discoverers = Bitboard::EMPTY;
        for sniper in snipers(board, king) & board.by_color(us) {
            let between = between(king, sniper) & occupied;
            if !between.more_than_one() {
                discoverers |= between & board.by_color(us);
            }
        }
        let (pawn, knight) = (pawn_attacks(!us, king), knight_attacks(king));
        let (bishop, rook) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let by_role = [pawn, knight, bishop, rook, bishop | rook, Bitboard::EMPTY];
        Self { king, by_role, discoverers }
    }

    /// The squares from which a piece of this role gives check.
    pub fn of(&self, role: Role) -> Bitboard {
        self.by_role[role as usize - 1]
    }

    /// The legal move `m` gives check. `position` must be the one that `self` was built from.
    #[inline]
    pub fn gives_check(&self, position: &Position, m: Move) -> bool {
        if m.is_special() {
            return self.special_gives_check(position, m);
        }
        self.of(m.role()).contains(m.to()) || self.discovers(m)
    }

    /// The piece leaves the line between an own slider and the enemy king.
    #[inline]
    fn discovers(&self, m: Move) -> bool {
        self.discoverers.contains(m.from()) && !aligned(m.from(), m.to(), self.king)
    }

    #[cold]
    fn special_gives_check(&self, position: &Position, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        if let Some(side) = m.castling_side() {
            return self.castling_checks(position, m, side);
        }
        if let Some(promotion) = m.promotion() {
            return self.discovers(m) || self.promotion_checks(position, from, to, promotion);
        }
        let occupied = position.occupied().without(from).without(m.captured_on()).with(to);
        self.of(Role::Pawn).contains(to)
            || self.slider_checks(position, position.board().rooks(), occupied)
    }

    /// The castled rook gives check, or the king uncovers one.
    fn castling_checks(&self, position: &Position, m: Move, side: CastlingSide) -> bool {
        let (king, rook) = (m.from(), m.to());
        let (king_to, rook_to) = (side.king_to(position.turn()), side.rook_to(position.turn()));
        let occupied = position.occupied().without(king).without(rook);
        let rooks = position.board().rooks().without(rook).with(rook_to);
        self.slider_checks(position, rooks, occupied.with(king_to).with(rook_to))
    }

    /// A pawn promoted on `to` gives check, possibly through the square that it has left.
    fn promotion_checks(&self, position: &Position, from: Square, to: Square, role: Role) -> bool {
        let occupied = position.occupied().without(from);
        let straight = || rook_attacks(to, occupied).contains(self.king);
        let diagonal = || bishop_attacks(to, occupied).contains(self.king);
        match role {
            Role::Knight => self.of(role).contains(to),
            Role::Bishop => diagonal(),
            Role::Rook => straight(),
            _ => diagonal() || straight(),
        }
    }

    /// A slider of the side to move attacks the king, given the occupied squares and all rooks.
    fn slider_checks(&self, position: &Position, rooks: Bitboard, occupied: Bitboard) -> bool {
        let board = position.board();
        // All but the enemy's squares: the new square of a castled rook is not among ours yet.
        let ours = !position.by_color(!position.turn());
        let straight = rook_attacks(self.king, occupied) & (rooks | board.queens());
        let diagonal = bishop_attacks(self.king, occupied) & board.bishops_and_queens();
        ((straight | diagonal) & ours).any()
    }
}
