//! Moves in 32 bits.
//!
//! The search asks a move for its squares and its piece hundreds of times per node. The library's
//! moves are an enum, so that every question is a jump first; here it is a shift.

use std::fmt;
use std::num::NonZeroU32;

use shakmaty::{CastlingSide, Role, Square};

use super::uci;

const SQUARE_BITS: u32 = 6;
const SQUARE_MASK: u32 = (1 << SQUARE_BITS) - 1;
const ROLE_MASK: u32 = 7;

const FROM: u32 = SQUARE_BITS;
const ROLE: u32 = 2 * SQUARE_BITS;
const CAPTURE: u32 = ROLE + 3;
const PROMOTION: u32 = CAPTURE + 3;
const EN_PASSANT: u32 = 1 << (PROMOTION + 3);
const CASTLE: u32 = EN_PASSANT << 1;

/// A move of standard chess or Chess960: target (6 bits), origin (6), role, capture and promotion
/// (3 each), en passant and castling (1 each). Castling is the king taking its rook.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU32);

const _: () = assert!(size_of::<Option<Move>>() == size_of::<u32>());

impl Move {
    /// A move that is neither castling nor en passant.
    #[inline]
    pub fn normal(
        role: Role,
        from: Square,
        capture: Option<Role>,
        to: Square,
        promotion: Option<Role>,
    ) -> Self {
        let kind = |role: Option<Role>| role.map_or(0, |role| role as u32);
        Self::new(role, from, to, kind(capture) << CAPTURE | kind(promotion) << PROMOTION)
    }

    /// A pawn takes another one that has just stepped over `to`.
    #[inline]
    pub fn en_passant(from: Square, to: Square) -> Self {
        Self::new(Role::Pawn, from, to, (Role::Pawn as u32) << CAPTURE | EN_PASSANT)
    }

    /// The king castles with a rook.
    #[inline]
    pub fn castle(king: Square, rook: Square) -> Self {
        Self::new(Role::King, king, rook, CASTLE)
    }

    #[inline]
    fn new(role: Role, from: Square, to: Square, rest: u32) -> Self {
        let bits = to as u32 | (from as u32) << FROM | (role as u32) << ROLE | rest;
        Self(NonZeroU32::new(bits).expect("the role is not zero"))
    }

    #[inline]
    fn role_at(self, shift: u32) -> Option<Role> {
        match self.0.get() >> shift & ROLE_MASK {
            1 => Some(Role::Pawn),
            2 => Some(Role::Knight),
            3 => Some(Role::Bishop),
            4 => Some(Role::Rook),
            5 => Some(Role::Queen),
            6 => Some(Role::King),
            _ => None,
        }
    }

    /// The square of the piece before the move.
    #[inline]
    pub fn from(self) -> Square {
        Square::new(self.0.get() >> FROM & SQUARE_MASK)
    }

    /// The square of the piece after the move; that of the rook before castling.
    #[inline]
    pub fn to(self) -> Square {
        Square::new(self.0.get() & SQUARE_MASK)
    }

    /// A number below 64² for the two squares.
    #[inline]
    pub fn from_to(self) -> usize {
        (self.0.get() % (1 << ROLE)) as usize
    }

    /// The kind of the piece; a pawn's if it promotes.
    #[inline]
    pub fn role(self) -> Role {
        self.role_at(ROLE).unwrap_or(Role::King)
    }

    /// The kind of piece that is captured.
    #[inline]
    pub fn capture(self) -> Option<Role> {
        self.role_at(CAPTURE)
    }

    /// The kind of piece that a pawn becomes.
    #[inline]
    pub fn promotion(self) -> Option<Role> {
        self.role_at(PROMOTION)
    }

    /// The square of the piece that is captured, if one is.
    #[inline]
    pub fn captured_on(self) -> Square {
        let (from, to) = (self.from(), self.to());
        if self.is_en_passant() { Square::from_coords(to.file(), from.rank()) } else { to }
    }

    /// It captures, perhaps en passant.
    #[inline]
    pub fn is_capture(self) -> bool {
        self.0.get() & ROLE_MASK << CAPTURE != 0
    }

    /// A pawn becomes a piece.
    #[inline]
    pub fn is_promotion(self) -> bool {
        self.0.get() & ROLE_MASK << PROMOTION != 0
    }

    /// It is castling, an en passant capture or a promotion.
    #[inline]
    pub fn is_special(self) -> bool {
        self.0.get() >= 1 << PROMOTION
    }

    /// It is an en passant capture.
    #[inline]
    pub fn is_en_passant(self) -> bool {
        self.0.get() & EN_PASSANT != 0
    }

    /// It is castling.
    #[inline]
    pub fn is_castle(self) -> bool {
        self.0.get() & CASTLE != 0
    }

    /// The side to which the king castles.
    pub fn castling_side(self) -> Option<CastlingSide> {
        self.is_castle().then(|| CastlingSide::from_king_side(self.from() < self.to()))
    }

    /// It sets the fifty-move clock to zero: it captures or moves a pawn.
    #[inline]
    pub fn is_zeroing(self) -> bool {
        self.is_capture() || self.role() == Role::Pawn
    }
}

/// In UCI notation, castling as the king taking its rook.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&uci(*self, true))
    }
}

/// The library's move, of chess.
impl From<shakmaty::Move> for Move {
    fn from(m: shakmaty::Move) -> Self {
        match m {
            shakmaty::Move::Normal { role, from, capture, to, promotion } => {
                Self::normal(role, from, capture, to, promotion)
            }
            shakmaty::Move::EnPassant { from, to } => Self::en_passant(from, to),
            shakmaty::Move::Castle { king, rook } => Self::castle(king, rook),
            shakmaty::Move::Put { .. } => unreachable!("nothing is dropped in chess"),
        }
    }
}

/// The move as the library has it.
impl From<Move> for shakmaty::Move {
    fn from(m: Move) -> Self {
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            return Self::Castle { king: from, rook: to };
        }
        if m.is_en_passant() {
            return Self::EnPassant { from, to };
        }
        let (role, capture, promotion) = (m.role(), m.capture(), m.promotion());
        Self::Normal { role, from, capture, to, promotion }
    }
}
