//! The mirrored position, which a correct evaluation values the same.

use crate::position::{FenError, Position};

/// The position with the board turned upside down and the colours exchanged.
///
/// # Errors
/// [`FenError`], if the mirrored position could not be read; a legal position can.
pub fn flipped(position: &Position) -> Result<Position, FenError> {
    let fen = position.fen();
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let [board, turn, castling, en_passant, clocks @ ..] = &fields[..] else {
        return Err(FenError::Syntax(fen));
    };
    let board: Vec<String> = board.split('/').rev().map(swap_case).collect();
    let turn = if *turn == "w" { "b" } else { "w" };
    let en_passant = match en_passant.as_bytes() {
        [file, b'3'] => format!("{}6", char::from(*file)),
        [file, b'6'] => format!("{}3", char::from(*file)),
        _ => "-".to_owned(),
    };
    let castling = swap_case(castling);
    let board = board.join("/");
    Position::from_fen(&format!("{board} {turn} {castling} {en_passant} {}", clocks.join(" ")))
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    text.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_exchanges_the_colours() {
        let fen = "rnbqkbnr/ppp1pppp/8/8/3pP3/N7/PPPP1PPP/R1BQKBNR b KQk e3 0 3";
        let position = Position::from_fen(fen).unwrap();
        let flipped_fen = "r1bqkbnr/pppp1ppp/n7/3Pp3/8/8/PPP1PPPP/RNBQKBNR w Kkq e6 0 3";
        let mirrored = flipped(&position).unwrap();
        assert_eq!(mirrored.fen(), flipped_fen);
        assert_eq!(flipped(&mirrored).unwrap().fen(), fen);
    }
}
