//! What an engine says while it searches, read from its lines in UCI.

use heddle::score::{Depth, MAX_PLY, Score};

/// A line of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A depth is complete.
    Depth(Completed),
    /// The search is over; the move as UCI writes it.
    Best(String),
    /// Anything else, which UCI tells us to ignore.
    Other,
}

/// A score as UCI shows it, for the side to move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Centipawns.
    Centipawns(i32),
    /// Moves to mate; negative for the side that is mated.
    Mate(i32),
}

impl Shown {
    /// The score, a centipawn as one of its units.
    pub fn score(self) -> Score {
        let plies = |moves: i32| (2 * moves.unsigned_abs() as usize).min(MAX_PLY);
        match self {
            Self::Centipawns(centipawns) => Score::eval(centipawns),
            Self::Mate(moves) if moves > 0 => Score::mate_in(plies(moves) - 1),
            Self::Mate(moves) => Score::mated_in(plies(moves)),
        }
    }
}

/// What an `info` line tells of a completed depth.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// The depth, in plies.
    pub depth: Depth,
    /// Nodes so far, of all threads.
    pub nodes: Option<u64>,
    /// Per mille of the table filled.
    pub hashfull: Option<u32>,
    /// The score.
    pub score: Option<Shown>,
}

impl Said {
    /// Reads a line.
    pub fn read(line: &str) -> Self {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("bestmove") => Self::Best(words.next().unwrap_or_default().to_owned()),
            Some("info") => completed(words).map_or(Self::Other, Self::Depth),
            _ => Self::Other,
        }
    }
}

/// What the words after `info` tell, if they have the score and the line of a whole depth: neither
/// the bound of a search that will be repeated nor the second best line.
fn completed<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Completed> {
    let (mut depth, mut scored, mut found) = (None, false, Completed::default());
    while let Some(word) = words.next() {
        match word {
            "string" | "lowerbound" | "upperbound" => return None,
            "pv" => break, // moves follow
            "depth" => depth = words.next()?.parse().ok(),
            "score" => scored = true,
            "cp" => found.score = words.next()?.parse().ok().map(Shown::Centipawns),
            "mate" => found.score = words.next()?.parse().ok().map(Shown::Mate),
            "nodes" => found.nodes = words.next()?.parse().ok(),
            "hashfull" => found.hashfull = words.next()?.parse().ok(),
            "multipv" if words.next()? != "1" => return None,
            _ => {}
        }
    }
    let depth = depth.filter(|_| scored)?;
    Some(Completed { depth, ..found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_complete_when_it_has_a_score_and_no_bound() {
        let line = "info depth 12 seldepth 20 multipv 1 score cp 31 nodes 4567 nps 9 hashfull 3 time 8 pv e2e4";
        let score = Some(Shown::Centipawns(31));
        let found = Completed { depth: 12, nodes: Some(4567), hashfull: Some(3), score };
        assert_eq!(Said::read(line), Said::Depth(found));
        let score = Some(Shown::Mate(-2));
        let found = Completed { depth: 2, score, ..Completed::default() };
        assert_eq!(Said::read("info score mate -2 depth 2 pv depth 9"), Said::Depth(found));
        for line in [
            "info depth 12 currmove e2e4 currmovenumber 1",
            "info depth 12 score cp 31 lowerbound nodes 5 pv e2e4",
            "info depth 12 score cp 31 upperbound nodes 5",
            "info depth 12 multipv 2 score cp 31 nodes 5 pv e2e4",
            "info string depth 12 score cp 1",
            "info depth",
            "info depth twelve score cp 1",
            "info depth 99999999999999999999 score cp 1",
            "info",
            "",
            "Stockfish 15.1 by the Stockfish developers",
        ] {
            assert_eq!(Said::read(line), Said::Other, "{line}");
        }
    }

    #[test]
    fn a_mate_is_a_proved_score() {
        assert_eq!(Shown::Mate(2).score(), Score::mate_in(3));
        assert_eq!(Shown::Mate(-1).score(), Score::mated_in(2));
        assert!(Shown::Mate(2_000_000_000).score().is_win() && Shown::Mate(0).score().is_loss());
        assert!(!Shown::Centipawns(2_000_000_000).score().is_decisive());
    }

    #[test]
    fn a_move_ends_the_search() {
        assert_eq!(Said::read("bestmove e2e4 ponder e7e5"), Said::Best("e2e4".into()));
        assert_eq!(Said::read("bestmove"), Said::Best(String::new()));
    }
}
