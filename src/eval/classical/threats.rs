//! Threats: pieces attacked by something cheaper, or undefended.

use super::Terms;
use super::params::WEIGHTS;
use super::tapered::Tapered;
use super::view::{Attacks, View, beside, count, up};
use crate::position::{Bitboard, Rank, attacks};

/// The threats made by our side, given both sides' attacks.
pub fn threats(view: &View, own: &Attacks, their: &Attacks, terms: &mut Terms) {
    let View { own: us, their: them, occupied, .. } = view;
    let score = &mut terms.score;

    by_role(view, us.pawn_attacks, &WEIGHTS.threat_by_pawn, score);
    // Not worth taking with a piece: defended by a pawn, or by more pieces than attack it.
    let guarded = them.pawn_attacks | their.twice & !own.twice;
    let weak = them.all & !guarded;
    by_role(
        view,
        (own.knights | own.bishops) & !them.pawn_attacks,
        &WEIGHTS.threat_by_minor,
        score,
    );
    by_role(view, own.rooks & !them.pawn_attacks, &WEIGHTS.threat_by_rook, score);
    score.add(&WEIGHTS.threat_by_king, count(weak & own.king));
    score.add(&WEIGHTS.hanging, count(weak & own.all & !their.all));

    let safe = !their.all | own.all;
    let once = up(us.pawns) & !*occupied;
    let twice = up(once & Bitboard::from(Rank::Third)) & !*occupied;
    let pushed = (once | twice) & !them.pawn_attacks & safe;
    let attacked = beside(up(pushed)) & !us.pawn_attacks;
    score.add(&WEIGHTS.push_threat, count(attacked & them.pieces()));

    if let Some(queen) = them.queens.single_square() {
        let quiet = safe & !them.pawn_attacks & !us.pawns & !guarded;
        let bishops = own.bishops & attacks::bishop_attacks(queen, *occupied);
        let rooks = own.rooks & attacks::rook_attacks(queen, *occupied);
        let knights = own.knights & attacks::knight_attacks(queen);
        let sliders = (bishops | rooks) & own.twice;
        score.add(&WEIGHTS.queen_harassed, count((knights | sliders) & quiet));
    }
    score.add(&WEIGHTS.restricted, count(their.all & !guarded & own.all & !them.all));
}

/// Counts enemy pieces on the attacked squares, by role.
fn by_role(view: &View, attacked: Bitboard, weights: &'static [Tapered; 5], score: &mut Tapered) {
    let them = &view.their;
    let by_role = [them.pawns, them.knights, them.bishops, them.rooks, them.queens];
    for (pieces, weight) in by_role.into_iter().zip(weights) {
        score.add(weight, count(pieces & attacked));
    }
}
