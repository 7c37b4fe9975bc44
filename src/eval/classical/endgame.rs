//! Material that wins less than it seems to.

use super::view::{Force, View, count};

/// [`scale`] of a normal position.
pub const NORMAL: i32 = 64;

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

/// The factor, out of [`NORMAL`], that scales the score if our side is the better one and has no wrong
/// bishop.
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

fn opposite_bishops(own: &Force, their: &Force) -> bool {
    match (own.bishops.single_square(), their.bishops.single_square()) {
        (Some(a), Some(b)) => a.is_light() != b.is_light(),
        _ => false,
    }
}
