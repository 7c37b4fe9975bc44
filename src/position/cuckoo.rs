//! Which single move leads from one position to another, by the difference of their keys.
//!
//! A reversible move of a piece between two squares changes the key by the same amount wherever
//! the other pieces stand. There are 3668 such changes, kept by cuckoo hashing: each lies in one of
//! two slots, so a look-up takes two reads. Source: M. van Kervinck, "The design and implementation
//! of the Rookie 2.0 chess program", 2002; the hashing is R. Pagh and F. Rodler, "Cuckoo Hashing",
//! 2001.

use shakmaty::{Color, Role, Square};

use super::{Key, zobrist};

/// The number of slots: a power of two, more than twice the number of changes.
const SIZE: usize = 1 << 13;
const MASK: Key = SIZE as Key - 1;
/// How many bits above the first slot's index the second one lies in the key.
const SECOND_SHIFT: u32 = 16;

/// Pieces that can move back; pawns cannot.
const ROLES: [Role; 5] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The changes of the key and, in the same slots, the two squares of the move.
struct Changes {
    keys: [Key; SIZE],
    squares: [[u8; 2]; SIZE],
    /// The number of changes.
    count: usize,
}

static CHANGES: Changes = Changes::new();

/// The two squares of the move that makes this difference of keys, if there is one. The board tells
/// which of them is the origin.
pub(super) fn squares(difference: Key) -> Option<[Square; 2]> {
    let slot = slots(difference).into_iter().find(|&slot| CHANGES.keys[slot] == difference)?;
    (difference != 0).then(|| CHANGES.squares[slot].map(|square| Square::new(square.into())))
}

const fn slots(key: Key) -> [usize; 2] {
    [(key & MASK) as usize, ((key >> SECOND_SHIFT) & MASK) as usize]
}

impl Changes {
    const fn new() -> Self {
        let mut changes = Self { keys: [0; SIZE], squares: [[0; 2]; SIZE], count: 0 };
        let mut role = 0;
        while role < ROLES.len() {
            let mut from = 0;
            while from < 64 {
                let mut to = from + 1;
                while to < 64 {
                    if reaches(ROLES[role], from, to) {
                        changes.insert(key(Color::White, ROLES[role], from, to), [from, to]);
                        changes.insert(key(Color::Black, ROLES[role], from, to), [from, to]);
                    }
                    to += 1;
                }
                from += 1;
            }
            role += 1;
        }
        changes
    }

    /// Puts a change into its first slot and moves what was there to its other slot, and so on.
    const fn insert(&mut self, mut key: Key, mut squares: [u8; 2]) {
        self.count += 1;
        let mut slot = slots(key)[0];
        while key != 0 {
            let evicted = (self.keys[slot], self.squares[slot]);
            (self.keys[slot], self.squares[slot]) = (key, squares);
            (key, squares) = evicted;
            let [first, second] = slots(key);
            slot = if slot == first { second } else { first };
        }
    }
}

/// The change of the key by a move of a piece between two squares.
const fn key(color: Color, role: Role, from: u8, to: u8) -> Key {
    zobrist::piece_at(color, role, from)
        ^ zobrist::piece_at(color, role, to)
        ^ zobrist::black_to_move()
}

/// The piece can move from one square to the other on an empty board.
const fn reaches(role: Role, from: u8, to: u8) -> bool {
    let files = (from % 8).abs_diff(to % 8);
    let ranks = (from / 8).abs_diff(to / 8);
    let straight = files == 0 || ranks == 0;
    let diagonal = files == ranks;
    match role {
        Role::Knight => files * ranks == 2,
        Role::Bishop => diagonal,
        Role::Rook => straight,
        Role::Queen => straight || diagonal,
        Role::King => files <= 1 && ranks <= 1,
        Role::Pawn => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn every_change_has_a_slot() {
        assert_eq!(CHANGES.count, 3668);
        assert_eq!(CHANGES.keys.iter().filter(|&&key| key != 0).count(), 3668);
        assert_eq!(squares(0), None);
        assert_eq!(squares(12345), None);
    }

    #[test]
    fn a_move_is_known_by_the_keys_before_and_after() {
        let position = Position::from_fen("4k3/8/8/8/8/8/4P3/RN2KB1R w - - 0 1").unwrap();
        for m in position.legal_moves() {
            let found = squares(position.key() ^ position.play(m).key());
            let mut ends = [m.from(), m.to()];
            ends.sort();
            let wanted = (m.role() != Role::Pawn).then_some(ends);
            assert_eq!(found, wanted, "{m:?}");
        }
    }
}
