//! The board as one side sees it.
//!
//! A [`View`] is oriented so that its own pawns move up the board; for Black, every bitboard is
//! flipped vertically. The terms are written once, for the side that moves up, and know nothing of
//! colours: the evaluation is symmetric by construction.

use crate::position::{Bitboard, Color, File, Position, Role, Square, attacks};

/// One side's pieces.
#[derive(Copy, Clone)]
pub struct Force {
    pub pawns: Bitboard,
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    pub king: Square,
    pub all: Bitboard,
    pub pawn_attacks: Bitboard,
}

impl Force {
    fn new(position: &Position, color: Color, flip: bool) -> Self {
        let turn = |b: Bitboard| if flip { b.flip_vertical() } else { b };
        let pieces = |role| turn(position.pieces(color, role));
        let king = position.king(color);
        let pawns = pieces(Role::Pawn);
        let pushed = if color.is_white() == flip { down(pawns) } else { up(pawns) };
        Self {
            pawns,
            knights: pieces(Role::Knight),
            bishops: pieces(Role::Bishop),
            rooks: pieces(Role::Rook),
            queens: pieces(Role::Queen),
            king: if flip { king.flip_vertical() } else { king },
            all: turn(position.by_color(color)),
            pawn_attacks: beside(pushed),
        }
    }

    /// Everything but king and pawns.
    pub fn pieces(&self) -> Bitboard {
        self.knights | self.bishops | self.rooks | self.queens
    }

    /// Knights and bishops.
    pub fn minors(&self) -> Bitboard {
        self.knights | self.bishops
    }

    /// Rooks and queens.
    pub fn majors(&self) -> Bitboard {
        self.rooks | self.queens
    }

    /// The king zone, for a king whose pawns move down: its square, its neighbours, and the squares
    /// in front of those.
    fn king_zone(&self) -> Bitboard {
        let near = attacks::king_attacks(self.king) | Bitboard::from(self.king);
        near | down(near)
    }
}

/// The board as one side sees it: `own` pawns move up, `their` pawns move down.
pub struct View {
    pub own: Force,
    pub their: Force,
    pub their_king_zone: Bitboard,
    pub occupied: Bitboard,
    /// Whether our side is to move.
    pub to_move: bool,
}

impl View {
    /// The board as `us` sees it.
    pub fn new(position: &Position, us: Color) -> Self {
        let flip = us.is_black();
        let (own, their) = (Force::new(position, us, flip), Force::new(position, !us, flip));
        Self {
            own,
            their,
            their_king_zone: their.king_zone(),
            occupied: own.all | their.all,
            to_move: us == position.turn(),
        }
    }
}

/// The squares that one side attacks.
#[derive(Copy, Clone, Default)]
pub struct Attacks {
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    pub king: Bitboard,
    /// Attacked by anything.
    pub all: Bitboard,
    /// Attacked by at least two men.
    pub twice: Bitboard,
}

impl Attacks {
    /// The attacks of king and pawns; those of the pieces are added later.
    pub fn new(own: &Force) -> Self {
        let king = attacks::king_attacks(own.king);
        let pawns = up(own.pawns);
        let both = west(pawns) & east(pawns);
        Self {
            king,
            all: king | own.pawn_attacks,
            twice: king & own.pawn_attacks | both,
            ..Self::default()
        }
    }

    /// Adds the attacks of one piece to the totals.
    pub fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.all & attacked;
        self.all |= attacked;
    }

    /// The same attacks as the other side sees them.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self {
            knights: self.knights.flip_vertical(),
            bishops: self.bishops.flip_vertical(),
            rooks: self.rooks.flip_vertical(),
            queens: self.queens.flip_vertical(),
            king: self.king.flip_vertical(),
            all: self.all.flip_vertical(),
            twice: self.twice.flip_vertical(),
        }
    }
}

/// Shifts every square one rank up.
pub fn up(b: Bitboard) -> Bitboard {
    Bitboard(b.0 << 8)
}

/// Shifts every square one rank down.
pub fn down(b: Bitboard) -> Bitboard {
    Bitboard(b.0 >> 8)
}

/// Shifts every square one file to the west.
pub fn west(b: Bitboard) -> Bitboard {
    Bitboard((b.0 & !Bitboard::from_file(File::A).0) >> 1)
}

/// Shifts every square one file to the east.
pub fn east(b: Bitboard) -> Bitboard {
    Bitboard((b.0 & !Bitboard::from_file(File::H).0) << 1)
}

/// The neighbours to the west and to the east.
pub fn beside(b: Bitboard) -> Bitboard {
    west(b) | east(b)
}

/// The squares and everything above them on their files.
pub fn fill_up(b: Bitboard) -> Bitboard {
    let b = b.0 | b.0 << 8;
    let b = b | b << 16;
    Bitboard(b | b << 32)
}

/// The squares and everything below them on their files.
pub fn fill_down(b: Bitboard) -> Bitboard {
    let b = b.0 | b.0 >> 8;
    let b = b | b >> 16;
    Bitboard(b | b >> 32)
}

pub fn fill_files(b: Bitboard) -> Bitboard {
    fill_up(b) | fill_down(b)
}

/// The population count, as a factor.
pub fn count(b: Bitboard) -> i32 {
    b.count() as i32
}
