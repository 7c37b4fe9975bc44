//! What the network sees: pieces on squares, with the eyes of either side.
//!
//! An input is a kind of piece, own or the other side's, on a square. Black looks at the board
//! upside down, and whoever has the king on the files e to h looks at it in a mirror, so that one
//! set of weights serves both colors and both wings. Source: the 768 inputs of the chess
//! programming community's simple networks, mirrored as bullet (J. Merrill, 2023) does it.

use crate::position::{Board, Color, File, Role, Square};

/// Inputs of one side's view.
pub const INPUTS: usize = 768;
/// Inputs that are on at once in one side's view, at most: the pieces of a position.
pub const MAX_ACTIVE: usize = 32;

/// Inputs of the pieces of one color.
const COLOR_STRIDE: usize = INPUTS / 2;
/// Inputs of one kind of piece of one color.
const ROLE_STRIDE: usize = 64;
/// Turns a square's rank.
const FLIP_RANK: usize = 56;
/// Turns a square's file.
const FLIP_FILE: usize = 7;

/// How one side looks at the board.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The side that looks.
    pub color: Color,
    /// Left and right are exchanged.
    pub mirrored: bool,
}

impl Perspective {
    /// How `color` looks at a board on which its king stands on `king`.
    #[must_use]
    pub fn new(color: Color, king: Square) -> Self {
        Self { color, mirrored: king.file() >= File::E }
    }

    /// The input, below [`INPUTS`], of a piece on a square.
    #[must_use]
    pub fn input(self, color: Color, role: Role, square: Square) -> usize {
        let rank = if self.color.is_black() { FLIP_RANK } else { 0 };
        let file = if self.mirrored { FLIP_FILE } else { 0 };
        let side = if color == self.color { 0 } else { COLOR_STRIDE };
        side + (role as usize - Role::Pawn as usize) * ROLE_STRIDE + (square as usize ^ rank ^ file)
    }

    /// The input of every piece of `board`.
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
            for king in [Square::A1, Square::H8] {
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
                assert!(seen.iter().all(|&on| on));
            }
        }
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
