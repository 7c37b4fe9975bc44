//! Positions as the shuffling buffer keeps them: much smaller than a [`Sample`], so that
//! hundreds of millions fit in memory.

use heddle::eval::nnue::features::{MAX_PIECES, Perspective, ZONES};
use heddle::eval::nnue::further;
use heddle::position::{Bitboard, Board, Color, Piece, Position, Role};
use heddle::score::Score;
use heddle::search::static_eval::scaled;

use crate::sample::{Active, Sample};

const _: () = assert!(size_of::<PackedSample>() == 32);

/// The bit of a piece's nibble that is set for Black; the others are the role.
const BLACK: u8 = 8;
/// Bits of a nibble.
const BITS: usize = 4;
/// The bits of a nibble, set.
const NIBBLE: usize = (1 << BITS) - 1;
/// The piece of each nibble; a table, since a batch takes hundreds of thousands of them.
const PIECES: [Piece; NIBBLE + 1] = {
    let mut pieces = [Piece { color: Color::White, role: Role::Pawn }; NIBBLE + 1];
    let mut kind = 0;
    while kind < Role::ALL.len() {
        let role = Role::ALL[kind];
        pieces[kind] = Piece { color: Color::White, role };
        pieces[kind + BLACK as usize] = Piece { color: Color::Black, role };
        kind += 1;
    }
    pieces
};

/// The unit of chances and shares.
const ONE: f32 = u16::MAX as f32;
/// An evaluation, in centipawns, large enough that rounding does not matter to what is left of it.
const FULL: Score = Score::new(10_000);

/// A position and its target.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PackedSample {
    occupied: Bitboard,
    /// Four bits for each piece, in the order of the squares.
    pieces: [u8; MAX_PIECES / 2],
    /// The target, and how much of the evaluation the search counts, in units of 1 / [`ONE`].
    target: u16,
    fade: u16,
    /// The view of the side to move and the other side's.
    views: [Perspective; 2],
}

impl PackedSample {
    /// A `position` with at most [`MAX_PIECES`] pieces and the chance of the side to move, 0 to 1.
    #[must_use]
    pub fn new(position: &Position, target: f32) -> Self {
        let (board, turn) = (position.board(), position.turn());
        let mut pieces = [0; MAX_PIECES / 2];
        for (index, (_, piece)) in board.iter().enumerate() {
            pieces[index / 2] |= nibble(piece) << (index % 2 * BITS);
        }
        let views = [turn, !turn].map(|color| {
            let king = board.king_of(color).expect("a training position has both kings");
            Perspective::new(color, king)
        });
        let fade = scaled(FULL, position).get() as f32 / FULL.get() as f32;
        let [target, fade] = [target, fade].map(|share| (share * ONE).round() as u16);
        Self { occupied: board.occupied(), pieces, target, fade, views }
    }

    /// Sets the chance of the side to move, 0 to 1.
    pub fn set_target(&mut self, target: f32) {
        self.target = (target * ONE).round() as u16;
    }

    /// Samples with the same number need the same rows of the first layer, or many of them.
    #[must_use]
    pub fn zones(&self) -> usize {
        self.views[0].zone() * ZONES + self.views[1].zone()
    }

    /// The position as the network sees it.
    #[must_use]
    pub fn unpack(&self) -> Sample {
        let mut board = Board::empty();
        let mut pieces = u128::from_le_bytes(self.pieces);
        for square in self.occupied {
            board.set_piece_at(square, PIECES[pieces as usize & NIBBLE]);
            pieces >>= BITS;
        }
        let placed = self.views.map(|view| view.inputs(&board).map(|input| input as u16).collect());
        let further = further_inputs(&board, self.views);
        let [target, fade] = [self.target, self.fade].map(|share| f32::from(share) / ONE);
        Sample::of(placed, further, target, fade)
    }
}

/// All further inputs of a board, in these views.
fn further_inputs(board: &Board, views: [Perspective; 2]) -> [Active; 2] {
    let (attacks, pawns) = (further::attacks(board, views), further::pawns(board, views));
    let in_view = |view: usize| attacks.iter().chain(&pawns).map(|input| input[view]).collect();
    [in_view(0), in_view(1)]
}

fn nibble(piece: Piece) -> u8 {
    let color = if piece.color.is_black() { BLACK } else { 0 };
    color | (piece.role as u8 - Role::Pawn as u8)
}

#[cfg(test)]
mod tests {
    use heddle::position::Position;
    use rand::seq::IndexedRandom;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn what_is_unpacked_is_what_the_board_shows() {
        let mut rng = Pcg64::new(17, 1);
        for _ in 0..50 {
            let mut position = Position::default();
            while let Some(&m) = position.legal_moves().choose(&mut rng) {
                position = position.play(m);
                if position.fullmoves() > 60 {
                    break;
                }
                let (board, turn) = (position.board(), position.turn());
                let sample = PackedSample::new(&position, 0.25).unpack();
                for (view, color) in [turn, !turn].into_iter().enumerate() {
                    let perspective = Perspective::new(color, position.king(color));
                    let equal = |said: &[u16], seen: &mut dyn Iterator<Item = usize>| {
                        said.iter().copied().map(usize::from).eq(seen)
                    };
                    assert!(equal(sample.placed(view), &mut perspective.inputs(board)));
                    let further = &further_inputs(board, [perspective; 2])[0];
                    assert_eq!(sample.further(view), &further[..]);
                }
                assert!((sample.target - 0.25).abs() < 1e-4 && (0.3..=1.0).contains(&sample.fade));
            }
        }
    }
}
