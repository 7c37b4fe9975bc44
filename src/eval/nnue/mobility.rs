//! How many squares the pieces of each role can go to.
//!
//! A square counts for every piece that attacks it, unless an own piece holds it or a lesser
//! opposing one attacks it.

use shakmaty::attacks::{
    bishop_attacks, king_attacks, knight_attacks, queen_attacks, rook_attacks,
};

use super::features::FLIP_COLOR;
use crate::position::{Bitboard, Board, ByColor, Color, Role, Square, Threats, pawn_threats};

/// The roles that are counted: all but the pawn.
const MOVERS: [Role; 5] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
/// Numbers of squares with an input of their own: 0 to one less than this, which includes all
/// above.
const COUNTS: usize = FLIP_COLOR;
/// Inputs of mobility: a role, a color and a number of squares.
pub const MOBILITY_INPUTS: usize = MOVERS.len() * 2 * COUNTS;
/// The most that are active.
pub const MAX_COUNTS: usize = 2 * MOVERS.len();

/// What each side attacks, and how many squares the pieces of each role can go to.
pub struct Attacks {
    /// The squares that a side attacks.
    pub threats: ByColor<Threats>,
    /// By role and color; `None` without such a piece.
    counts: [ByColor<Option<usize>>; MOVERS.len()],
}

impl Attacks {
    /// Those on `board`. Lesser pieces come first, since the squares that they attack do not count
    /// for others.
    #[inline]
    pub fn on(board: &Board) -> Self {
        let occupied = board.occupied();
        let pawns =
            ByColor::new_with(|color| pawn_threats(color, board.by_piece(Role::Pawn.of(color))));
        let (knights, by_knights) = reach(board, Role::Knight, &pawns, knight_attacks);
        let (bishops, by_bishops) =
            reach(board, Role::Bishop, &pawns, |from| bishop_attacks(from, occupied));
        let minors = union(&by_knights, &by_bishops);
        let lesser = union(&pawns, &minors);
        let (rooks, by_rooks) =
            reach(board, Role::Rook, &lesser, |from| rook_attacks(from, occupied));
        let lesser = union(&lesser, &by_rooks);
        let (queens, by_queens) =
            reach(board, Role::Queen, &lesser, |from| queen_attacks(from, occupied));
        let kings =
            ByColor::new_with(|color| board.king_of(color).map_or(Bitboard::EMPTY, king_attacks));
        let all = union(&union(&lesser, &by_queens), &kings);
        let (kings, _) = reach(board, Role::King, &all, king_attacks);
        let threats = ByColor::new_with(|color| {
            let [pawns, minors, rooks, all] =
                [&pawns, &minors, &by_rooks, &all].map(|sets| *sets.get(color));
            Threats::of_sets(pawns, minors, rooks, all)
        });
        Self { threats, counts: [knights, bishops, rooks, queens, kings] }
    }
}

/// How many squares the pieces of a role can go to, and which ones they attack, by color. `lesser`
/// are the squares that lesser pieces of a color attack.
#[inline(always)]
fn reach(
    board: &Board,
    role: Role,
    lesser: &ByColor<Bitboard>,
    attacks: impl Fn(Square) -> Bitboard,
) -> (ByColor<Option<usize>>, ByColor<Bitboard>) {
    let mut attacked = ByColor::default();
    let counts = ByColor::new_with(|color| {
        let free = !board.by_color(color) & !*lesser.get(!color);
        let pieces = board.by_piece(role.of(color));
        let mut count = 0;
        for from in pieces {
            let squares = attacks(from);
            *attacked.get_mut(color) |= squares;
            count += (squares & free).count();
        }
        pieces.any().then_some(count)
    });
    (counts, attacked)
}

/// The squares of either, by color.
fn union(one: &ByColor<Bitboard>, two: &ByColor<Bitboard>) -> ByColor<Bitboard> {
    ByColor::new_with(|color| *one.get(color) | *two.get(color))
}

/// Visits the inputs, below [`MOBILITY_INPUTS`], of both sides, as White sees them; a role without
/// pieces has none.
#[inline]
pub fn each(attacks: &Attacks, mut visit: impl FnMut(u16)) {
    for (number, counts) in attacks.counts.iter().enumerate() {
        for color in Color::ALL {
            if let Some(count) = *counts.get(color) {
                let side = if color.is_black() { COUNTS } else { 0 };
                visit((number * 2 * COUNTS + side + count.min(COUNTS - 1)) as u16);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn squares_that_are_free_and_safe_count() {
        let counts = |fen: &str| {
            let position = Position::from_fen(fen).unwrap();
            let board = position.board();
            let mut counts = Vec::new();
            each(&Attacks::on(board), |input| {
                let input = usize::from(input);
                let (role, rest) = (input / (2 * COUNTS), input % (2 * COUNTS));
                counts.push((role, rest / COUNTS, rest % COUNTS));
            });
            counts
        };
        // Each knight has one square: a pawn attacks b3 and d3, an own one holds e2. The king has
        // a2 and c2.
        let fen = "4k3/8/8/8/2p5/8/1P2P3/NKN5 w - - 0 1";
        assert_eq!(counts(fen), [(0, 0, 2), (4, 0, 2), (4, 1, 5)]);
        // The bishop may take the rook, whose squares no lesser piece attacks. The kings have b1,
        // and all but f8.
        let fen = "4k3/8/7B/8/8/8/3r4/K7 w - - 0 1";
        assert_eq!(counts(fen), [(1, 0, 6), (2, 1, 14), (4, 0, 1), (4, 1, 4)]);
        // Many queens have more squares than are told apart.
        let fen = "QQQQ4/8/4QQQQ/8/8/8/8/K1k5 b - - 0 1";
        assert_eq!(counts(fen)[0], (3, 0, 63));
    }
}
