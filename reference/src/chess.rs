//! Chess as a [`Game`].
//!
//! Mate, stalemate and insufficient material always end the game. The fifty-move rule (mate takes
//! precedence) and repetition (a second occurrence inside the search, a third counting the game)
//! are optional, because they depend on the path and not on the position alone: with them, a value
//! stored in the transposition table may be wrong on another path, and searches that agree without
//! a table may disagree with one.

use crate::Game;
use heddle::eval;
use heddle::position::{
    FIFTY_MOVES, Game as History, Key, Move, Position, Role, Square, is_repetition, is_tactical,
};
use heddle::score::Score;

/// Spreads the halfmove clock over the key (the increment of `SplitMix64`).
const CLOCK_KEY: Key = 0x9E37_79B9_7F4A_7C15;
/// The rank index, counted from the pawn's own side, from which it threatens to promote.
const SEVENTH: u32 = 6;

/// What a value depends on besides the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether repetition and the fifty-move rule draw.
    pub path_draws: bool,
    /// Whether the key includes the halfmove clock: exact, because the evaluation sees the clock,
    /// but fewer transpositions are recognised.
    pub clock_in_key: bool,
}

impl Rules {
    /// The value is a function of the key, so a transposition table cannot change it.
    pub const EXACT: Self = Self { path_draws: false, clock_in_key: true };
    /// As engines search.
    pub const PRACTICAL: Self = Self { path_draws: true, clock_in_key: false };
}

/// A chess position on a path from the root.
#[derive(Clone)]
pub struct ChessGame {
    position: Position,
    rules: Rules,
    /// Keys of the game and of the path so far; empty if the path does not matter.
    keys: Vec<Key>,
    /// The number of keys that come from the game.
    root: usize,
}

impl ChessGame {
    /// The root of a search after the moves of a game.
    pub fn new(history: &History, rules: Rules) -> Self {
        let keys = if rules.path_draws { history.keys().to_vec() } else { Vec::new() };
        Self { position: history.position().clone(), rules, root: keys.len(), keys }
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whether the game is drawn although there are legal moves.
    fn is_draw(&self) -> bool {
        self.position.is_insufficient_material()
            || self.rules.path_draws
                && (self.position.halfmove_clock() >= FIFTY_MOVES
                    || is_repetition(&self.keys, self.root, &self.position))
    }
}

impl Game for ChessGame {
    type Move = Move;

    const MOVE_INDICES: usize = 64 * 64;

    fn successors(&self) -> Vec<Move> {
        self.position.legal_moves().to_vec()
    }

    fn play(&self, m: Move) -> Self {
        let mut keys = self.keys.clone();
        if self.rules.path_draws {
            keys.push(self.position.key());
        }
        Self { position: self.position.play(m), keys, ..*self }
    }

    /// A draw does not end the search at the root, which has to come up with a move.
    fn terminal(&self, ply: usize) -> Option<Score> {
        if self.position.legal_moves().is_empty() {
            let mated = self.position.is_check();
            return Some(if mated { Score::mated_in(ply) } else { Score::DRAW });
        }
        (ply > 0 && self.is_draw()).then_some(Score::DRAW)
    }

    fn evaluate(&self) -> Score {
        eval::evaluate(None, &self.position)
    }

    fn key(&self) -> u64 {
        let clock = u64::from(self.position.halfmove_clock() + 1);
        let clock = if self.rules.clock_in_key { clock.wrapping_mul(CLOCK_KEY) } else { 0 };
        self.position.key() ^ clock
    }

    fn move_index(m: Move) -> usize {
        m.from_to()
    }

    /// Most valuable victim first, then least valuable attacker; a promotion counts like a capture
    /// of what it gains.
    fn promise(&self, m: Move) -> i32 {
        let victim = m.capture().map_or(0, |role| role as i32);
        let gain = m.promotion().map_or(0, |role| role as i32 - Role::Pawn as i32);
        if victim + gain == 0 {
            0
        } else {
            (victim + gain) * Role::King as i32 + Role::King as i32 - m.role() as i32
        }
    }

    fn is_noisy(&self, m: Move) -> bool {
        is_tactical(m)
    }

    fn in_check(&self) -> bool {
        self.position.is_check()
    }

    /// No passing with only king and pawns, where zugzwang is common.
    fn pass(&self) -> Option<Self> {
        if !self.position.has_pieces(self.position.turn()) {
            return None;
        }
        let position = self.position.null_move()?;
        Some(Self { position, keys: self.keys.clone(), ..*self })
    }

    fn is_recapture(&self, m: Move, last: Move) -> bool {
        last.is_capture() && m.is_capture() && m.to() == last.to()
    }

    fn threatens_promotion(&self, m: Move) -> bool {
        let rank = |square: Square| {
            let rank = u32::from(square.rank());
            if self.position.turn().is_white() { rank } else { 7 - rank }
        };
        m.role() == Role::Pawn && rank(m.to()) == SEVENTH
    }
}
