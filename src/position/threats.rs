//! Attacked squares, by the value of the attacker.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, File, Role};

use super::ROLES;

/// The squares that one side attacks, including those of its own pieces. Pins are ignored.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// By the role of an opposing piece: attacked by a less valuable one.
    by_lesser: [Bitboard; ROLES],
    /// Attacked by any piece.
    pub all: Bitboard,
}

impl Threats {
    /// What the pieces `by` color attack on `board`.
    pub fn new(board: &Board, by: Color) -> Self {
        let occupied = board.occupied();
        let of = |role: Role| board.by_piece(role.of(by));
        let pawns = pawn_threats(by, of(Role::Pawn));
        let (mut minors, mut rooks) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for from in of(Role::Knight) {
            minors |= knight_attacks(from);
        }
        for from in of(Role::Bishop) {
            minors |= bishop_attacks(from, occupied);
        }
        for from in of(Role::Rook) {
            rooks |= rook_attacks(from, occupied);
        }
        let mut all = pawns | minors | rooks;
        for from in of(Role::King) {
            all |= king_attacks(from);
        }
        for from in of(Role::Queen) {
            all |= rook_attacks(from, occupied) | bishop_attacks(from, occupied);
        }
        Self::of_sets(pawns, minors, rooks, all)
    }

    /// Given what the pawns attack, the minor pieces, the rooks, and all pieces.
    #[inline]
    pub fn of_sets(pawns: Bitboard, minors: Bitboard, rooks: Bitboard, all: Bitboard) -> Self {
        let by_minor = pawns | minors;
        let by_rook = by_minor | rooks;
        Self { by_lesser: [Bitboard::EMPTY, pawns, pawns, by_minor, by_rook, all], all }
    }

    /// The squares where an opposing piece of this role is attacked by a less valuable one; for a
    /// king, all attacked squares.
    pub fn by_lesser(&self, role: Role) -> Bitboard {
        self.by_lesser[role as usize - 1]
    }
}

/// The squares that these pawns attack.
pub fn pawn_threats(color: Color, pawns: Bitboard) -> Bitboard {
    beside(pawns.shift(color.fold_wb(8, -8)))
}

/// The squares to the left and to the right of these.
pub fn beside(squares: Bitboard) -> Bitboard {
    (squares & !Bitboard::from(File::A)).shift(-1) | (squares & !Bitboard::from(File::H)).shift(1)
}
