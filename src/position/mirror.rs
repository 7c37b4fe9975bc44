//! The mirrored position, which a correct evaluation values the same.

use super::Position;

impl Position {
    /// The position with the board turned upside down and the colors exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let setup = self.to_setup().into_mirrored();
        Self::from_setup(setup).expect("what is legal for one color is legal for the other")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_exchanges_the_colors() {
        for (fen, mirrored) in [
            (
                "rnbqkbnr/ppp1pppp/8/8/3pP3/N7/PPPP1PPP/R1BQKBNR b KQk e3 0 3",
                "r1bqkbnr/pppp1ppp/n7/3Pp3/8/8/PPP1PPPP/RNBQKBNR w Kkq e6 0 3",
            ),
            ("1rk2r2/8/8/8/8/8/8/1RK2R2 w FBf - 7 9", "1rk2r2/8/8/8/8/8/8/1RK2R2 b Kkq - 7 9"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(position.mirrored().fen(), mirrored);
            assert_eq!(position.mirrored().mirrored().fen(), position.fen());
        }
    }
}
