//! Pawn structure: isolated, doubled, backward, connected and passed pawns.

use super::Terms;
use super::params::WEIGHTS;
use super::view::{Attacks, View, beside, count, down, fill_down, fill_files, fill_up, up};
use crate::position::{Bitboard, Rank, Square};

/// King distances are capped here.
const MAX_KING_DISTANCE: u32 = 5;
/// Up to this rank index, king distances to a passed pawn do not count.
const EARLY_RANK: usize = 2;
/// The rank index of promotion.
const LAST_RANK: usize = 7;

/// Pawn structure, except for passed pawns (see [`passed`]).
pub fn structure(view: &View, terms: &mut Terms) {
    let own = view.own.pawns;
    let half_open = own & !fill_down(view.their.pawns);
    let mut exposed = |pawns: Bitboard, weights: &'static [_; 2]| {
        terms.score.add(&weights[0], count(pawns & !half_open));
        terms.score.add(&weights[1], count(pawns & half_open));
    };
    let isolated = own & !beside(fill_files(own));
    exposed(isolated, &WEIGHTS.isolated);

    // No neighbour is level with the pawn or behind it, and an enemy pawn guards the next square.
    let lonely = up(own) & view.their.pawn_attacks & !fill_up(view.own.pawn_attacks);
    exposed(down(lonely) & !isolated, &WEIGHTS.backward);

    terms.score.add(&WEIGHTS.doubled, count(own & fill_down(down(own))));
    for square in own & beside(own) {
        terms.score.add(&WEIGHTS.phalanx[rank(square)], 1);
    }
    for square in own & view.own.pawn_attacks {
        terms.score.add(&WEIGHTS.supported[rank(square)], 1);
    }
}

/// Own pawns that no enemy pawn can stop; only the foremost on each file.
pub fn passed_pawns(view: &View) -> Bitboard {
    let theirs = view.their.pawns;
    let stoppable = fill_down(down(theirs | beside(theirs)));
    view.own.pawns & !stoppable & !fill_down(down(view.own.pawns))
}

/// Passed pawns, given the kings, rooks and attacks around them.
pub fn passed(view: &View, own: &Attacks, their: &Attacks, terms: &mut Terms) {
    let score = &mut terms.score;
    let their_alone = view.their.pieces().is_empty();
    for square in passed_pawns(view) {
        let rank = rank(square);
        let pawn = Bitboard::from(square);
        let next = up(pawn);
        let path = fill_up(next);
        score.add(&WEIGHTS.passed[rank], 1);

        if (next & view.occupied).any() {
            score.add(&WEIGHTS.passed_blocked[rank], 1);
        } else if (path & (their.all | view.their.all)).is_empty() {
            score.add(&WEIGHTS.passed_free_path[rank], 1);
        } else if (next & their.all & !own.all).is_empty() {
            score.add(&WEIGHTS.passed_safe_step[rank], 1);
        }
        if rank > EARLY_RANK
            && let Some(next) = next.first()
        {
            let weight = (rank - EARLY_RANK) as i32;
            let distance = |king: Square| king.distance(next).min(MAX_KING_DISTANCE) as i32;
            score.add(&WEIGHTS.passed_own_king, weight * distance(view.own.king));
            score.add(&WEIGHTS.passed_their_king, weight * distance(view.their.king));
        }
        let behind = fill_down(down(pawn));
        score.add(&WEIGHTS.passed_own_rook, i32::from((behind & view.own.rooks).any()));
        score.add(&WEIGHTS.passed_their_rook, i32::from((behind & view.their.rooks).any()));
        if their_alone && (path & view.occupied).is_empty() && outruns_king(view, square) {
            score.add(&WEIGHTS.passed_unstoppable, 1);
        }
    }
}

/// The rule of the square: the pawn promotes before the enemy king catches it.
fn outruns_king(view: &View, pawn: Square) -> bool {
    let steps = (LAST_RANK - rank(pawn)).min(LAST_RANK - EARLY_RANK) as u32;
    let promotion = Square::from_coords(pawn.file(), Rank::Eighth);
    let king = view.their.king.distance(promotion);
    steps + u32::from(!view.to_move) < king
}

fn rank(square: Square) -> usize {
    square.rank().to_usize()
}
