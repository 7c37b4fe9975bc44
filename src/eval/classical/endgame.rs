//! Material knowledge: known draws, drawish endings, and how to mate a lone king.

use super::params::WEIGHTS;
use super::view::{Force, View, count};
use crate::position::{Bitboard, File, Rank, Square};

/// [`scale`] of a normal position.
pub const NORMAL: i32 = 64;

/// Bonus in centipawns, beyond material, for a side that has a forced mate.
const KNOWN_WIN: i32 = 800;
/// Centipawns per step of the lone king towards the edge (or the right corner).
const EDGE_STEP: i32 = 20;
/// Centipawns per step of the kings towards each other.
const APPROACH_STEP: i32 = 10;

/// The stronger side has no pawns and leads by a minor piece at most.
const PAWNLESS: i32 = 8;
/// Each side has only bishops, of opposite colours; and the bonus for each passed pawn.
const OPPOSITE_BISHOPS: i32 = 18;
const PER_PASSED_PAWN: i32 = 8;
/// Bishops of opposite colours, with other pieces on the board.
const OPPOSITE_BISHOPS_AND_PIECES: i32 = 54;
/// A win usually needs pawns: the factor without any, and the bonus for each.
const FEW_PAWNS: i32 = 40;
const PER_PAWN: i32 = 6;

/// Piece values for the rules of [`scale`].
const MINOR: i32 = 3;
const ROOK: i32 = 5;
const QUEEN: i32 = 9;

/// The score in centipawns when the other side has a lone king and material decides: a draw if our
/// side cannot mate, a win if its pieces alone can. The win is worth more the closer the king is to
/// the edge or, for bishop and knight, to a corner of the bishop's colour.
#[must_use]
pub fn lone_king(view: &View) -> Option<i32> {
    let own = &view.own;
    let king = view.their.king;
    if view.their.all.more_than_one() {
        return None;
    }
    if !can_mate(own) {
        return (own.pawns.is_empty() || wrong_bishop(view)).then_some(0);
    }
    let only_minors = own.majors().is_empty();
    let driven = if only_minors && own.knights.any() && !both_colours(own.bishops) {
        let corners = corners_of_colour(own.bishops);
        7 - corners.into_iter().map(|corner| manhattan(king, corner)).min().unwrap_or(0) as i32
    } else {
        3 - edge_distance(king)
    };
    let near = 7 - own.king.distance(king) as i32;
    Some(KNOWN_WIN + material(own) + driven * EDGE_STEP + near * APPROACH_STEP)
}

/// The factor, out of [`NORMAL`], that scales the score if our side is the better one.
#[must_use]
pub fn scale(view: &View) -> i32 {
    let (own, their) = (&view.own, &view.their);
    if own.pawns.is_empty() {
        let lead = pieces_value(own) - pieces_value(their);
        if lead <= MINOR {
            return if pieces_value(own) <= MINOR { 0 } else { PAWNLESS };
        }
        if own.majors().is_empty() && own.bishops.is_empty() && count(own.knights) == 2 {
            return PAWNLESS;
        }
    } else if wrong_bishop(view) {
        return 0;
    }
    if opposite_bishops(own, their) {
        let bare = own.pieces() == own.bishops && their.pieces() == their.bishops;
        return if bare {
            OPPOSITE_BISHOPS + PER_PASSED_PAWN * count(super::pawns::passed_pawns(view))
        } else {
            OPPOSITE_BISHOPS_AND_PIECES
        };
    }
    (FEW_PAWNS + PER_PAWN * count(own.pawns)).min(NORMAL)
}

fn pieces_value(force: &Force) -> i32 {
    MINOR * count(force.minors()) + ROOK * count(force.rooks) + QUEEN * count(force.queens)
}

/// Endgame material in centipawns.
fn material(force: &Force) -> i32 {
    [force.pawns, force.knights, force.bishops, force.rooks, force.queens]
        .into_iter()
        .zip(&WEIGHTS.material)
        .map(|(pieces, weight)| weight.endgame() * count(pieces))
        .sum()
}

/// Whether the pieces can force mate against a lone king.
fn can_mate(force: &Force) -> bool {
    force.majors().any()
        || both_colours(force.bishops)
        || force.bishops.any() && force.knights.any()
        || count(force.knights) > 2
}

fn both_colours(bishops: Bitboard) -> bool {
    (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & !Bitboard::LIGHT_SQUARES).any()
}

fn opposite_bishops(own: &Force, their: &Force) -> bool {
    match (own.bishops.single_square(), their.bishops.single_square()) {
        (Some(a), Some(b)) => a.is_light() != b.is_light(),
        _ => false,
    }
}

/// Whether there are only bishops and rook pawns, none of the bishops controls the promotion
/// corner, and the enemy king holds it.
fn wrong_bishop(view: &View) -> bool {
    let own = &view.own;
    if own.pieces() != own.bishops || own.bishops.is_empty() {
        return false;
    }
    [File::A, File::H].into_iter().any(|file| {
        let corner = Square::from_coords(file, Rank::Eighth);
        let same_colour =
            if corner.is_light() { Bitboard::LIGHT_SQUARES } else { !Bitboard::LIGHT_SQUARES };
        (own.pawns & !Bitboard::from(file)).is_empty()
            && (own.bishops & same_colour).is_empty()
            && view.their.king.distance(corner) <= 1
    })
}

fn corners_of_colour(bishops: Bitboard) -> [Square; 2] {
    if (bishops & Bitboard::LIGHT_SQUARES).any() {
        [Square::A8, Square::H1]
    } else {
        [Square::A1, Square::H8]
    }
}

/// Distance to the nearest edge, 0 to 3.
fn edge_distance(square: Square) -> i32 {
    let steps = |index: usize| index.min(7 - index);
    steps(square.file().to_usize()).min(steps(square.rank().to_usize())) as i32
}

/// The sum of the file and rank distances.
fn manhattan(a: Square, b: Square) -> u32 {
    a.file().distance(b.file()) + a.rank().distance(b.rank())
}
