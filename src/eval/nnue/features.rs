//! The inputs of the network: pieces on squares, as each side sees them.
//!
//! An input is a kind of piece, one's own or the opponent's, on a square. Black's view is flipped
//! vertically, and a side whose king is on the files e to h gets a mirrored view, so one set of
//! weights serves both colors and both wings. What a piece is worth depends on where one's king is,
//! so there is a set of inputs for each of a few groups of its squares. Source: the 768 inputs of
//! the chess programming community's simple networks, mirrored and with king buckets as in bullet
//! (J. Merrill, 2023). There are further inputs ([`super::further`]).

use crate::position::{Board, Color, File, Role, Square};

/// Inputs of one side's view with its king in one bucket.
pub const BOARD_INPUTS: usize = 768;
/// Groups of squares of a king, each with inputs of its own.
pub const KING_BUCKETS: usize = 10;
/// Inputs of one side's view.
pub const INPUTS: usize = KING_BUCKETS * BOARD_INPUTS;
/// Number of [`Perspective::zone`]s of one color: buckets, mirrored or not.
pub const ZONES: usize = 2 * KING_BUCKETS;
/// The most pieces of a position, each with an active input in either side's view.
pub const MAX_PIECES: usize = 32;

/// Inputs of the pieces of one color.
pub(super) const COLOR_STRIDE: usize = BOARD_INPUTS / 2;
/// Inputs of one kind of piece of one color.
pub(super) const ROLE_STRIDE: usize = 64;
/// The bucket of a king by its rank and its file, from a to d, seen from its own side. Where it
/// mostly stands, each square has one.
const KING_LAYOUT: [[u8; 4]; 8] = [
    [0, 1, 2, 3],
    [4, 4, 5, 5],
    [6, 6, 7, 7],
    [8, 8, 8, 8],
    [8, 8, 8, 8],
    [9, 9, 9, 9],
    [9, 9, 9, 9],
    [9, 9, 9, 9],
];
/// XOR mask that flips a square's rank.
const FLIP_RANK: usize = 56;
/// XOR mask that flips a square's file.
const FLIP_FILE: usize = 7;
/// XOR mask that flips a color above a square's bits.
pub const FLIP_COLOR: usize = 64;

/// How one side sees the board.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The side whose view it is.
    pub color: Color,
    /// Twice the king's bucket, plus one if left and right are exchanged.
    zone: u8,
}

impl Perspective {
    /// The view of `color` when its king is on `king`.
    pub fn new(color: Color, king: Square) -> Self {
        let is_mirrored = king.file() >= File::E;
        let rank = if color.is_black() { FLIP_RANK } else { 0 };
        let file = if is_mirrored { FLIP_FILE } else { 0 };
        let seen = king as usize ^ rank ^ file;
        let bucket = KING_LAYOUT[seen / 8][seen % 8];
        Self { color, zone: 2 * bucket + u8::from(is_mirrored) }
    }

    /// Two views of the same color are the same if this number, below [`ZONES`], is.
    pub fn zone(self) -> usize {
        usize::from(self.zone)
    }

    /// The index of the input, below [`INPUTS`], for a piece on a square.
    pub fn input(self, color: Color, role: Role, square: Square) -> usize {
        usize::from(self.zone / 2) * BOARD_INPUTS + self.board_input(color, role, square)
    }

    /// XOR mask that flips the color ([`FLIP_COLOR`]) and the square of a piece as White sees it on
    /// the files a to d.
    pub fn flips(self) -> u16 {
        let side = if self.color.is_black() { FLIP_COLOR } else { 0 };
        (side | self.flips_square()) as u16
    }

    /// The index, below [`BOARD_INPUTS`], of a piece on a square in a set of inputs.
    fn board_input(self, color: Color, role: Role, square: Square) -> usize {
        let side = if color == self.color { 0 } else { COLOR_STRIDE };
        let role = (role as usize - Role::Pawn as usize) * ROLE_STRIDE;
        side + role + (square as usize ^ self.flips_square())
    }

    /// XOR mask that flips a square.
    fn flips_square(self) -> usize {
        let rank = if self.color.is_black() { FLIP_RANK } else { 0 };
        let file = if self.zone % 2 == 1 { FLIP_FILE } else { 0 };
        rank ^ file
    }

    /// The indices of the inputs for every piece of `board`.
    pub fn inputs(self, board: &Board) -> impl Iterator<Item = usize> {
        board.iter().map(move |(square, piece)| self.input(piece.color, piece.role, square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_one_view_are_distinct_and_in_range() {
        for color in Color::ALL {
            for king in Square::ALL {
                let perspective = Perspective::new(color, king);
                let mut seen = [false; INPUTS];
                for piece in Color::ALL {
                    for role in Role::ALL {
                        for square in Square::ALL {
                            let input = perspective.input(piece, role, square);
                            assert!(!std::mem::replace(&mut seen[input], true));
                        }
                    }
                }
                assert_eq!(seen.iter().filter(|&&on| on).count(), BOARD_INPUTS);
                assert!(perspective.zone() < ZONES);
            }
        }
    }

    #[test]
    fn every_bucket_has_its_squares() {
        let mut buckets = KING_LAYOUT.as_flattened().to_vec();
        buckets.sort_unstable();
        buckets.dedup();
        assert!(buckets.into_iter().map(usize::from).eq(0..KING_BUCKETS));
    }

    #[test]
    fn both_colors_and_both_wings_look_alike() {
        let white = Perspective::new(Color::White, Square::B1);
        let input = white.input(Color::White, Role::Knight, Square::C3);
        let black = Perspective::new(Color::Black, Square::B8);
        assert_eq!(black.input(Color::Black, Role::Knight, Square::C6), input);
        let mirrored = Perspective::new(Color::White, Square::G1);
        assert_eq!(mirrored.input(Color::White, Role::Knight, Square::F3), input);
        assert_ne!(white.input(Color::Black, Role::Knight, Square::C3), input);
    }
}
