//! Sixteen-bit moves, as the transposition table stores them.

use shakmaty::{Role, Square};

use super::{Move, Position};

/// A move in 16 bits: origin (6), target (6), kind (4). Any 16 bits are a value of this type;
/// [`PackedMove::unpack`] tells whether they are a move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackedMove(u16);

const SQUARE_BITS: u16 = 6;
const SQUARE_MASK: u16 = (1 << SQUARE_BITS) - 1;
const KIND_SHIFT: u16 = 2 * SQUARE_BITS;

const NORMAL: u16 = 0;
const KNIGHT: u16 = 1;
const BISHOP: u16 = 2;
const ROOK: u16 = 3;
const QUEEN: u16 = 4;
const CASTLE: u16 = 5;
const EN_PASSANT: u16 = 6;

impl PackedMove {
    /// No move: from a1 to a1.
    pub const NONE: Self = Self(0);

    /// Packs a move of standard chess or Chess960.
    pub fn pack(m: Move) -> Self {
        let kind = match m.promotion() {
            Some(Role::Knight) => KNIGHT,
            Some(Role::Bishop) => BISHOP,
            Some(Role::Rook) => ROOK,
            Some(Role::Queen) => QUEEN,
            _ if m.is_castle() => CASTLE,
            _ if m.is_en_passant() => EN_PASSANT,
            _ => NORMAL,
        };
        Self(m.from() as u16 | (m.to() as u16) << SQUARE_BITS | kind << KIND_SHIFT)
    }

    /// The legal move of `position` that these bits stand for, or `None`. Accepts any bits in any
    /// position, and generates no moves.
    pub fn unpack(self, position: &Position) -> Option<Move> {
        if self == Self::NONE {
            return None;
        }
        let from = Square::new(u32::from(self.0 & SQUARE_MASK));
        let to = Square::new(u32::from(self.0 >> SQUARE_BITS & SQUARE_MASK));
        let promotion = match self.0 >> KIND_SHIFT {
            CASTLE => return position.if_legal(Move::castle(from, to)),
            EN_PASSANT => return position.if_legal(Move::en_passant(from, to)),
            NORMAL => None,
            KNIGHT => Some(Role::Knight),
            BISHOP => Some(Role::Bishop),
            ROOK => Some(Role::Rook),
            QUEEN => Some(Role::Queen),
            _ => return None,
        };
        position.normal_move(from, to, promotion)
    }

    /// The bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The value with these bits; any are valid.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}
