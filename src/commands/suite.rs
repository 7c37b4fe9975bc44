//! The positions that the laboratory compares on.
//!
//! The first 24 are the Bratko-Kopec test (D. Kopec and I. Bratko, 1982), taken for their variety and
//! not for their best moves; the others are well-known endings and positions for testing rules.

use crate::position::{FenError, Position};

const EPD: &str = include_str!("suite.epd");

/// A position with its name.
pub struct Named {
    /// What it is known as.
    pub name: &'static str,
    /// The position.
    pub position: Position,
}

/// All positions.
///
/// # Errors
/// [`FenError`], if the suite has a line that is no position.
pub fn suite() -> Result<Vec<Named>, FenError> {
    EPD.lines()
        .map(|line| {
            let (fen, rest) = line.split_once(" id \"").unwrap_or((line, ""));
            let name = rest.trim_end_matches("\";");
            Ok(Named { name, position: Position::from_fen(fen)? })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_has_at_least_thirty_named_positions() {
        let suite = suite().unwrap();
        assert!(suite.len() >= 30);
        assert!(suite.iter().all(|p| !p.name.is_empty() && !p.position.legal_moves().is_empty()));
    }
}
