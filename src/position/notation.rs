//! Moves as people and programs write them.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Role, Square};

use super::{Move, MoveError, MoveList, Position};

/// Marks between the squares of a move, or before a promotion.
const MARKS: [char; 7] = ['-', 'x', 'X', ':', '=', '/', '('];

impl Position {
    /// Reads a move in UCI notation; castling may be written either way.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let uci: UciMove = text.parse().map_err(|_| MoveError::Syntax(text.to_owned()))?;
        let legal = uci.to_move(&self.to_library());
        legal.map(Into::into).map_err(|_| MoveError::Illegal(text.to_owned()))
    }

    /// Reads a move in standard algebraic notation. Its check or mate sign may be missing or wrong.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = |_| MoveError::Syntax(text.to_owned());
        let read = SanPlus::from_ascii(text.replace('0', "O").as_bytes()).map_err(syntax)?;
        let legal = read.san.to_move(&self.to_library());
        legal.map(Into::into).map_err(|_| MoveError::Illegal(text.to_owned()))
    }

    /// Reads a move in any notation that fits exactly one legal move: standard, long or UCI, with
    /// or without the signs of captures and promotions.
    pub fn find_move(&self, text: &str) -> Result<Move, MoveError> {
        // `exf6ep`
        let text = text.strip_suffix("ep").filter(|m| m.ends_with(['3', '6'])).unwrap_or(text);
        let standard = match self.parse_san(text) {
            Ok(m) => return Ok(m),
            Err(error) => error,
        };
        // `B1c3` is a bishop's move.
        if !text.starts_with('B')
            && let Ok(m) = self.parse_move(&text.to_ascii_lowercase())
        {
            return Ok(m);
        }
        let described = Described::all(text);
        let is_move = !described.is_empty();
        let legal = self.legal_moves();
        // The first reading that fits counts: `bc3` is a pawn's capture before it is a bishop's
        // move.
        let fitting = described.iter().map(|described| described.fitting(&legal));
        match fitting.into_iter().find(|moves| !moves.is_empty()).as_deref() {
            Some([m]) => Ok(*m),
            _ if is_move => Err(MoveError::Illegal(text.to_owned())),
            _ => Err(standard),
        }
    }

    /// A move in standard algebraic notation, with its check or mate sign.
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.to_library(), m.into()).to_string()
    }
}

/// The description of a move by a text.
#[derive(Clone, Debug, Default)]
struct Described {
    castling: Option<CastlingSide>,
    role: Option<Role>,
    /// The file and rank that the piece leaves and enters, as far as they are said.
    from: [Option<u8>; 2],
    to: [Option<u8>; 2],
    promotion: Option<Role>,
}

impl Described {
    /// The readings of a text, the likeliest first; none if it is no move.
    fn all(text: &str) -> Vec<Self> {
        let bare: String = text.chars().filter(|c| !MARKS.contains(c) && *c != ')').collect();
        let side = match bare.to_ascii_uppercase().replace('0', "O").as_str() {
            "OO" => Some(CastlingSide::KingSide),
            "OOO" => Some(CastlingSide::QueenSide),
            _ => None,
        };
        if side.is_some() {
            return vec![Self { castling: side, ..Self::default() }];
        }
        let as_pawn = || Self::of(&bare, Some(Role::Pawn));
        let mut chars = bare.chars();
        let first = chars.next();
        let as_piece =
            first.and_then(Role::from_char).and_then(|role| Self::of(chars.as_str(), Some(role)));
        // A capital is a piece if it can be one: `Bc4` is never the capture of the pawn on b3.
        let is_piece = as_piece.is_some() && first.is_some_and(|c| c.is_ascii_uppercase());
        let as_pawn = if is_piece { None } else { as_pawn() };
        // Two squares alone may be of any piece, as in UCI.
        let as_any = Self::of(&bare, None).filter(|found| found.from.iter().all(Option::is_some));
        [as_pawn, as_piece, as_any].into_iter().flatten().collect()
    }

    /// Reads the squares of a move of `role`, and its promotion.
    fn of(text: &str, role: Option<Role>) -> Option<Self> {
        let last = text.chars().next_back()?;
        let (squares, promotion) = match Role::from_char(last) {
            // The last letter of `ab` is a file.
            Some(role) if text.len() > 2 => (&text[..text.len() - last.len_utf8()], Some(role)),
            _ => (text, None),
        };
        let found = |from: &str, to: &str| {
            let (from, to) = (parts(from)?, parts(to)?);
            let is_said = to[0].is_some() && (to[1].is_some() || role == Some(Role::Pawn));
            is_said.then_some(Self { castling: None, role, from, to, promotion })
        };
        // The square entered is at the end; a pawn's capture may be two files.
        [2, 1].into_iter().find_map(|length| {
            let at =
                squares.len().checked_sub(length).filter(|&at| squares.is_char_boundary(at))?;
            let (from, to) = squares.split_at(at);
            found(from, to).filter(|found| length == 2 || found.from[0].is_some())
        })
    }

    /// The moves that it fits.
    fn fitting(&self, legal: &MoveList) -> Vec<Move> {
        let said = |said: [Option<u8>; 2], square: Square| {
            let is = [square.file() as u8, square.rank() as u8];
            said.iter().zip(is).all(|(said, is)| said.is_none_or(|said| said == is))
        };
        let fits = |m: &Move| match (self.castling, m.castling_side()) {
            (Some(side), found) => found == Some(side),
            (None, Some(_)) => false,
            (None, None) => {
                self.role.is_none_or(|role| role == m.role())
                    && said(self.from, m.from())
                    && said(self.to, m.to())
                    && m.promotion() == self.promotion
                    // Two files are a capture.
                    && (self.to[1].is_some() || m.is_capture())
            }
        };
        legal.iter().copied().filter(fits).collect()
    }
}

/// A file and a rank, either of which may be missing; `None` if there is something else.
fn parts(text: &str) -> Option<[Option<u8>; 2]> {
    let file = |c: u8| c.to_ascii_lowercase().checked_sub(b'a').filter(|&file| file < 8);
    let rank = |c: u8| c.checked_sub(b'1').filter(|&rank| rank < 8);
    match text.as_bytes() {
        [] => Some([None, None]),
        &[c] => match (file(c), rank(c)) {
            (None, None) => None,
            found => Some(found.into()),
        },
        &[f, r] => Some([Some(file(f)?), Some(rank(r)?)]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(fen: &str, text: &str) -> Option<String> {
        let position = Position::from_fen(fen).unwrap();
        position.find_move(text).ok().map(|m| position.san(m))
    }

    #[test]
    fn a_move_is_found_in_any_notation_that_fits_it_alone() {
        let promotion = "3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
        let open = "r3k2r/pp3ppp/2np1n2/3pp3/1b1PP3/2N2N2/PPP2PPP/R3K2R w KQkq - 0 1";
        let bishop = "4k3/8/8/8/2p5/1Pp1p3/4BP2/1N2B1K1 w - - 0 1";
        let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        for (fen, texts, san) in [
            (promotion, &["e8=Q", "e8Q", "e8q", "e8(Q)", "e8/Q", "e7e8q", "e7-e8=Q"][..], "e8=Q"),
            (promotion, &["exd8=N", "exd8N", "ed8N", "e7xd8n"], "exd8=N"),
            (open, &["ed5", "exd5", "e4d5", "e4xd5", "e:d5", "exd", "ed", "e4-d5"], "exd5"),
            (open, &["O-O", "0-0", "o-o", "OO", "00", "0=0", "e1g1", "e1h1"], "O-O"),
            (open, &["O-O-O", "0-0-0", "000", "e1c1"], "O-O-O"),
            (open, &["Ne5", "Nxe5", "Nf3e5", "Nf3-e5", "Nf3xe5", "f3e5", "nfe5"], "Nxe5"),
            (open, &["b3", "b2b3", "b2-b3", "Pb3"], "b3"),
            (bishop, &["Bc4", "B:c4", "Bxc4", "Be2c4"], "Bxc4"),
            (bishop, &["bc4", "b:c4", "bxc4", "bc"], "bxc4"),
            (bishop, &["B1c3", "B1xc3"], "Bxc3"),
            (passing, &["exd6", "ed6", "ed", "e5d6", "e5xd6", "exd6ep"], "exd6"),
        ] {
            for text in texts {
                assert_eq!(found(fen, text).as_deref(), Some(san), "{text}");
            }
        }
    }

    #[test]
    fn what_fits_several_moves_or_none_is_no_move() {
        let rooks = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";
        assert_eq!(found(rooks, "Rd1"), None);
        assert_eq!(found(rooks, "Rad1").as_deref(), Some("Rad1"));
        let promotion = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
        for text in ["e8", "e9", "e8K", "x", "resigns", "", "е4", "马", "e", "Ke1e9"] {
            assert_eq!(found(promotion, text), None, "{text}");
        }
    }
}
