//! Names the opening of a game and tells where the game leaves it.
//!
//! The table is that of Lichess (<https://github.com/lichess-org/chess-openings>, commit 51b8862,
//! in the public domain: CC0), a list of names, not a book of what is good. A game leaves its
//! opening with the first move after its last position on any of the lines, in whatever order it
//! came there.

use std::collections::HashMap;

use heddle::position::{Key, Position};

/// One opening a line: its code in the Encyclopaedia of Chess Openings, its name and its moves,
/// with tabs between.
const TABLE: &str = include_str!("openings.tsv");

/// An opening that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Its code in the Encyclopaedia of Chess Openings.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Plies of the game that follow the table.
    pub plies: usize,
}

/// The positions of the table; those where a line ends have its code and name.
pub struct Openings(HashMap<Key, Option<(&'static str, &'static str)>>);

impl Openings {
    /// Those of the table.
    #[expect(clippy::new_without_default, reason = "it reads the whole table")]
    pub fn new() -> Self {
        let mut known = HashMap::new();
        for row in TABLE.lines() {
            let (code, rest) = row.split_once('\t').expect("a row of the table begins with a code");
            let (name, moves) = rest.split_once('\t').expect("the moves follow the name");
            let mut position = Position::default();
            for san in moves.split_whitespace() {
                let m = position.parse_san(san).expect("the moves of the table are legal");
                position = position.play(m);
                known.entry(position.key()).or_insert(None);
            }
            known.insert(position.key(), Some((code, name)));
        }
        Self(known)
    }

    /// The opening of a game with these positions; `None` if it never had a name.
    pub fn find(&self, positions: &[Position]) -> Option<Opening> {
        let on_line = |position: &Position| self.0.get(&position.key());
        let plies = positions.iter().rposition(|position| on_line(position).is_some())?;
        let named = positions[..=plies].iter().rev().find_map(|p| on_line(p).copied().flatten());
        named.map(|(code, name)| Opening { code, name, plies })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(moves: &str) -> Option<Opening> {
        let mut positions = vec![Position::default()];
        for san in moves.split_whitespace() {
            let last = positions.last().unwrap();
            positions.push(last.play(last.parse_san(san).unwrap()));
        }
        Openings::new().find(&positions)
    }

    #[test]
    fn a_game_leaves_its_opening_after_the_last_known_position() {
        let opening = find("e4 e5 Nf3 Nc6 Bb5 h5 a3").unwrap();
        assert_eq!((opening.code, opening.name, opening.plies), ("C60", "Ruy Lopez", 5));
        let declined = find("d4 Nf6 c4 e6 Nc3 d5").unwrap();
        assert!(declined.name.starts_with("Queen's Gambit Declined"), "{declined:?}");
    }

    #[test]
    fn a_game_that_no_line_begins_has_no_opening() {
        assert_eq!(find(""), None);
        let endgame = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert_eq!(Openings::new().find(&[endgame]), None);
    }

    #[test]
    fn every_line_of_the_table_is_legal_and_has_a_name_of_its_own() {
        let openings = Openings::new();
        let named = openings.0.values().flatten().count();
        assert_eq!(named, TABLE.lines().count(), "two lines end in one position");
        assert!(named > 3000, "{named}");
    }
}
