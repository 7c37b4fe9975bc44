//! The text of a game, as far as it has come.

use std::collections::HashMap;

use pgn_reader::{Reader, SanPlus};

use super::MAX_LENGTH;
use crate::text::pgn::GameError;
use crate::text::pgn::raw::{MARK, RawGame};
use crate::text::pgn::words::{
    DASHES, FORFEIT, NULL, aside, en_passant, is_end, is_null, remark, result,
};

/// The longest tag, in bytes.
const MAX_TAG: usize = 4096;
/// Tags that no game has twice with different values.
const IDENTIFYING: [&str; 4] = ["event", "white", "black", "fen"];
/// The greatest number that pgn-reader takes for a glyph.
const MAX_NAG: u32 = u8::MAX as u32;

/// A game whose text is not complete.
#[derive(Default)]
pub(super) struct Draft {
    /// Lines of tags.
    tags: Vec<String>,
    /// The first place of each name, in lower case, among them.
    names: HashMap<String, usize>,
    /// Where the tags begin that nothing separates from each other, and whether that was the last
    /// of them.
    section: usize,
    is_section_over: bool,
    /// How many of the tags belong to this game, if it is over.
    kept: Option<usize>,
    /// What follows the tags, on one line.
    moves: String,
    is_in_comment: bool,
    /// Whether the open comment has an end, if that was asked.
    pub(super) is_comment_closed: Option<bool>,
    /// A move, a word that is meant to be one, or the result has come.
    has_moves: bool,
    /// A comment follows the tags.
    has_comment: bool,
    /// The last number of a move.
    number: Option<u64>,
    /// Numbers are written `1)`.
    has_bracketed_numbers: bool,
    /// Variations that are open.
    depth: usize,
    /// The result, if that is the last word.
    result: Option<&'static str>,
    is_after_blank: bool,
    error: Option<GameError>,
}

impl Draft {
    /// Whether `line`, inside a comment, looks like the next game, so that it matters whether the
    /// comment is ever closed.
    pub(super) fn doubts_comment(&self, line: &str) -> bool {
        self.is_in_comment
            && self.is_comment_closed.is_none()
            && self.is_after_blank
            && is_tag(line)
            && line.contains('"')
    }

    /// Whether `line` belongs to the next game.
    fn ends_before(&self, line: &str) -> bool {
        let line = line.trim_start();
        if self.is_in_comment {
            return self.is_comment_closed == Some(false);
        }
        let is_next = is_tag(line) || self.is_after_blank && is_first_move(line);
        let is_repeated = || {
            let again = result(line).filter(|(again, _)| self.result == Some(again));
            again.is_some_and(|(_, length)| line[length..].trim().is_empty())
        };
        self.has_moves && is_next
            || self.result.is_some() && !line.starts_with(['{', ';', '$', ')']) && !is_repeated()
    }

    /// Takes in a line, or the rest of one; returns where in it the next game begins, if it does.
    pub(super) fn add(&mut self, line: &str) -> Option<usize> {
        if self.ends_before(line) {
            return Some(0);
        }
        if line.trim().is_empty() {
            (self.is_after_blank, self.is_section_over) = (true, true);
            return None;
        }
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        if !self.is_in_comment && line.starts_with('%') {
            return None;
        }
        let mut rest = line;
        while !rest.is_empty() {
            let is_first = rest.len() == line.len();
            while !self.is_in_comment
                && (if is_first { is_tag(rest) } else { is_tag_with_value(rest) })
            {
                // A described game, or a broken one, is followed by the next, not by more of its
                // tags.
                let is_done = self.has_comment || self.error.is_some();
                let is_next = is_done && is_after_blank && !self.tags.is_empty();
                let after = if self.has_moves || is_next { None } else { self.tag(rest) };
                let Some(after) = after else { return Some(line.len() - rest.len()) };
                rest = after;
            }
            rest = self.movetext(rest);
        }
        let length: usize = self.tags.iter().map(String::len).sum();
        if length + self.moves.len() > MAX_LENGTH {
            *self = Self { error: Some(GameError::Long), has_moves: true, ..Self::default() };
        }
        None
    }

    /// Takes in the tag that a line begins with and returns the rest, unless the tag belongs to
    /// the next game.
    fn tag<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        let (tag, rest) = tag(line).unwrap_or_else(|| {
            self.error.get_or_insert(GameError::Tag);
            (line.to_owned(), "")
        });
        if std::mem::take(&mut self.is_section_over) {
            self.section = self.tags.len();
        }
        let name = name_of(&tag);
        match self.names.get(&name) {
            // The tags around it are the next game's as well.
            Some(&place) if place < self.section => {
                self.kept = Some(self.section);
                return None;
            }
            Some(_) if self.tags.last() == Some(&tag) => return Some(rest),
            Some(&place) => {
                let is_other = self.tags[place] != tag;
                let is_next = is_other && IDENTIFYING.contains(&name.as_str());
                // Lists of tags begin each game with the same one.
                if place == self.section || is_next {
                    self.kept = Some(self.tags.len());
                    return None;
                }
            }
            None => {
                self.names.insert(name, self.tags.len());
            }
        }
        self.tags.push(tag);
        Some(rest)
    }

    /// What the next game has of the text so far: the tags that are not this game's.
    pub(super) fn split(&mut self) -> Self {
        let mut next = Self::default();
        if let Some(kept) = self.kept {
            for tag in self.tags.split_off(kept) {
                next.names.entry(name_of(&tag)).or_insert(next.tags.len());
                next.tags.push(tag);
            }
        }
        next
    }

    /// Takes in moves and comments up to a tag, which it returns with the rest, or the end of the
    /// line.
    fn movetext<'a>(&mut self, line: &'a str) -> &'a str {
        self.is_section_over |= !line.trim().is_empty();
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            rest = match first {
                _ if self.is_in_comment => self.comment(rest),
                '[' if is_tag_with_value(rest) => return rest,
                '{' => {
                    (self.is_in_comment, self.is_comment_closed) = (true, None);
                    self.has_comment |= !self.tags.is_empty();
                    self.moves.push('{');
                    &rest[1..]
                }
                ';' => {
                    self.remark(&rest[1..]);
                    ""
                }
                '$' => self.nag(&rest[1..]),
                '(' if let Some(length) = aside(rest) => {
                    self.remark(&rest[..length]);
                    &rest[length..]
                }
                '(' | ')' => {
                    self.depth =
                        if first == '(' { self.depth + 1 } else { self.depth.saturating_sub(1) };
                    self.result = None;
                    self.moves.push(first);
                    &rest[1..]
                }
                '*' => {
                    self.end("*");
                    &rest[1..]
                }
                _ if is_end(first) => {
                    self.moves.push(if "!?".contains(first) { first } else { ' ' });
                    &rest[first.len_utf8()..]
                }
                _ => self.word(rest),
            };
        }
        ""
    }

    /// Takes in what belongs to the open comment, and returns the rest.
    fn comment<'a>(&mut self, line: &'a str) -> &'a str {
        let end = line.find('}');
        let (inside, rest) = line.split_at(end.map_or(line.len(), |end| end + 1));
        self.moves.push_str(inside);
        self.is_in_comment = end.is_none();
        rest
    }

    /// Makes a comment of `text`.
    fn remark(&mut self, text: &str) {
        self.moves.push_str(&format!("{{{}}}", text.replace('}', ")")));
    }

    /// Takes in the number of a glyph, which another word may touch, and returns the rest.
    fn nag<'a>(&mut self, line: &'a str) -> &'a str {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = line.split_at(digits);
        self.moves.push_str(&match number.parse::<u32>() {
            Ok(nag) if nag <= MAX_NAG => format!("${nag} "),
            Ok(nag) => format!("{{{MARK}${nag}}}"),
            Err(_) => format!("{{${number}}}"),
        });
        rest
    }

    /// Takes in the result.
    fn end(&mut self, result: &'static str) {
        match self.result {
            None => self.moves.push_str(result),
            // It may be said twice.
            Some(known) if known == result || result == "*" => return,
            Some(_) => {
                self.error.get_or_insert(GameError::Torn);
            }
        }
        (self.has_moves, self.result) = (true, Some(result));
    }

    /// Takes in the word that a text begins with, and returns the rest.
    fn word<'a>(&mut self, text: &'a str) -> &'a str {
        if let Some((result, length)) = result(text)
            && (result != FORFEIT || self.is_forfeited())
        {
            match result {
                FORFEIT => self.play(FORFEIT),
                _ => self.end(result),
            }
            return &text[length..];
        }
        if let Some(word) = remark(text) {
            self.remark(word);
            return &text[word.len()..];
        }
        if let Some(length) = en_passant(text) {
            return &text[length..];
        }
        let is_last =
            |&(at, c): &(usize, char)| is_end(c) || c == '[' && is_tag_with_value(&text[at..]);
        let end = text.char_indices().find(is_last).map_or(text.len(), |(at, _)| at);
        // `exf6e.p.`
        let passing = text[..end].strip_suffix(['e', 'E']).filter(|word| word.len() > 1);
        let passing = passing.and_then(|word| Some((word, en_passant(&text[word.len()..])?)));
        let (word, rest) = match passing {
            Some((word, mark)) => (word, &text[word.len() + mark..]),
            None => text.split_at(end),
        };
        let dashed = word.replace(DASHES, "-");
        let bare = dashed.trim_start_matches(|c: char| c.is_ascii_digit());
        if is_null(word) {
            self.play(NULL);
        } else if bare.is_empty() && self.is_number(&dashed, rest) {
            self.count(&dashed);
            // `1)`
            return if self.is_bracketed(rest) { &rest[1..] } else { rest };
        } else if dashed.contains(char::is_alphanumeric) {
            // A move may touch its number.
            let is_numbered = bare.starts_with(char::is_alphabetic);
            self.play(if is_numbered { bare } else { &dashed });
        } else {
            self.moves.push(' ');
        }
        rest
    }

    /// Takes in a move, or a word in its place.
    fn play(&mut self, word: &str) {
        if self.result.take().is_some() {
            self.error.get_or_insert(GameError::Torn);
        }
        self.has_moves = true;
        let is_standard = word == NULL
            || word.starts_with(char::is_alphabetic)
                && SanPlus::from_ascii(word.as_bytes()).is_ok();
        if is_standard {
            self.moves.push_str(word);
            // A word may touch the next one only as a sign.
            self.moves.push(' ');
        } else {
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            self.moves.push_str(&format!("{{{MARK}{word}}}"));
        }
    }

    /// Takes in the number of a move.
    fn count(&mut self, digits: &str) {
        let number = digits.parse().unwrap_or(u64::MAX);
        if self.result.take().is_some()
            || number > 1 && !self.has_moves && !self.names.contains_key("fen")
        {
            self.error.get_or_insert(GameError::Torn);
        }
        self.has_moves = true;
        self.number = Some(number);
    }

    /// Whether digits, which `rest` follows, are the number of a move: zeros may be castling, and
    /// a move of four digits is one in the notation of correspondence chess.
    fn is_number(&mut self, digits: &str, rest: &str) -> bool {
        let is_castling = ["00", "000"].contains(&digits);
        if rest.trim_start().starts_with(['.', '…']) {
            return !is_castling;
        }
        if rest.starts_with(')') && self.is_bracketed(rest) {
            self.has_bracketed_numbers = true;
            return true;
        }
        let number = digits.parse().unwrap_or(u64::MAX);
        let is_next =
            self.number.is_some_and(|last| number == last || number == last.saturating_add(1));
        let is_first = || {
            let fen = self.names.get("fen").map_or("", |&place| &self.tags[place]);
            fen.split(|c: char| !c.is_ascii_digit()).any(|word| word == digits)
        };
        match digits.len() {
            _ if number == 0 => !is_castling && !self.has_moves,
            ..4 => true,
            4 | 5 => is_next || digits.contains(['0', '9']) || is_first(),
            _ => true,
        }
    }

    /// Whether the bracket after a number belongs to it. One that would close a variation does
    /// only where numbers are written so.
    fn is_bracketed(&self, rest: &str) -> bool {
        rest.starts_with(')') && (self.depth == 0 || self.has_bracketed_numbers)
    }

    /// Both sides lose, by the tag of the result.
    fn is_forfeited(&self) -> bool {
        let tag = self.names.get("result").and_then(|&place| self.tags[place].split('"').nth(1));
        tag.is_some_and(is_forfeit)
    }

    /// The game as pgn-reader finds it; `None` if there is none: comments alone are no game.
    pub(super) fn read(self) -> Option<RawGame> {
        if !self.has_moves && self.tags.is_empty() {
            return None;
        }
        let text = self.tags.concat() + "\n" + &self.moves;
        let mut game = RawGame::default();
        let mut reader =
            Reader::build(text.as_bytes()).set_supported_tag_line_length(MAX_TAG).finish();
        game.error = match reader.read_game(&mut game).and_then(|_| reader.has_more()) {
            Err(error) => Some(GameError::Syntax(error.to_string())),
            Ok(true) => Some(GameError::Tag),
            Ok(false) => self.error,
        };
        if game.tag("Result").is_some_and(is_forfeit) {
            game.forfeit();
        }
        Some(game)
    }
}

/// Whether a tag's value is the result of a game that both sides lose.
fn is_forfeit(value: &str) -> bool {
    matches!(result(value.trim()), Some((FORFEIT, _)))
}

/// The name of a tag, in lower case.
fn name_of(tag: &str) -> String {
    let name = tag.trim_start().trim_start_matches('[').split('"').next().unwrap_or_default();
    name.trim().to_lowercase()
}

/// What follows the bracket that may begin a tag.
fn after_bracket(line: &str) -> Option<&str> {
    Some(line.trim_start().strip_prefix('[')?.trim_start())
}

/// Whether a line begins with a tag.
fn is_tag(line: &str) -> bool {
    after_bracket(line).is_some_and(|name| name.starts_with(char::is_alphabetic))
        || is_tag_with_value(line)
}

/// Whether a text begins with a tag and the quote before its value.
fn is_tag_with_value(text: &str) -> bool {
    let Some(name) = after_bracket(text) else { return false };
    let end = name.find(|c: char| !(c.is_alphanumeric() || "_-+#=:./".contains(c)));
    end.is_some_and(|end| end > 0 && name[end..].trim_start().starts_with('"'))
}

/// The tag that a line begins with, with the quotes in its value escaped, and what follows it.
fn tag(line: &str) -> Option<(String, &str)> {
    let (name, text) = line.trim_start().split_once('"')?;
    let rest = |(at, _)| Some((at, text[at + 1..].trim_start().strip_prefix(']')?));
    let (end, rest): (usize, _) = text.match_indices('"').find_map(rest)?;
    let value = text[..end].replace("\\\"", "\"").replace('"', "\\\"");
    Some((format!("{name}\"{value}\"]\n"), rest))
}

/// Whether a line begins with White's first move.
fn is_first_move(line: &str) -> bool {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    if number.trim_start_matches('0') != "1" || result(line).is_some() {
        return false;
    }
    match rest.chars().next() {
        Some('.') => !rest[1..].trim_start().starts_with(['.', '…']),
        Some(')') => true,
        Some(c) if c.is_whitespace() => {
            rest.trim_start().starts_with(|c: char| c.is_alphanumeric() || c == '.')
                && !rest.trim_start().starts_with("..")
        }
        Some(c) => c.is_alphabetic(),
        None => false,
    }
}
