//! The further inputs: what a network of pieces on squares hardly finds out by itself.
//!
//! Which pieces are attacked ([`super::attacked`]), how the pawns stand ([`super::pawns`]), and how
//! many squares the pieces can go to ([`super::mobility`]). Attacks are found anew whenever a
//! position is evaluated; the sums of the pawns' rows are remembered ([`super::pawn_sums`]). All
//! these rows reach only the first [`SEEING`] neurons, which teaches the network as much as if they
//! reached all.
//!
//! Source of inputs that tell attacked pieces from others: the value network of Monty (J. Merrill
//! and others, 2024), which has four for each piece on each square. Passed and isolated pawns and
//! mobility: C. Shannon, "Programming a Computer for Playing Chess", 1950.
//!
//! [`SEEING`]: super::row::SEEING

use arrayvec::ArrayVec;

use super::attacked::{self, ATTACKED_INPUTS, MAX_ATTACKED};
use super::features::{FLIP_COLOR, Perspective};
use super::mobility::{self, Attacks, MAX_COUNTS, MOBILITY_INPUTS};
use super::pawns::{self, MAX_PAWNS, PAWN_INPUTS};
use crate::position::Board;

/// The first input of the pawns' standing; those of attacked pieces come before it.
pub const PAWNS: usize = ATTACKED_INPUTS;
/// The first input of mobility.
pub const MOBILITY: usize = PAWNS + PAWN_INPUTS;
/// Further inputs of one side's view.
pub const FURTHER_INPUTS: usize = MOBILITY + MOBILITY_INPUTS;
/// The most of them that are active.
pub const MAX_FURTHER: usize = MAX_ATTACKED + MAX_PAWNS + MAX_COUNTS;
const _: () = assert!(
    PAWNS.is_multiple_of(2 * FLIP_COLOR) && MOBILITY.is_multiple_of(2 * FLIP_COLOR),
    "a view's flips lead to an input of the same kind"
);

/// Active inputs, each by its indices below [`FURTHER_INPUTS`] in two views.
pub type Seen = ArrayVec<[u16; 2], MAX_FURTHER>;

/// The inputs of attacks, in these views.
#[inline]
pub fn attacks(board: &Board, views: [Perspective; 2]) -> Seen {
    let flips = views.map(Perspective::flips);
    let attacks = Attacks::on(board);
    let mut seen = Seen::new();
    attacked::each(board, &attacks.threats, |input| seen.push(flips.map(|flips| input ^ flips)));
    // Numbers of squares stay what they are when the board is turned.
    let flips = flips.map(|flips| flips & FLIP_COLOR as u16);
    mobility::each(&attacks, |input| {
        seen.push(flips.map(|flips| (MOBILITY as u16 + input) ^ flips));
    });
    seen
}

/// The inputs of the pawns' standing, in these views.
#[inline]
pub fn pawns(board: &Board, views: [Perspective; 2]) -> Seen {
    let flips = views.map(Perspective::flips);
    let mut seen = Seen::new();
    pawns::each(board, |input| seen.push(flips.map(|flips| (PAWNS as u16 + input) ^ flips)));
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::random_positions;
    use crate::position::Color;

    #[test]
    fn both_sides_see_the_same_from_their_own_ends() {
        for position in random_positions(100) {
            let board = position.board();
            let mut turned = board.clone();
            turned.flip_vertical();
            turned.swap_colors();
            let seen = |board: &Board, color: Color| {
                let king = board.king_of(color).unwrap();
                let views = [Perspective::new(color, king); 2];
                let mut seen = [attacks(board, views), pawns(board, views)].concat();
                seen.sort_unstable();
                seen
            };
            for color in Color::ALL {
                assert_eq!(seen(board, color), seen(&turned, !color), "{position:?}");
            }
        }
    }

    #[test]
    fn inputs_are_distinct_and_in_range() {
        for position in random_positions(100) {
            let views = Color::ALL.map(|color| Perspective::new(color, position.king(color)));
            let board = position.board();
            let seen = [attacks(board, views), pawns(board, views)].concat();
            for view in [0, 1] {
                let mut inputs: Vec<_> = seen.iter().map(|input| input[view]).collect();
                inputs.sort_unstable();
                assert!(inputs.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(inputs.iter().all(|&input| usize::from(input) < FURTHER_INPUTS));
            }
        }
    }
}
