//! The evaluation's face: a neural network ([`nnue`]), and a classical evaluation for when there is
//! none.
//!
//! The latter is chess knowledge of the sort that engines had before networks, in four steps:
//!
//! 1. The board is looked at twice, once with the eyes of either side ([`view`]), and each side's
//!    terms are added up: material and placement, mobility ([`pieces`]), [`pawns`], [`king`]
//!    safety and [`threats`]. A term is a weight times a count, and a weight a pair of a
//!    middlegame and an endgame value ([`tapered`], [`params`]).
//! 2. The difference of the sums is blended by the phase of the game, that is by the pieces left.
//! 3. Material that wins less than it seems to scales the endgame's half down ([`endgame`]); a lone
//!    king is a case of its own.
//! 4. The whole fades as the fifty-move clock runs, so that a search that can only shuffle
//!    prefers to make progress.
//!
//! The last two hold for the network as well: of the third, the lone king.
//!
//! Since every term goes through a [`trace::Tally`], the same code yields the coefficients that
//! its weights are tuned by.

pub mod endgame;
pub mod king;
pub mod nnue;
pub mod params;
pub mod pawns;
pub mod pieces;
pub mod tapered;
pub mod threats;
pub mod trace;
pub mod view;

#[cfg(test)]
mod tests;

use params::WEIGHTS;
use tapered::Tapered;
use trace::Tally;
use view::{View, count};

use crate::position::Position;
use crate::score::Score;

/// The phase of a game with all its pieces: minor pieces count 1, rooks 2, queens 4.
pub const FULL_PHASE: i32 = 24;

/// The classical evaluation of a position that is not in check, for the side to move.
#[must_use]
pub fn evaluate(position: &Position) -> Score {
    let view = View::new(position);
    let other = view.flipped();
    let centipawns = lone_king(&view, &other).unwrap_or_else(|| {
        let [own, their]: [Terms<Tapered>; 2] = terms(&view, &other);
        let danger = king::danger_value(own.danger) - king::danger_value(their.danger);
        blend(own.score - their.score + danger, &view, &other)
    });
    finished(centipawns, position)
}

/// The score in centipawns, for the side that looks through `view`, where one of the kings stands
/// alone and material decides.
fn lone_king(view: &View, other: &View) -> Option<i32> {
    endgame::lone_king(view).or_else(|| endgame::lone_king(other).map(|score| -score))
}

/// What an evaluation of `centipawns` is worth in the end.
fn finished(centipawns: i32, position: &Position) -> Score {
    Score::eval(fade(centipawns, position.halfmove_clock()))
}

/// What one side has to show.
#[derive(Default)]
pub struct Terms<T> {
    /// Terms of the score.
    pub score: T,
    /// Terms of the danger that it puts the other king in.
    pub danger: T,
}

/// The terms of the side to move and of the other.
#[must_use]
pub fn terms<T: Tally>(view: &View, other: &View) -> [Terms<T>; 2] {
    let (mut own, mut their) = (Terms::<T>::default(), Terms::<T>::default());
    let own_attacks = pieces::pieces(view, &mut own);
    let their_attacks = pieces::pieces(other, &mut their);
    side(view, &own_attacks, &their_attacks.flipped(), &mut own);
    side(other, &their_attacks, &own_attacks.flipped(), &mut their);
    own.score.add(&WEIGHTS.tempo, 1);
    [own, their]
}

/// The terms of one side, given both sides' attacks.
fn side<T: Tally>(view: &View, own: &view::Attacks, their: &view::Attacks, terms: &mut Terms<T>) {
    pieces::placement(view, terms);
    pieces::space(view, their, terms);
    pawns::structure(view, terms);
    pawns::passed(view, own, their, terms);
    threats::threats(view, own, their, terms);
    king::shelter(view, terms);
    king::danger(view, own, their, terms);
}

/// Blends middlegame and endgame into centipawns for the side to move.
fn blend(score: Tapered, view: &View, other: &View) -> i32 {
    let phase = phase(view);
    let better = if score.endgame() > 0 { view } else { other };
    let endgame = score.endgame() * endgame::scale(better) / endgame::NORMAL;
    (score.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// How much of the middlegame is left: 0 to [`FULL_PHASE`].
#[must_use]
pub fn phase(view: &View) -> i32 {
    let (own, their) = (&view.own, &view.their);
    let minors = count(own.minors() | their.minors());
    let rooks = count(own.rooks | their.rooks);
    let queens = count(own.queens | their.queens);
    (minors + 2 * rooks + 4 * queens).min(FULL_PHASE)
}

/// Takes the score towards a draw as the fifty-move clock runs: by half when it runs out.
fn fade(centipawns: i32, halfmove_clock: u32) -> i32 {
    const HORIZON: i32 = 200;
    centipawns * (HORIZON - halfmove_clock.min(100) as i32) / HORIZON
}
