//! Zobrist keys: one random number per feature, combined by exclusive or.
//!
//! Source: A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970. Castling
//! rights are keyed by the rook's square, which covers Chess960 as well.

use shakmaty::{Bitboard, Color, File, Role, Square};

/// A position's hash.
pub type Key = u64;

const SEED: u64 = 0x4865_6464_6C65_2121;

/// The first key of each kind of feature, after colored pieces on squares: rooks that may castle,
/// files of en passant captures, Black to move.
const CASTLING: usize = 12 * 64;
const EN_PASSANT: usize = CASTLING + 64;
const BLACK_TO_MOVE: usize = EN_PASSANT + 8;
const FEATURES: usize = BLACK_TO_MOVE + 1;

static KEYS: [Key; FEATURES] = keys();

const fn keys() -> [Key; FEATURES] {
    let mut keys = [0; FEATURES];
    let mut state = SEED;
    let mut i = 0;
    while i < FEATURES {
        keys[i] = split_mix(&mut state);
        i += 1;
    }
    keys
}

/// The step of a `SplitMix64` generator.
const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// Scatters the bits of a number: the finisher of `SplitMix64` (G. Steele, D. Lea and C. Flood,
/// 2014).
pub const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN_RATIO);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The next number of a `SplitMix64` generator.
pub(crate) const fn split_mix(state: &mut u64) -> u64 {
    let number = mix(*state);
    *state = state.wrapping_add(GOLDEN_RATIO);
    number
}

/// The key of a piece on a square.
pub(super) fn piece(color: Color, role: Role, square: Square) -> Key {
    piece_at(color, role, square as u8)
}

/// The key of a piece on the square with this index.
pub(super) const fn piece_at(color: Color, role: Role, square: u8) -> Key {
    let kind = color as usize * 6 + (role as usize - 1);
    KEYS[kind * 64 + square as usize]
}

/// The key of a set of castling rights, given by the squares of their rooks.
pub(super) fn castling(rooks: Bitboard) -> Key {
    rooks.into_iter().fold(0, |key, rook| key ^ KEYS[CASTLING + usize::from(rook)])
}

/// The key of a legal en passant capture onto `file`.
pub(super) fn en_passant(file: File) -> Key {
    KEYS[EN_PASSANT + usize::from(file)]
}

pub(super) const fn black_to_move() -> Key {
    KEYS[BLACK_TO_MOVE]
}
