//! The board as one side sees it.
//!
//! A [`View`] is turned so that its own pawns move up the board, for Black by a vertical flip of
//! every bitboard. The terms are written once, for the side that moves up, and are told nothing of
//! colours: the evaluation is symmetric by construction.

use crate::position::{Bitboard, Color, File, Position, Role, Square, attacks};

/// One side's pieces.
#[derive(Copy, Clone)]
pub struct Force {
    /// Its pawns.
    pub pawns: Bitboard,
    /// Its knights.
    pub knights: Bitboard,
    /// Its bishops.
    pub bishops: Bitboard,
    /// Its rooks.
    pub rooks: Bitboard,
    /// Its queens.
    pub queens: Bitboard,
    /// Its king.
    pub king: Square,
    /// All of these.
    pub all: Bitboard,
    /// The squares that its pawns attack.
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

    fn flipped(&self) -> Self {
        Self {
            pawns: self.pawns.flip_vertical(),
            knights: self.knights.flip_vertical(),
            bishops: self.bishops.flip_vertical(),
            rooks: self.rooks.flip_vertical(),
            queens: self.queens.flip_vertical(),
            king: self.king.flip_vertical(),
            all: self.all.flip_vertical(),
            pawn_attacks: self.pawn_attacks.flip_vertical(),
        }
    }

    /// Its king and pawns left out.
    #[must_use]
    pub fn pieces(&self) -> Bitboard {
        self.knights | self.bishops | self.rooks | self.queens
    }

    /// Knights and bishops.
    #[must_use]
    pub fn minors(&self) -> Bitboard {
        self.knights | self.bishops
    }

    /// Rooks and queens.
    #[must_use]
    pub fn majors(&self) -> Bitboard {
        self.rooks | self.queens
    }

    /// The square of a king whose pawns move down, its neighbours, and the squares before those.
    fn king_zone(&self) -> Bitboard {
        let near = attacks::king_attacks(self.king) | Bitboard::from(self.king);
        near | down(near)
    }
}

/// The board as one side sees it: `own` pawns move up, `their` pawns move down.
pub struct View {
    /// The pieces of the side that looks.
    pub own: Force,
    /// The pieces of the other side.
    pub their: Force,
    /// The squares around their king.
    pub their_king_zone: Bitboard,
    /// All occupied squares.
    pub occupied: Bitboard,
    /// The side that looks is to move.
    pub to_move: bool,
}

impl View {
    /// The board as the side to move sees it.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let us = position.turn();
        let flip = us.is_black();
        Self::of(Force::new(position, us, flip), Force::new(position, !us, flip), true)
    }

    /// The same board as the other side sees it.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self::of(self.their.flipped(), self.own.flipped(), !self.to_move)
    }

    fn of(own: Force, their: Force, to_move: bool) -> Self {
        Self {
            their_king_zone: their.king_zone(),
            occupied: own.all | their.all,
            own,
            their,
            to_move,
        }
    }
}

/// The squares that one side attacks.
#[derive(Copy, Clone, Default)]
pub struct Attacks {
    /// By knights.
    pub knights: Bitboard,
    /// By bishops.
    pub bishops: Bitboard,
    /// By rooks.
    pub rooks: Bitboard,
    /// By queens.
    pub queens: Bitboard,
    /// By the king.
    pub king: Bitboard,
    /// By anything.
    pub all: Bitboard,
    /// By at least two pieces or pawns.
    pub twice: Bitboard,
}

impl Attacks {
    /// The attacks of king and pawns, to which those of the pieces are added.
    #[must_use]
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

    /// Adds the attacks of one piece to those of any.
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

/// Every square's neighbour one rank up.
#[must_use]
pub fn up(b: Bitboard) -> Bitboard {
    Bitboard(b.0 << 8)
}

/// Every square's neighbour one rank down.
#[must_use]
pub fn down(b: Bitboard) -> Bitboard {
    Bitboard(b.0 >> 8)
}

/// Every square's neighbour one file to the west.
#[must_use]
pub fn west(b: Bitboard) -> Bitboard {
    Bitboard((b.0 & !Bitboard::from_file(File::A).0) >> 1)
}

/// Every square's neighbour one file to the east.
#[must_use]
pub fn east(b: Bitboard) -> Bitboard {
    Bitboard((b.0 & !Bitboard::from_file(File::H).0) << 1)
}

/// The neighbours to the west and east.
#[must_use]
pub fn beside(b: Bitboard) -> Bitboard {
    west(b) | east(b)
}

/// The squares and all above them on their files.
#[must_use]
pub fn fill_up(b: Bitboard) -> Bitboard {
    let b = b.0 | b.0 << 8;
    let b = b | b << 16;
    Bitboard(b | b << 32)
}

/// The squares and all below them on their files.
#[must_use]
pub fn fill_down(b: Bitboard) -> Bitboard {
    let b = b.0 | b.0 >> 8;
    let b = b | b >> 16;
    Bitboard(b | b >> 32)
}

/// The files of the squares.
#[must_use]
pub fn fill_files(b: Bitboard) -> Bitboard {
    fill_up(b) | fill_down(b)
}

/// A bitboard's population, as a factor.
#[must_use]
pub fn count(b: Bitboard) -> i32 {
    b.count() as i32
}
