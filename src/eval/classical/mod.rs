//! The classical evaluation: hand-written chess knowledge, as engines used before networks.
//!
//! 1. The board is viewed from each side ([`view`]), and each side's terms are summed: material and
//!    placement, mobility ([`pieces`]), [`pawns`], [`king`] safety and [`threats`]. A term is a weight
//!    times a count; a weight is a pair of a middlegame and an endgame value ([`tapered`],
//!    [`params`]).
//! 2. The difference of the sums is blended by game phase, which depends on the pieces left.
//! 3. Material that wins less than it seems to scales the endgame half down ([`endgame`]); a lone
//!    king is a special case ([`lone_king`]).

mod endgame;
mod king;
mod params;
mod pawns;
mod pieces;
mod tapered;
mod threats;
mod view;

#[cfg(test)]
pub(super) mod tests;

use params::WEIGHTS;
use tapered::Tapered;
use view::{View, count};

use super::endings::{has_wrong_bishop, lone_king};
use crate::position::Position;
use crate::score::Score;

/// The phase with all pieces on the board: a minor piece counts 1, a rook 2, a queen 4.
const FULL_PHASE: i32 = 24;

/// The raw classical evaluation of a position that is not in check, for the side to move.
pub fn evaluate(position: &Position) -> Score {
    let centipawns = lone_king(position).unwrap_or_else(|| {
        let turn = position.turn();
        let (view, other) = (View::new(position, turn), View::new(position, !turn));
        let [own, their]: [Terms; 2] = terms(&view, &other);
        let danger = king::danger_value(own.danger) - king::danger_value(their.danger);
        blend(own.score - their.score + danger, position, [&view, &other])
    });
    Score::eval(centipawns)
}

/// The sums of one side's terms.
#[derive(Default)]
struct Terms {
    pub score: Tapered,
    /// Terms of the danger to the enemy king.
    pub danger: Tapered,
}

/// The terms of the side to move and of the other side.
fn terms(view: &View, other: &View) -> [Terms; 2] {
    let (mut own, mut their) = (Terms::default(), Terms::default());
    let own_attacks = pieces::pieces(view, &mut own);
    let their_attacks = pieces::pieces(other, &mut their);
    side(view, &own_attacks, &their_attacks.flipped(), &mut own);
    side(other, &their_attacks, &own_attacks.flipped(), &mut their);
    own.score.add(&WEIGHTS.tempo, 1);
    [own, their]
}

/// The terms of one side, given both sides' attacks.
fn side(view: &View, own: &view::Attacks, their: &view::Attacks, terms: &mut Terms) {
    pieces::placement(view, terms);
    pieces::space(view, their, terms);
    pawns::structure(view, terms);
    pawns::passed(view, own, their, terms);
    threats::threats(view, own, their, terms);
    king::shelter(view, terms);
    king::danger(view, own, their, terms);
}

/// Blends middlegame and endgame into centipawns for the side to move.
fn blend(score: Tapered, position: &Position, [view, other]: [&View; 2]) -> i32 {
    let phase = phase(view);
    let turn = position.turn();
    let (better, us) = if score.endgame() > 0 { (view, turn) } else { (other, !turn) };
    let scale = if has_wrong_bishop(position, us) { 0 } else { endgame::scale(better) };
    let endgame = score.endgame() * scale / endgame::NORMAL;
    (score.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// The weight of the middlegame: 0 to [`FULL_PHASE`].
fn phase(view: &View) -> i32 {
    let (own, their) = (&view.own, &view.their);
    let minors = count(own.minors() | their.minors());
    let rooks = count(own.rooks | their.rooks);
    let queens = count(own.queens | their.queens);
    (minors + 2 * rooks + 4 * queens).min(FULL_PHASE)
}
