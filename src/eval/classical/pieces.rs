//! Knights, bishops, rooks and queens: mobility, outposts and files; and the placement of all
//! pieces.
//!
//! This is the only pass over the pieces. It also collects the squares they attack and counts their
//! attacks on the enemy king.

use super::Terms;
use super::params::WEIGHTS;
use super::tapered::Tapered;
use super::view::{Attacks, View, count, down, fill_down, fill_files};
use crate::position::{Bitboard, Rank, Square, attacks};

/// Ranks four to six: where outposts count.
const OUTPOST_RANKS: Bitboard = Bitboard(0x0000_FFFF_FF00_0000);
/// e4, d4, e5, d5.
const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Material and placement: the value of each piece on its square.
pub fn placement(view: &View, terms: &mut Terms) {
    let own = &view.own;
    let king = Bitboard::from(own.king);
    let by_role = [own.pawns, own.knights, own.bishops, own.rooks, own.queens, king];
    for (role, pieces) in by_role.into_iter().enumerate() {
        for square in pieces {
            terms.score.add(&WEIGHTS.square[role][square.to_usize()], 1);
        }
        if let Some(value) = WEIGHTS.material.get(role) {
            terms.score.add(value, count(pieces));
        }
    }
    if own.bishops.more_than_one() {
        terms.score.add(&WEIGHTS.bishop_pair, 1);
    }
}

/// State shared by the passes over each kind of piece.
struct Pass<'a> {
    view: &'a View,
    terms: &'a mut Terms,
    attacks: Attacks,
    /// Squares that count for mobility.
    area: Bitboard,
    /// Squares that no enemy pawn attacks or can ever attack.
    unchallenged: Bitboard,
}

/// The terms of the pieces, and everything the side attacks.
pub fn pieces(view: &View, terms: &mut Terms) -> Attacks {
    let own = &view.own;
    let area = !(view.their.pawn_attacks | own.pawns | Bitboard::from(own.king));
    let mut pass = Pass {
        view,
        terms,
        attacks: Attacks::new(own),
        area,
        unchallenged: !fill_down(view.their.pawn_attacks),
    };
    pass.knights();
    pass.bishops();
    pass.rooks();
    pass.queens();
    pass.attacks
}

impl Pass<'_> {
    fn knights(&mut self) {
        for square in self.view.own.knights {
            let attacked = attacks::knight_attacks(square);
            self.attacks.knights |= attacked;
            self.piece(attacked, 0);
            self.terms.score.add(&WEIGHTS.knight_mobility[self.mobility(attacked)], 1);
            self.outpost(square, &WEIGHTS.knight_outpost);
        }
    }

    fn bishops(&mut self) {
        let own = &self.view.own;
        let through = self.view.occupied ^ own.queens;
        for square in own.bishops {
            let attacked = attacks::bishop_attacks(square, through);
            self.attacks.bishops |= attacked;
            self.piece(attacked, 1);
            self.terms.score.add(&WEIGHTS.bishop_mobility[self.mobility(attacked)], 1);
            self.outpost(square, &WEIGHTS.bishop_outpost);
            let colour =
                if square.is_dark() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
            self.terms.score.add(&WEIGHTS.bishop_pawns, count(own.pawns & colour));
            if (attacks::bishop_attacks(square, own.pawns | self.view.their.pawns) & CENTRE)
                .more_than_one()
            {
                self.terms.score.add(&WEIGHTS.bishop_long_diagonal, 1);
            }
        }
        let sheltered = own.minors() & down(own.pawns | self.view.their.pawns);
        self.terms.score.add(&WEIGHTS.minor_behind_pawn, count(sheltered));
    }

    fn rooks(&mut self) {
        let View { own, their, occupied, .. } = self.view;
        let through = *occupied ^ own.majors();
        for square in own.rooks {
            let attacked = attacks::rook_attacks(square, through);
            self.attacks.rooks |= attacked;
            self.piece(attacked, 2);
            self.terms.score.add(&WEIGHTS.rook_mobility[self.mobility(attacked)], 1);
        }
        let half_open = own.rooks & !fill_files(own.pawns);
        let open = half_open & !fill_files(their.pawns);
        self.terms.score.add(&WEIGHTS.rook_half_open, count(half_open ^ open));
        self.terms.score.add(&WEIGHTS.rook_open, count(open));

        let seventh = Bitboard::from(Rank::Seventh);
        if their.king.rank() == Rank::Eighth || (their.pawns & seventh).any() {
            self.terms.score.add(&WEIGHTS.major_on_seventh, count(own.majors() & seventh));
        }
    }

    fn queens(&mut self) {
        for square in self.view.own.queens {
            let attacked = attacks::queen_attacks(square, self.view.occupied);
            self.attacks.queens |= attacked;
            self.piece(attacked, 3);
            self.terms.score.add(&WEIGHTS.queen_mobility[self.mobility(attacked)], 1);
        }
    }

    /// The terms common to all pieces: their attacks on squares and on the king.
    fn piece(&mut self, attacked: Bitboard, role: usize) {
        self.attacks.add(attacked);
        if (attacked & self.view.their_king_zone).any() {
            let near = attacks::king_attacks(self.view.their.king);
            self.terms.danger.add(&WEIGHTS.danger.attacker[role], 1);
            self.terms.danger.add(&WEIGHTS.danger.zone_attack, count(attacked & near));
        }
    }

    fn mobility(&self, attacked: Bitboard) -> usize {
        (attacked & self.area).count()
    }

    fn outpost(&mut self, square: Square, weights: &'static [Tapered; 2]) {
        if (self.unchallenged & OUTPOST_RANKS).contains(square) {
            let supported = self.view.own.pawn_attacks.contains(square);
            self.terms.score.add(&weights[usize::from(supported)], 1);
        }
    }
}

/// Safe squares behind our pawns in the centre (after the space term in Stockfish up to 15).
pub fn space(view: &View, their: &Attacks, terms: &mut Terms) {
    const CENTRAL_FILES: Bitboard = Bitboard(0x0000_0000_3C3C_3C00);
    let own = &view.own;
    let safe = CENTRAL_FILES & !own.pawns & !view.their.pawn_attacks & !their.all;
    let behind = safe & fill_down(down(own.pawns));
    terms.score.add(&WEIGHTS.space, count(behind) * count(own.pieces()));
}
