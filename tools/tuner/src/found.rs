//! What an engine finds, read from its lines in UCI.

use heddle::position::Position;
use heddle::score::{MAX_PLY, Score};
use heddle::wdl::{MODEL, material};

/// The score, shown in centipawns, that UCI calls 100: see [`heddle::wdl`].
const SHOWN_UNIT: f64 = 100.0;

/// The answer to a `go`.
#[derive(Debug, Default)]
pub struct Found {
    /// The move, as UCI writes it.
    pub best: String,
    /// The nodes that were shown last.
    pub nodes: u64,
    /// The score that was shown last.
    shown: Option<Shown>,
}

/// A score as UCI shows it, for the side to move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Shown {
    /// Centipawns, relative to the material on the board.
    Centipawns(i32),
    /// Moves to mate; negative for the side that is mated.
    Mate(i32),
}

impl Found {
    /// Reads a line; whether it was the last.
    pub fn read(&mut self, line: &str) -> bool {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("bestmove") => {
                words.next().unwrap_or_default().clone_into(&mut self.best);
                true
            }
            Some("info") => {
                self.note(words);
                false
            }
            _ => false,
        }
    }

    /// Takes the score and the nodes from the words of an `info` line.
    fn note<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) {
        while let Some(word) = words.next() {
            match word {
                "pv" | "string" => return, // words that mean something else follow
                "nodes" => self.nodes = number(&mut words).unwrap_or(self.nodes),
                "cp" => self.shown = number(&mut words).map(Shown::Centipawns).or(self.shown),
                "mate" => self.shown = number(&mut words).map(Shown::Mate).or(self.shown),
                _ => {}
            }
        }
    }

    /// The score on the engine's own scale, on which games are adjudicated, if one was shown;
    /// `position` is the one that was searched.
    #[must_use]
    pub fn score(&self, position: &Position) -> Option<Score> {
        let plies = |moves: i32| (2 * moves.unsigned_abs() as usize).min(MAX_PLY);
        Some(match self.shown? {
            Shown::Centipawns(centipawns) => {
                let (unit, _) = MODEL.at(material(position));
                Score::eval((f64::from(centipawns) * unit / SHOWN_UNIT).round() as i32)
            }
            Shown::Mate(moves) if moves > 0 => Score::mate_in(plies(moves) - 1),
            Shown::Mate(moves) => Score::mated_in(plies(moves)),
        })
    }
}

fn number<'a, T: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[&str]) -> Found {
        let mut found = Found::default();
        let (last, others) = lines.split_last().unwrap();
        assert!(others.iter().all(|line| !found.read(line)));
        assert!(found.read(last));
        found
    }

    #[test]
    fn the_last_score_counts() {
        let found = found(&[
            "info string score cp 900",
            "info depth 1 seldepth 2 score cp 13 nodes 20 pv e2e4 cp 7",
            "info depth 2 score mate x nodes y",
            "bestmove e2e4 ponder e7e5",
        ]);
        assert_eq!((&*found.best, found.nodes), ("e2e4", 20));
        assert_eq!(found.shown, Some(Shown::Centipawns(13)));
    }

    #[test]
    fn a_score_is_shown_and_read_back() {
        for fen in ["4k3/4p3/8/8/8/8/4P3/R3K3 w - - 0 1", heddle::position::START_FEN] {
            let position = Position::from_fen(fen).unwrap();
            for score in [-1500, -8, 0, 8, 400, 1500] {
                let shown = MODEL.normalised(Score::new(score), material(&position));
                let found = found(&[&format!("info score cp {shown}"), "bestmove e1d1"]);
                let read = found.score(&position).unwrap().get();
                let (unit, _) = MODEL.at(material(&position));
                assert!(
                    f64::from((read - score).abs()) <= unit / SHOWN_UNIT + 1.0,
                    "{read} {score}"
                );
            }
        }
    }

    #[test]
    fn a_mate_is_a_proved_score() {
        let position = Position::default();
        let score = |text: &str| found(&[text, "bestmove e2e4"]).score(&position);
        assert_eq!(score("info score mate 2"), Some(Score::mate_in(3)));
        assert_eq!(score("info score mate -1"), Some(Score::mated_in(2)));
        assert!(score("info score mate 2000000000").unwrap().is_win());
        assert!(score("info score cp 2000000000").is_some_and(|score| !score.is_decisive()));
        assert_eq!(score("info depth 1"), None);
    }
}
