//! A position with its history, for counting repetitions.

use super::{FIFTY_MOVES, Key, Move, Position};

/// The current position of a game and the keys of every position before it.
#[derive(Clone, Debug, Default)]
pub struct Game {
    position: Position,
    keys: Vec<Key>,
}

impl Game {
    /// A game that starts from `position`.
    pub fn new(position: Position) -> Self {
        Self { position, keys: Vec::new() }
    }

    /// A game that has come to `position` by way of positions with these keys, oldest first.
    pub fn with_keys(position: Position, keys: Vec<Key>) -> Self {
        Self { position, keys }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The keys of the positions before the current one, oldest first.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.keys.push(self.position.key());
        self.position = self.position.play(m);
    }

    /// Plays a legal move, or passes if there is none; false if the side to move is in check and
    /// cannot pass.
    #[must_use]
    pub fn play_or_pass(&mut self, m: Option<Move>) -> bool {
        let Some(after) = self.position.after(m) else { return false };
        self.keys.push(self.position.key());
        self.position = after;
        true
    }

    /// The current position has stood on the board three times.
    pub fn is_threefold(&self) -> bool {
        is_repetition(&self.keys, self.keys.len(), &self.position)
    }

    /// Some position has stood on the board twice since the last capture or pawn move.
    pub fn has_repeated(&self) -> bool {
        let reversible = (self.position.halfmove_clock() as usize).min(self.keys.len());
        let mut keys = self.keys[self.keys.len() - reversible..].to_vec();
        keys.push(self.position.key());
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Drawn by repetition, the fifty-move rule (unless it is mate) or insufficient material.
    pub fn is_draw(&self) -> bool {
        let position = &self.position;
        self.is_threefold()
            || position.is_insufficient_material()
            || position.halfmove_clock() >= FIFTY_MOVES && !position.legal_moves().is_empty()
    }
}

/// The search may score the position as a repetition: it has stood on the board once since the root
/// (`keys[root..]`), or twice before it. `keys` are those of all earlier positions.
pub fn is_repetition(keys: &[Key], root: usize, position: &Position) -> bool {
    let reversible = (position.halfmove_clock() as usize).min(keys.len());
    let mut seen_in_game = false;
    let mut distance = 4;
    while distance <= reversible {
        let index = keys.len() - distance;
        if keys[index] == position.key() {
            if index >= root || seen_in_game {
                return true;
            }
            seen_in_game = true;
        }
        distance += 2;
    }
    false
}

/// The side to move can repeat a position, in the sense of [`is_repetition`], by a move that is not
/// castling. Source: M. van Kervinck; see `cuckoo`.
pub fn is_upcoming_repetition(keys: &[Key], root: usize, position: &Position) -> bool {
    let reversible = (position.halfmove_clock() as usize).min(keys.len());
    let first = keys.len() - reversible;
    // The opponent is to move at odd distances, as after our move. Distance 1 is left out: it is
    // the opponent's move that led from there to here.
    (3..=reversible).step_by(2).map(|distance| keys.len() - distance).any(|index| {
        let stood_before =
            || keys[first..index].iter().rev().skip(1).step_by(2).any(|&k| k == keys[index]);
        position.reversible_move_to(keys[index]).is_some() && (index >= root || stood_before())
    })
}
