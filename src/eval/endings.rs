//! Endings that both evaluators know: a lone king, and the rook pawn with the wrong bishop.

use crate::position::{Bitboard, Color, File, Position, Rank, Role, Square};

/// Bonus in centipawns, beyond material, for a side that has a forced mate.
const KNOWN_WIN: i32 = 800;
/// Centipawns per step of the lone king towards the edge (or the right corner).
const EDGE_STEP: i32 = 20;
/// Centipawns per step of the kings towards each other.
const APPROACH_STEP: i32 = 10;
/// Centipawns of the pieces that mate.
const MATERIAL: [(Role, i32); 5] = [
    (Role::Pawn, 117),
    (Role::Knight, 335),
    (Role::Bishop, 349),
    (Role::Rook, 590),
    (Role::Queen, 995),
];

/// The score in centipawns for the side to move if one side has a lone king and material decides: a
/// draw if the other cannot mate, a win if its pieces alone can. The win is worth more the closer
/// the king is to the edge or, for bishop and knight, to a corner of the bishop's color.
pub fn lone_king(position: &Position) -> Option<i32> {
    let is_alone = |color: &Color| !position.by_color(*color).more_than_one();
    let loser = Color::ALL.into_iter().find(is_alone)?;
    let score = against_lone_king(position, !loser)?;
    Some(if position.turn() == loser { -score } else { score })
}

/// The score for `us`, whose opponent has a lone king.
fn against_lone_king(position: &Position, us: Color) -> Option<i32> {
    let own = |role| position.pieces(us, role);
    let (knights, bishops) = (own(Role::Knight), own(Role::Bishop));
    let majors = own(Role::Rook) | own(Role::Queen);
    if majors.is_empty() && !minors_can_mate(knights, bishops) {
        let is_draw = own(Role::Pawn).is_empty() || has_wrong_bishop(position, us);
        return is_draw.then_some(0);
    }
    let king = position.king(!us);
    let is_bishop_and_knight = majors.is_empty() && knights.any() && bishops.any();
    let driven = if is_bishop_and_knight && !has_both_colors(bishops) {
        let corners = corners_of_color(bishops);
        7 - corners.into_iter().map(|corner| manhattan(king, corner)).min().unwrap_or(0) as i32
    } else {
        3 - edge_distance(king)
    };
    let near = 7 - position.king(us).distance(king) as i32;
    let material: i32 =
        MATERIAL.iter().map(|&(role, value)| value * own(role).count() as i32).sum();
    Some(KNOWN_WIN + material + driven * EDGE_STEP + near * APPROACH_STEP)
}

/// `us` has only rook pawns and bishops, none of the bishops controls the promotion corner, and the
/// enemy king holds it.
fn has_wrong_bishop(position: &Position, us: Color) -> bool {
    let own = |role| position.pieces(us, role);
    let bishops = own(Role::Bishop);
    let others = own(Role::Knight) | own(Role::Rook) | own(Role::Queen);
    let pawns = own(Role::Pawn);
    if others.any() || bishops.is_empty() || pawns.is_empty() {
        return false;
    }
    [File::A, File::H].into_iter().any(|file| {
        let corner = Square::from_coords(file, us.relative_rank(Rank::Eighth));
        (pawns & !Bitboard::from(file)).is_empty()
            && (bishops & squares_of_color(corner)).is_empty()
            && position.king(!us).distance(corner) <= 1
    })
}

/// Knights and bishops can force mate.
fn minors_can_mate(knights: Bitboard, bishops: Bitboard) -> bool {
    has_both_colors(bishops) || bishops.any() && knights.any() || knights.count() > 2
}

fn has_both_colors(bishops: Bitboard) -> bool {
    (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & Bitboard::DARK_SQUARES).any()
}

fn squares_of_color(square: Square) -> Bitboard {
    if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES }
}

fn corners_of_color(bishops: Bitboard) -> [Square; 2] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_king_is_scored_if_material_decides() {
        let score = |fen| lone_king(&Position::from_fen(fen).unwrap());
        for draw in [
            "8/8/8/3k4/8/8/8/N3K3 w - - 0 1",
            "8/8/8/3k4/8/8/8/NN2K3 w - - 0 1",
            "k7/8/8/8/8/P7/8/2B1K3 w - - 0 1",
        ] {
            assert_eq!(score(draw), Some(0), "{draw}");
        }
        for unknown in [
            "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1",
            "k7/8/8/8/8/P7/8/3BK3 w - - 0 1",
            crate::position::START_FEN,
        ] {
            assert_eq!(score(unknown), None, "{unknown}");
        }
        let rook = score("8/8/8/3k4/8/8/8/R3K3 w - - 0 1").unwrap();
        assert!(rook > KNOWN_WIN);
        assert_eq!(score("8/8/8/3k4/8/8/8/R3K3 b - - 0 1"), Some(-rook));
        assert_eq!(score("r3k3/8/8/8/3K4/8/8/8 b - - 0 1"), Some(rook));
    }

    #[test]
    fn queen_and_rook_drive_to_an_edge_and_come_near() {
        let score = |fen: &str| lone_king(&Position::from_fen(fen).unwrap()).unwrap();
        for piece in ["Q", "R"] {
            let centre = score(&format!("8/8/8/3k4/8/8/8/{piece}3K3 w - - 0 1"));
            let edge = score(&format!("3k4/8/8/8/8/8/8/{piece}3K3 w - - 0 1"));
            let near = score(&format!("3k4/8/3K4/8/8/8/8/{piece}7 w - - 0 1"));
            assert!(centre < edge && edge < near, "{centre} {edge} {near}");
        }
        let with_pawn = score("8/8/8/3k4/8/8/4P3/R3K3 w - - 0 1");
        assert!(with_pawn > score("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"));
    }

    #[test]
    fn bishop_and_knight_drive_to_a_corner_and_knights_to_an_edge() {
        let score = |fen| lone_king(&Position::from_fen(fen).unwrap()).unwrap();
        let right = score("7k/8/5K2/5N2/8/8/8/2B5 w - - 0 1");
        let wrong = score("k7/8/2K5/2N5/8/8/8/2B5 w - - 0 1");
        assert!(right > wrong + 100, "{right} {wrong}");
        let knights = ["7k/8/5K2/5N2/8/8/8/NN6 w - - 0 1", "k7/8/2K5/2N5/8/8/8/NN6 w - - 0 1"];
        assert_eq!(score(knights[0]), score(knights[1]));
    }
}
