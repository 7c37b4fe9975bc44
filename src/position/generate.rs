//! Generation of legal moves in stages.
//!
//! Checkers and blockers are known beforehand, so the target squares alone make a move legal: in
//! check, a piece may only capture the checker or step in between; a pinned piece may only move
//! along its line. King moves, castling and en passant captures are tested one by one.

use shakmaty::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, queen_attacks, ray, rook_attacks,
};
use shakmaty::{Bitboard, File, Rank, Role, Square};

use super::legal::{en_passant_capturers, is_en_passant_safe};
use super::{Move, Position};

/// The pieces that a pawn may become, in the order of generation.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// One run of the generator, for the tactical moves ([`super::is_tactical`]), the quiet moves (all
/// others) or both. The order within a stage is that of the rules library. In check, both stages
/// hold only evasions.
struct Generator<'a, F, const TACTICAL: bool, const QUIET: bool> {
    position: &'a Position,
    king: Square,
    /// The squares that the stage allows: the enemy's, the empty ones, or both.
    stage: Bitboard,
    on: F,
}

impl Position {
    /// Calls `on` for every legal capture and queen promotion.
    pub fn for_each_tactical(&self, on: impl FnMut(Move)) {
        Generator::<_, true, false>::new(self, on).run();
    }

    /// Calls `on` for every legal move that [`Position::for_each_tactical`] leaves out.
    pub fn for_each_quiet(&self, on: impl FnMut(Move)) {
        Generator::<_, false, true>::new(self, on).run();
    }

    /// Calls `on` for every legal move.
    pub fn for_each_legal(&self, on: impl FnMut(Move)) {
        Generator::<_, true, true>::new(self, on).run();
    }
}

impl<'a, F: FnMut(Move), const TACTICAL: bool, const QUIET: bool>
    Generator<'a, F, TACTICAL, QUIET>
{
    #[inline]
    fn new(position: &'a Position, on: F) -> Self {
        let us = position.turn();
        let mut stage = Bitboard::EMPTY;
        if TACTICAL {
            stage |= position.by_color(!us);
        }
        if QUIET {
            stage |= !position.occupied();
        }
        Self { position, king: position.king(us), stage, on }
    }

    #[inline]
    fn run(mut self) {
        if TACTICAL {
            self.en_passant();
        }
        if self.position.checkers().is_empty() {
            self.pawns(Bitboard::FULL);
            self.pieces(self.stage);
            self.king();
            if QUIET {
                self.castling();
            }
        } else {
            self.king();
            if let Some(checker) = self.position.checkers().single_square() {
                let evasions = between(self.king, checker).with(checker);
                self.pawns(evasions);
                self.pieces(evasions & self.stage);
            }
        }
    }

    /// Knights, bishops, rooks and queens.
    #[inline]
    fn pieces(&mut self, targets: Bitboard) {
        let occupied = self.position.occupied();
        self.role(Role::Knight, targets, knight_attacks);
        self.role(Role::Bishop, targets, |from| bishop_attacks(from, occupied));
        self.role(Role::Rook, targets, |from| rook_attacks(from, occupied));
        self.role(Role::Queen, targets, |from| queen_attacks(from, occupied));
    }

    #[inline]
    fn role(&mut self, role: Role, targets: Bitboard, attacks: impl Fn(Square) -> Bitboard) {
        for from in self.position.pieces(self.position.turn(), role) {
            let mut reached = attacks(from) & targets;
            if self.position.blockers.contains(from) {
                reached &= ray(self.king, from);
            }
            for to in reached {
                self.normal(role, from, to);
            }
        }
    }

    #[inline]
    fn king(&mut self) {
        for to in king_attacks(self.king) & self.stage {
            if self.position.is_king_safe_on(to) {
                self.normal(Role::King, self.king, to);
            }
        }
    }

    #[inline]
    fn castling(&mut self) {
        // King side first.
        let mut rooks = self.position.castling_rooks(self.position.turn());
        while let Some(rook) = rooks.pop_back() {
            if self.position.can_castle(self.king, rook) {
                (self.on)(Move::castle(self.king, rook));
            }
        }
    }

    #[inline]
    fn en_passant(&mut self) {
        let (board, us) = (self.position.board(), self.position.turn());
        let Some(to) = self.position.en_passant else { return };
        for from in en_passant_capturers(board, us, to) {
            if is_en_passant_safe(board, us, from, to) {
                (self.on)(Move::en_passant(from, to));
            }
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard) {
        let position = self.position;
        let us = position.turn();
        let pawns = position.pieces(us, Role::Pawn);
        let ahead = us.fold_wb(8, -8);
        if TACTICAL {
            let enemies = position.by_color(!us) & targets;
            for (side, edge) in [(-1, File::A), (1, File::H)] {
                let captures = (pawns & !Bitboard::from(edge)).shift(ahead + side) & enemies;
                self.pawn_moves(captures & !Bitboard::BACKRANKS, ahead + side);
                self.promotions(captures & Bitboard::BACKRANKS, ahead + side);
            }
        }
        let empty = !position.occupied();
        let single = pawns.shift(ahead) & empty;
        if QUIET {
            self.pawn_moves(single & targets & !Bitboard::BACKRANKS, ahead);
        }
        self.promotions(single & targets & Bitboard::BACKRANKS, ahead);
        if QUIET {
            let third = Bitboard::from_rank(us.relative_rank(Rank::Third));
            let double = (single & third).shift(ahead) & empty;
            self.pawn_moves(double & targets, 2 * ahead);
        }
    }

    /// Pawn moves by `step` onto each of `targets`.
    #[inline]
    fn pawn_moves(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = origin(to, step);
            if self.may_leave(from, to) {
                self.normal(Role::Pawn, from, to);
            }
        }
    }

    /// The stage's promotions by `step` onto each of `targets`.
    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            let from = origin(to, step);
            if !self.may_leave(from, to) {
                continue;
            }
            let capture = self.position.board().role_at(to);
            for promotion in PROMOTIONS {
                let tactical = capture.is_some() || promotion == Role::Queen;
                if if tactical { TACTICAL } else { QUIET } {
                    let promotion = Some(promotion);
                    (self.on)(Move::normal(Role::Pawn, from, capture, to, promotion));
                }
            }
        }
    }

    /// The pawn on `from` is not pinned, or stays on its line.
    #[inline]
    fn may_leave(&self, from: Square, to: Square) -> bool {
        !self.position.blockers.contains(from) || ray(self.king, from).contains(to)
    }

    #[inline]
    fn normal(&mut self, role: Role, from: Square, to: Square) {
        let capture = if TACTICAL { self.position.board().role_at(to) } else { None };
        (self.on)(Move::normal(role, from, capture, to, None));
    }
}

/// The square from which a pawn moves to `to` by `step`.
#[inline]
fn origin(to: Square, step: i32) -> Square {
    Square::new((i32::from(to) - step) as u32)
}
