//! A position as people and programs write it, on one line: a FEN or an EPD, in quotes or not,
//! with whatever follows it. Every entry of the program reads positions here.

use std::borrow::Cow;
use std::fmt;

use super::{FenError, Position};

/// Fields of an EPD before its operations, and of a FEN.
const EPD_FIELDS: usize = 4;
const FEN_FIELDS: usize = 6;
/// The word between a position and its moves.
const MOVES: &str = "moves";

/// A position with the operations of EPD that follow it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The position; its clocks are those of the operations `hmvc` and `fmvn`, if there are any.
    pub position: Position,
    /// The operations.
    pub operations: Vec<Operation>,
}

/// An operation of EPD: `bm e4;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// What follows the name, as it is written.
    pub operand: String,
}

impl Operation {
    /// The operand without its quotes.
    pub fn text(&self) -> &str {
        let text = self.operand.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        text.unwrap_or(&self.operand)
    }
}

/// A line that [`Record::read`] reads.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.position.fen())?;
        let mut operations = self.operations.iter();
        operations.try_for_each(|Operation { name, operand }| write!(f, " {name} {operand};"))
    }
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// [`FenError`], if it does not begin with a legal position.
    pub fn read(text: &str) -> Result<Self, FenError> {
        let text = unquoted(trimmed(text));
        let (mut fields, rest) = split(&text);
        let is_operation = |word: &str| {
            word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        };
        let next = rest.split_whitespace().next();
        // A word of one letter in the place of a clock is none.
        let is_record = fields.len() == FEN_FIELDS || next.is_none_or(is_operation);
        if !is_record {
            return Ok(Self { position: Position::from_fen(&text)?, operations: Vec::new() });
        }
        let operations = operations(rest);
        // `KQ--`
        if let Some(castling) = fields.get_mut(2).filter(|castling| castling.len() > 1) {
            *castling = castling.trim_end_matches('-');
            *castling = if castling.is_empty() { "-" } else { castling };
        }
        for (place, (name, default)) in [("hmvc", "0"), ("fmvn", "1")].into_iter().enumerate() {
            let said =
                operations.iter().find(|operation| operation.name.eq_ignore_ascii_case(name));
            let Some(number) = said.map(Operation::text) else { continue };
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(FenError::Syntax(format!("invalid {name} in EPD")));
            }
            // A clock needs the fields before it.
            let defaults = ["w", "-", "-", "0", default];
            while fields.len() <= EPD_FIELDS + place {
                fields.push(defaults[fields.len() - 1]);
            }
            fields[EPD_FIELDS + place] = number;
        }
        Ok(Self { position: Position::from_fen(&fields.join(" "))?, operations })
    }

    /// The operation of this name.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.name == name)
    }
}

/// A line without what has no meaning around it: white space, marks of the byte order, and the end
/// of a DOS file.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}')
}

/// The text inside the quotes that it begins with, where two quotes stand for one; what follows
/// them is not its own.
fn unquoted(text: &str) -> Cow<'_, str> {
    let Some(quote) = text.chars().next().filter(|c| "\"'".contains(*c)) else {
        return Cow::Borrowed(text);
    };
    let inside = &text[1..];
    let is_doubled =
        |at: &usize| inside[..*at].ends_with(quote) || inside[at + 1..].starts_with(quote);
    let end = inside.match_indices(quote).map(|(at, _)| at).find(|at| !is_doubled(at));
    let inside = inside[..end.unwrap_or(inside.len())].trim();
    Cow::Owned(inside.replace(&quote.to_string().repeat(2), &quote.to_string()))
}

/// The fields of the position that a text begins with, and what follows them: nothing after a
/// comma, which begins another column of a table.
fn split(text: &str) -> (Vec<&str>, &str) {
    let mut fields = Vec::new();
    let mut rest = text.trim_start();
    while fields.len() < FEN_FIELDS {
        let end = rest.find(|c: char| c.is_whitespace() || ",;".contains(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_counter = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if word.is_empty() || fields.len() >= EPD_FIELDS && !is_counter {
            break;
        }
        fields.push(word);
        rest = after.trim_start();
        if after.starts_with([',', ';']) {
            break;
        }
    }
    match rest.strip_prefix(';') {
        Some(rest) => (fields, rest),
        None if rest.starts_with(',') => (fields, ""),
        None => (fields, rest),
    }
}

/// The operations of a text, each of which ends at a semicolon outside of quotes.
fn operations(text: &str) -> Vec<Operation> {
    let mut is_quoted = false;
    let is_end = |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    };
    let operation = |text: &str| {
        let (name, operand) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Operation { name: name.to_owned(), operand: operand.trim().to_owned() }
    };
    let parts = text.split(is_end).map(str::trim).filter(|part| !part.is_empty());
    parts.map(operation).collect()
}

/// Separates a position from the moves played from there: at the word `moves`, outside of quotes
/// if they are closed.
pub fn split_moves(text: &str) -> (&str, &str) {
    let is_closed = text.matches('"').count().is_multiple_of(2);
    let mut is_quoted = false;
    let mut begin = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        is_quoted ^= c == '"' && is_closed;
        if !c.is_whitespace() {
            continue;
        }
        if !is_quoted && &text[begin..at] == MOVES {
            return (text[..begin].trim(), text[at..].trim());
        }
        begin = at + c.len_utf8();
    }
    (text.trim(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    fn fen(text: &str) -> Option<String> {
        Record::read(text).map(|record| record.position.fen()).ok()
    }

    #[test]
    fn a_record_begins_with_a_position() {
        for tail in [
            "",
            " bm e4; id \"x\";",
            "; bm e4;",
            " {why}",
            " 0 1",
            " 0 1;",
            " 0 1 ;D1 6",
            " 0 1 id \"x\";",
            " 0 1\u{1a}",
            "\r\n\u{1a}\u{1a}",
            " 0 1,12,0.5",
            ",12,0.5",
            " hmvc 0; fmvn 1;",
            " 7 9 hmvc 0; fmvn \"1\"",
        ] {
            for text in [format!("{BARE}{tail}"), format!("\u{feff}\t{BARE}{tail}")] {
                assert_eq!(fen(&text), Some(format!("{BARE} 0 1")), "{text:?}");
            }
        }
        let castling = fen("r3k2r/8/8/8/8/8/8/R3K2R w KQ-- - 3 9 c0 \"x\";");
        assert_eq!(castling.as_deref(), Some("r3k2r/8/8/8/8/8/8/R3K2R w KQ - 3 9"));
        for tail in [" x 1", " hmvc x;", " hmvc;", " fmvn -1;"] {
            assert_eq!(fen(&format!("{BARE}{tail}")), None, "{tail}");
        }
        for text in ["4k3/8/8 w - - bm e4;", "", ";", ",", "\"", "w - -", "\u{feff}"] {
            assert_eq!(fen(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_may_be_operations() {
        for (tail, clocks) in [
            (" hmvc 99; fmvn 60;", "99 60"),
            (" fmvn 60; hmvc 99;", "99 60"),
            (" bm e4; hmvc 99;", "99 1"),
            (" fmvn 60", "0 60"),
            (" 3 5 hmvc 99;", "99 5"),
            (" c0 \"hmvc 9; fmvn 8;\"; HMVC 7;", "7 1"),
        ] {
            assert_eq!(fen(&format!("{BARE}{tail}")), Some(format!("{BARE} {clocks}")), "{tail}");
        }
    }

    #[test]
    fn quotes_surround_a_record() {
        for text in [
            format!("\"{BARE} 0 1\""),
            format!("'{BARE} 0 1'"),
            format!("\"{BARE} 0 1\",12,\"x\""),
            format!("\" {BARE} 0 1"),
            format!("\"{BARE} bm e4; id \"\"x\"\";\";7"),
        ] {
            assert_eq!(fen(&text), Some(format!("{BARE} 0 1")), "{text}");
        }
        let record = Record::read(&format!("\"{BARE} id \"\"a;b\"\"; bm e4 d4;\"")).unwrap();
        assert_eq!(record.operation("id").map(Operation::text), Some("a;b"));
        assert_eq!(record.operation("bm").map(Operation::text), Some("e4 d4"));
    }

    #[test]
    fn moves_begin_outside_of_quotes() {
        for (text, position, moves) in [
            ("a b moves e2e4 e7e5", "a b", "e2e4 e7e5"),
            ("a c0 \"two moves later\"; moves e2e4", "a c0 \"two moves later\";", "e2e4"),
            ("a c0 \"moves\";", "a c0 \"moves\";", ""),
            ("a c0 \"no end moves e2e4", "a c0 \"no end", "e2e4"),
            ("a xmoves movesx\tmoves", "a xmoves movesx", ""),
            ("moves  ", "", ""),
        ] {
            assert_eq!(split_moves(text), (position, moves), "{text}");
        }
    }
}
