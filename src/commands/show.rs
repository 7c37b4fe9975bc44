//! Text for people: a board, a score in pawns, the static evaluation, a speed.

use std::fmt::Write as _;
use std::time::Duration;

use crate::eval::nnue::network::{Network, bucket};
use crate::eval::{self, nnue};
use crate::position::{File, Position, Rank, Square};
use crate::score::Score;
use crate::wdl::{self, MODEL};

/// A board with White at the bottom, followed by the FEN and the side to move.
#[must_use]
pub fn board(position: &Position) -> String {
    const RULE: &str = "  +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(RULE);
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let symbol = if let Some(piece) = piece { piece.char() } else { ' ' };
            let _ = write!(text, " | {symbol}");
        }
        text.push_str(" |\n");
        text.push_str(RULE);
    }
    text.push_str("    a   b   c   d   e   f   g   h\n\n");
    let _ = writeln!(text, "FEN: {}", position.fen());
    let checkers: Vec<String> =
        position.checkers().into_iter().map(|square| square.to_string()).collect();
    let turn = if position.turn().is_white() { "White" } else { "Black" };
    let _ = write!(text, "{turn} to move");
    if !checkers.is_empty() {
        let _ = write!(text, ", in check from {}", checkers.join(" "));
    }
    text
}

/// A score of the side to move that is not a mate, in pawns, from White's point of view.
#[must_use]
pub fn pawns(score: Score, position: &Position) -> String {
    let centipawns = MODEL.normalised(score, wdl::material(position));
    format!("{:+.2}", f64::from(position.turn().fold_wb(centipawns, -centipawns)) / 100.0)
}

/// Nodes per second, for any `time`, however short.
#[must_use]
pub fn nps(nodes: u64, time: Duration) -> u64 {
    /// The shortest time that is divided by.
    const TICK: Duration = Duration::from_millis(1);
    (nodes as f64 / time.max(TICK).as_secs_f64()) as u64
}

/// The static evaluation: the network's, if there is one, and the classical one.
#[must_use]
pub fn evaluation(position: &Position, network: Option<&Network>) -> String {
    if position.is_check() {
        return "Evaluation: none (in check)".into();
    }
    let worded = |score| format!("{} pawns (White's side)", pawns(score, position));
    let classical = worded(eval::classical::evaluate(position));
    let Some(network) = network else { return format!("Evaluation: {classical}") };
    let bucket = bucket(position.occupied().count());
    let value = worded(nnue::evaluate(network, position));
    format!("Evaluation: {value} (network, bucket {bucket})\nClassical:  {classical}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_needs_no_time() {
        assert_eq!(nps(10, Duration::ZERO), 10_000);
        assert_eq!(nps(10, Duration::from_secs(5)), 2);
    }

    #[test]
    fn the_board_shows_pieces_and_checks() {
        let text = board(&Position::from_fen("4k3/8/8/8/7q/8/8/4K3 w - - 0 1").unwrap());
        assert!(text.contains("4 |   |   |   |   |   |   |   | q |\n"), "{text}");
        assert!(text.ends_with("White to move, in check from h4"), "{text}");
    }
}
