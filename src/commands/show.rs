//! Text for people: a board, a score in pawns, the static evaluation, a speed.

use std::fmt::Write as _;
use std::time::Duration;

use crate::eval;
use crate::eval::nnue::network::{Network, bucket};
use crate::position::{Color, File, Move, Position, Rank, Square};
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

/// A number with its digits in groups of three.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A score of the side to move that is not a mate, in pawns, from White's point of view.
#[must_use]
pub fn pawns(score: Score, position: &Position) -> String {
    let centipawns = MODEL.normalised(score, wdl::material(position));
    format!("{:+.2}", f64::from(position.turn().fold_wb(centipawns, -centipawns)) / 100.0)
}

/// A score of the side to move from White's point of view: pawns, or `#` and the moves to mate.
#[must_use]
pub fn score(score: Score, position: &Position) -> String {
    match score.mate_moves() {
        Some(moves) => format!("#{}", position.turn().fold_wb(moves, -moves)),
        None => pawns(score, position),
    }
}

/// A line from `position`: numbered moves in standard algebraic notation.
#[must_use]
pub fn line(position: &Position, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &m in moves {
        let number = position.fullmoves();
        let san = position.san(m);
        words.push(match (position.turn(), words.is_empty()) {
            (Color::White, _) => format!("{number}. {san}"),
            (Color::Black, true) => format!("{number}... {san}"),
            (Color::Black, false) => san,
        });
        position = position.play(m);
    }
    words.join(" ")
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
    let classical = worded(eval::evaluate(None, position));
    let Some(network) = network else { return format!("Evaluation: {classical}") };
    let bucket = bucket(position.occupied().count());
    let value = worded(eval::evaluate(Some(network), position));
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
    fn digits_come_in_threes() {
        let words = [0, 12, 123, 1234, 1_234_567].map(grouped);
        assert_eq!(words, ["0", "12", "123", "1 234", "1 234 567"]);
    }

    #[test]
    fn the_board_shows_pieces_and_checks() {
        let text = board(&Position::from_fen("4k3/8/8/8/7q/8/8/4K3 w - - 0 1").unwrap());
        assert!(text.contains("4 |   |   |   |   |   |   |   | q |\n"), "{text}");
        assert!(text.ends_with("White to move, in check from h4"), "{text}");
    }

    #[test]
    fn moves_are_numbered_from_either_side() {
        let position = Position::default();
        let line: Vec<Move> = {
            let mut position = position.clone();
            ["e2e4", "e7e5", "g1f3"]
                .iter()
                .map(|text| {
                    let m = position.parse_move(text).unwrap();
                    position = position.play(m);
                    m
                })
                .collect()
        };
        assert_eq!(super::line(&position, &line), "1. e4 e5 2. Nf3");
        assert_eq!(super::line(&position.play(line[0]), &line[1..]), "1... e5 2. Nf3");
    }

    #[test]
    fn scores_are_from_whites_side() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let is_even = |&score: &i32| MODEL.normalised(Score::new(score), 78) == 100;
        let even = (0..1000).find(is_even).unwrap();
        assert_eq!(score(Score::new(even), &white), "+1.00");
        assert_eq!(score(Score::new(even), &black), "-1.00");
        assert_eq!(score(Score::mate_in(3), &white), "#2");
        assert_eq!(score(Score::mate_in(3), &black), "#-2");
    }
}
