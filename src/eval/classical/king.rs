//! King safety: pawn shelter around our king, and danger to the enemy king.
//!
//! Danger is counted in units and enters the middlegame score squared, because attackers help each
//! other, as in Glaurung and Stockfish (Tord Romstad). The sum is tapered and its endgame half
//! counts linearly, as in Ethereal (Andrew Grant).

use super::Terms;
use super::params::WEIGHTS;
use super::tapered::{Tapered, s};
use super::view::{Attacks, View, count, fill_files, fill_up};
use crate::position::{Bitboard, File, Rank, attacks};

/// Squared danger units per centipawn.
const MIDDLEGAME_DIVISOR: i32 = 1024;
/// Danger units per centipawn in the endgame.
const ENDGAME_DIVISOR: i32 = 16;
/// Danger is capped here: such a king is as good as lost.
const MAX_DANGER: i32 = 1200;

/// Ranks four to eight, counted by the enemy as home.
const THEIR_HALF: Bitboard = Bitboard(0xFFFF_FFFF_FF00_0000);

/// Pawn shelter and pawn storm in front of our king.
pub fn shelter(view: &View, terms: &mut Terms) {
    let score = &mut terms.score;
    let king = view.own.king;
    let level = fill_up(Bitboard::from(king.rank()));
    // The king's file and its neighbours; at the edge of the board, the three nearest files.
    let centre = king.file().to_usize().clamp(1, 6);
    for index in centre - 1..=centre + 1 {
        let file = Bitboard(Bitboard::from(File::A).0 << index) & level;
        let edge = index.min(7 - index);
        let own = nearest(view.own.pawns & file);
        let their = nearest(view.their.pawns & file);
        score.add(&WEIGHTS.shelter[edge][own], 1);
        if own != 0 && their == own + 1 {
            score.add(&WEIGHTS.storm_blocked[their], 1);
        } else {
            score.add(&WEIGHTS.storm[edge][their], 1);
        }
    }
    let file = Bitboard::from(king.file());
    if (file & view.own.pawns).is_empty() {
        let open = (file & view.their.pawns).is_empty();
        score.add(&WEIGHTS.king_file[usize::from(open)], 1);
    }
    if (flank(king.file()) & (view.own.pawns | view.their.pawns)).is_empty() {
        score.add(&WEIGHTS.pawnless_flank, 1);
    }
}

/// The rank of the lowest pawn, 0 if there is none: no pawn stands on the first rank.
fn nearest(pawns: Bitboard) -> usize {
    pawns.first().map_or(0, |square| square.rank().to_usize())
}

/// The files of the wing, or the centre, where the king stands.
fn flank(king: File) -> Bitboard {
    const QUEEN_SIDE: Bitboard = Bitboard(0x0F0F_0F0F_0F0F_0F0F);
    const CENTRE: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);
    match king {
        File::A | File::B | File::C => QUEEN_SIDE,
        File::D | File::E => CENTRE,
        File::F | File::G | File::H => !QUEEN_SIDE,
    }
}

/// The danger to the enemy king; the attackers were already counted with the pieces.
pub fn danger(view: &View, own: &Attacks, their: &Attacks, terms: &mut Terms) {
    let weights = &WEIGHTS.danger;
    let View { own: us, their: them, occupied, their_king_zone: zone, .. } = view;
    let danger = &mut terms.danger;
    danger.add(&weights.base, 1);

    let poorly_defended = !their.twice & (their.king | their.queens) | !their.all;
    danger.add(&weights.weak_square, count(*zone & own.all & poorly_defended));

    let safe = !us.all & (!their.all | poorly_defended & own.twice);
    let through = *occupied ^ them.queens;
    let lines = attacks::rook_attacks(them.king, through);
    let diagonals = attacks::bishop_attacks(them.king, through);
    let checks = [
        own.knights & attacks::knight_attacks(them.king),
        own.bishops & diagonals,
        own.rooks & lines,
        own.queens & (lines | diagonals),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (squares, weight) in checks.into_iter().zip(&weights.safe_check) {
        danger.add(weight, count(squares & safe).min(2));
        unsafe_checks |= squares & !safe & !us.all;
    }
    danger.add(&weights.unsafe_check, count(unsafe_checks));
    danger.add(&weights.no_queen, i32::from(us.queens.is_empty()));
    danger.add(&weights.defender, count(*zone & them.minors()));

    let covered = fill_files(them.pawns) & Bitboard::from(Rank::First);
    let files = fill_files(*zone) & Bitboard::from(Rank::First);
    danger.add(&weights.open_file, count(files & !covered));

    let flank = flank(them.king.file()) & THEIR_HALF;
    let pressed = flank & own.all;
    danger.add(&weights.flank_attack, count(pressed) + count(pressed & own.twice));
    danger.add(&weights.flank_defence, count(flank & their.all));
}

/// Converts danger units into a score.
pub fn danger_value(danger: Tapered) -> Tapered {
    let middlegame = danger.middlegame().clamp(0, MAX_DANGER);
    let endgame = danger.endgame().clamp(0, MAX_DANGER);
    s(middlegame * middlegame / MIDDLEGAME_DIVISOR, endgame / ENDGAME_DIVISOR)
}
