//! A game with its annotations, as PGN holds them.

use heddle::position::{Move, Position};

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position it starts from.
    pub start: Position,
    /// The moves that were played; `None` where a side passed.
    pub moves: Vec<Option<Move>>,
    /// The same moves with their annotations, one node for each.
    pub line: Variation,
    /// How it ended: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// Moves in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// Glyphs before the first move.
    pub nags: Vec<u32>,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub nodes: Vec<Node>,
}

/// A move with its annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The move in standard algebraic notation, `--` for a null move.
    pub san: String,
    /// Numeric annotation glyphs.
    pub nags: Vec<u32>,
    /// Comments after the move.
    pub comments: Vec<String>,
    /// What could have been played instead of the move.
    pub variations: Vec<Variation>,
}

impl Game {
    /// The value of a tag; `None` if it is missing, empty or `?`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let (_, value) = self.tags.iter().find(|(known, _)| known == name)?;
        (!value.is_empty() && value != "?").then_some(value)
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: String) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name.into(), value)),
        }
    }

    /// The positions of the game: the first, and the one after each move.
    pub fn positions(&self) -> Vec<Position> {
        let after = self.moves.iter().scan(self.start.clone(), |position, &m| {
            *position = position.after(m)?;
            Some(position.clone())
        });
        std::iter::once(self.start.clone()).chain(after).collect()
    }

    /// The players, for people.
    pub fn players(&self) -> String {
        let name = |tag, other: &'static str| self.tag(tag).unwrap_or(other).to_owned();
        format!("{} – {}", name("White", "White"), name("Black", "Black"))
    }
}
