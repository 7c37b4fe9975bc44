//! Cuts a stream of PGN into games, line by line, so that a broken game harms no other.
//!
//! White space has no meaning: a game ends at its result, before the tags of the next one, or before a first move when it
//! has moves already. Tags may stand in several sections and in many forms; a comment before them belongs to their game.
//! A comment that is never closed costs one game only.
//!
//! The text is not left to pgn-reader, which ends a game at any blank line or line that begins with a bracket, and skips
//! words that it cannot read: moves of real files were lost without a word. It offers no setting for either.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::lines::{Lines, MAX_LENGTH};
use super::tag;
use super::token::{self, Token};

/// Lines over which a tag may go on.
const MAX_CUTS: usize = 3;

/// The text of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawGame {
    /// Which game of the stream it is, from 1.
    pub number: usize,
    /// The line of the stream on which it begins, from 1.
    pub line: usize,
    /// Names and values, in the order of the file.
    pub tags: Vec<(String, String)>,
    /// What follows the tags, each with its line in the stream.
    pub tokens: Vec<(usize, Token)>,
    /// Why the game cannot be read, and on which line.
    pub error: Option<(usize, TextError)>,
    /// There are more than comments and glyphs among the tokens.
    is_begun: bool,
}

/// Why the text of a game cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A comment is never closed.
    #[error("unterminated comment")]
    Comment,
    /// It is too long.
    #[error("a game is longer than {} MiB", MAX_LENGTH >> 20)]
    Long,
    /// Something like a tag stands among the moves, which go on after it.
    #[error("a tag among the moves")]
    Tag,
}

impl RawGame {
    /// The value of a tag, in whatever case its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        // Of two, the later one counts.
        let found = self.tags.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Nothing but comments has been read.
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.has_moves()
    }

    /// A move, or a word that is meant to be one, has been read, or the result; or it was given up.
    fn has_moves(&self) -> bool {
        self.error.is_some() || self.is_begun
    }

    fn fail(&mut self, line: usize, error: TextError) {
        self.error.get_or_insert((line, error));
        self.line = if self.line == 0 { line } else { self.line };
    }
}

/// The games of a stream.
pub struct Games<R> {
    input: Lines<R>,
    game: RawGame,
    /// What the scanning of the lines has come to.
    state: State,
    /// Games that are complete but have not been handed out.
    ready: VecDeque<RawGame>,
    games: usize,
}

#[derive(Default)]
struct State {
    /// The comment that is open, and the line on which it began.
    comment: Option<(usize, String)>,
    /// A brace closes the open comment, so that nothing in it can be a tag.
    is_closed_later: bool,
    /// Comments in paragraphs of their own after the result, which belong to the next game if there is one.
    apart: Vec<(usize, Token)>,
    /// The tags of the game came among the moves of one that was not over.
    is_abrupt: bool,
    /// Variations that are open.
    depth: usize,
    /// The result has been read.
    is_over: bool,
    /// A blank line has come since the last word.
    is_after_blank: bool,
    /// Bytes of the game.
    length: usize,
}

impl<R: BufRead> Games<R> {
    /// The games of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input: Lines::new(input),
            game: RawGame::default(),
            state: State::default(),
            ready: VecDeque::new(),
            games: 0,
        }
    }

    /// Hands the game over, if there is one, and begins the next.
    fn finish(&mut self) {
        let State { comment, apart, is_over, .. } = std::mem::take(&mut self.state);
        let next = RawGame {
            line: apart.first().map_or(0, |(line, _)| *line),
            tokens: apart,
            ..RawGame::default()
        };
        let mut game = std::mem::replace(&mut self.game, next);
        if let Some((line, _)) = comment {
            // After the result it costs no moves.
            let broken = if is_over { &mut self.game } else { &mut game };
            broken.fail(line, TextError::Comment);
        }
        if !game.is_empty() {
            self.games += 1;
            game.number = self.games;
            self.ready.push_back(game);
        }
    }

    /// Hands over what is left at the end of the stream.
    fn end(&mut self) {
        let apart = std::mem::take(&mut self.state.apart);
        self.game.tokens.extend(apart);
        self.finish();
        self.finish();
    }

    /// Takes in one line of the stream.
    fn line(&mut self, text: &str) -> io::Result<()> {
        let number = self.input.number;
        self.state.length += text.len();
        if self.state.length > MAX_LENGTH {
            self.game.fail(number, TextError::Long);
            self.game.tokens.clear();
            self.state.comment = None;
        }
        if self.state.comment.is_some() && !self.state.is_closed_later && tag::begins(text) {
            if self.never_closes(text)? {
                self.finish();
            } else {
                self.state.is_closed_later = true;
            }
        }
        if self.state.comment.is_none() {
            if text.starts_with('%') {
                return Ok(());
            }
            if text.trim().is_empty() {
                self.state.is_after_blank = true;
                return Ok(());
            }
        }
        if let Some(text) = self.joined(text)? {
            self.scan(number, &text);
        } else {
            self.scan(number, text);
        }
        Ok(())
    }

    /// The tag of which `text` is the first line, on one line: its name, its value or its bracket may be on the next.
    fn joined(&mut self, text: &str) -> io::Result<Option<String>> {
        if self.state.comment.is_some() || !self.is_section() || !tag::is_cut(text) {
            return Ok(None);
        }
        let mut whole = text.to_owned();
        for ahead in 0..MAX_CUTS {
            let Some(next) = self.input.peek(ahead)? else { break };
            if next.trim().is_empty() || next.trim_start().starts_with('[') {
                break;
            }
            whole.push(' ');
            whole.push_str(next);
            if whole.contains(']') && !tag::is_cut(&whole) {
                for _ in 0..=ahead {
                    self.input.next()?;
                }
                return Ok(Some(whole));
            }
        }
        Ok(None)
    }

    /// Tags may come here.
    fn is_section(&self) -> bool {
        self.state.is_over || !self.game.has_moves()
    }

    /// Reads a line, or the rest of one, word by word.
    fn scan(&mut self, number: usize, text: &str) {
        if let Some((_, comment)) = &mut self.state.comment
            && text.is_empty()
        {
            comment.push('\n');
        }
        let mut rest = text;
        while !rest.is_empty() {
            if let Some((_, comment)) = &mut self.state.comment {
                let Some(end) = rest.find('}') else {
                    comment.push_str(rest);
                    comment.push('\n');
                    return;
                };
                comment.push_str(&rest[..end]);
                rest = &rest[end + 1..];
                let (line, comment) = self.state.comment.take().expect("a comment is open");
                self.state.is_closed_later = false;
                self.add(line, Token::Comment(comment.trim().to_owned()));
                continue;
            }
            rest = rest.trim_start();
            // In the tags' section a line need not be a good tag to be none of the moves.
            let is_odd_tag = rest.starts_with('[') && !rest.starts_with("[%") && rest.contains(']');
            if tag::begins(rest) || is_odd_tag && self.is_section() {
                let (tag, length) = tag::read(rest);
                if let Some(tag) = tag {
                    self.tag(number, tag);
                }
                rest = &rest[length..];
                continue;
            }
            let is_end = |&(at, c): &(usize, char)| match c {
                '{' | ';' => true,
                '[' => tag::begins(&rest[at..]),
                _ => false,
            };
            let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
            for token in token::tokens(&rest[..end]) {
                self.add(number, token);
            }
            rest = &rest[end..];
            if let Some(comment) = rest.strip_prefix(';') {
                return self.add(number, Token::Comment(comment.trim().replace('}', ")")));
            }
            if let Some(inside) = rest.strip_prefix('{') {
                self.state.comment = Some((number, String::new()));
                rest = inside;
            }
        }
    }

    /// Adds what has been read to the game, or to the next.
    fn add(&mut self, line: usize, token: Token) {
        let is_apart = self.state.is_over && self.state.is_after_blank;
        if is_apart && matches!(token, Token::Comment(_)) {
            return self.state.apart.push((line, token));
        }
        let begins = match &token {
            Token::Number(1, false) => {
                self.state.depth == 0
                    && self.game.has_moves()
                    && (self.state.is_over || self.state.is_after_blank)
            }
            _ => is_apart,
        };
        if begins {
            self.finish();
        }
        match &token {
            Token::Open => self.state.depth += 1,
            Token::Close => self.state.depth = self.state.depth.saturating_sub(1),
            Token::Result(_) => self.state.is_over |= self.state.depth == 0,
            Token::Number(2.., _)
                if self.state.is_abrupt
                    && !self.game.has_moves()
                    && self.game.tag("FEN").is_none() =>
            {
                self.game.fail(line, TextError::Tag);
            }
            _ => {}
        }
        self.state.is_after_blank = false;
        if self.game.line == 0 {
            self.game.line = line;
        }
        let is_kept = self.game.error.is_none() && !matches!(token, Token::Number(..));
        self.game.is_begun |= is_kept && !matches!(token, Token::Comment(_) | Token::Nag(_));
        self.game.tokens.extend(is_kept.then_some((line, token)));
    }

    /// Adds a tag to the game, or to the next.
    fn tag(&mut self, line: usize, tag: (String, String)) {
        let repeats = || self.game.tags.iter().any(|(known, _)| *known == tag.0);
        if self.game.has_moves() || self.state.is_after_blank && repeats() {
            let is_abrupt = !self.state.is_over && !self.state.is_after_blank;
            self.finish();
            self.state.is_abrupt = is_abrupt;
        }
        self.state.is_after_blank = false;
        if self.game.line == 0 {
            self.game.line = line;
        }
        self.game.tags.push(tag);
    }

    /// Whether the open comment, in which `line` looks like a tag, belongs to a game that ends here: no brace closes it
    /// before another one opens.
    fn never_closes(&mut self, line: &str) -> io::Result<bool> {
        let brace = |text: &str| text.find(['{', '}']).map(|at| text.as_bytes()[at]);
        let mut found = brace(line);
        let (mut ahead, mut length) = (0, 0);
        while found.is_none() && length <= MAX_LENGTH {
            let Some(line) = self.input.peek(ahead)? else { break };
            found = brace(line);
            ahead += 1;
            length += line.len() + 1;
        }
        Ok(found != Some(b'}'))
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<RawGame>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.input.next() {
                Ok(Some(text)) => {
                    if let Err(error) = self.line(&text) {
                        return Some(Err(error));
                    }
                }
                Ok(None) => {
                    self.end();
                    break;
                }
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line, the tags and the moves and comments of each game.
    fn games(text: &str) -> Vec<String> {
        let game = |game: io::Result<RawGame>| {
            let game = game.unwrap();
            let tags = game.tags.iter().map(|(name, value)| format!("{name}={value}"));
            let tokens = game.tokens.iter().map(|(_, token)| match token {
                Token::Move(word) => word.clone(),
                Token::Comment(text) => format!("{{{text}}}"),
                Token::Result(result) => (*result).to_owned(),
                other => format!("{other:?}"),
            });
            let error = game.error.map(|(line, error)| format!("line {line}: {error}"));
            let words: Vec<_> = tags.chain(tokens).chain(error).collect();
            format!("{}: {}", game.line, words.join(" "))
        };
        Games::new(text.as_bytes()).map(game).collect()
    }

    #[test]
    fn a_tag_that_is_cut_or_not_closed_swallows_no_move() {
        for text in [
            "[White \"A\" 1. e4 *",
            "[White \"A 1] 1. e4 *",
            "[White \"A\"\n1. e4 *",
            "[White \"A\n1. e4 *",
            "[White\n\"A\"] 1. e4 *",
            "[\nWhite \"A\"\n] 1. e4 *",
            "[White \"A\nB\"]\n1. e4 *",
        ] {
            let found = games(text);
            assert!(found.len() == 1 && found[0].ends_with("e4 *"), "{text}: {found:?}");
            assert!(found[0].starts_with("1: White=A"), "{text}: {found:?}");
        }
        let two = games("[White \"A\"] e4 * [White \"B\"] d4 *");
        assert_eq!(two, ["1: White=A e4 *", "1: White=B d4 *"]);
        assert_eq!(games("[foo 1. e4 *"), ["1: Stray(\"[foo 1. e4 *\")"]);
    }

    #[test]
    fn something_like_a_tag_among_the_moves_is_an_error() {
        let found = games("1. e4 e5\n[Note \"x\"]\n2. Nf3 *\n\n1. d4 *");
        let error = "2: Note=x line 3: a tag among the moves";
        assert_eq!(found, ["1: e4 e5", error, "5: d4 *"]);
        let result = "1. e4 e5\n[White \"B\"]\n1. d4 *";
        assert_eq!(games(result), ["1: e4 e5", "2: White=B d4 *"]);
    }

    #[test]
    fn comments_alone_are_no_game() {
        assert!(games("{by X}\n\n; and Y\n").is_empty());
        assert_eq!(games("1. e4 *\n\n{the end}\n"), ["1: e4 * {the end}"]);
        let next = games("1. e4 *\n\n{next}\n\n[White \"A\"]\n\n1. d4 *");
        assert_eq!(next, ["1: e4 *", "3: White=A {next} d4 *"]);
        let open = games("1. e4 *\n\n{next\n\n[White \"A\"]\n\n1. d4 *");
        assert_eq!(open, ["1: e4 *", "3: line 3: unterminated comment", "5: White=A d4 *"]);
    }

    #[test]
    fn black_s_move_number_in_a_paragraph_begins_no_game() {
        assert_eq!(games("1. e4\n\n1. ... e5 *"), ["1: e4 e5 *"]);
    }

    #[test]
    fn white_space_has_no_meaning() {
        let whole = ["1: White=A e4 e5 Nf3 Nc6 1-0"];
        for text in [
            "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n",
            "[White \"A\"] 1. e4 e5 2. Nf3 Nc6 1-0",
            "[White \"A\"]\r\n\r\n1. e4 e5\r\n\r\n2. Nf3 Nc6\r\n\r\n1-0\r\n",
            "[White \"A\"]\r\r1. e4\re5\r2. Nf3 Nc6 1-0\r",
            "[White \"A\"]\n1. e4\n%escaped d4\ne5\n[0.2] 2. Nf3\n[#]\nNc6 1-0",
            "\u{feff}[White \"A\"]\n1.\u{a0}e4\u{b}e5 2. Nf3 Nc6 1-0",
        ] {
            assert_eq!(games(text), whole, "{text:?}");
        }
    }

    #[test]
    fn a_game_ends_at_its_result_before_tags_and_before_a_first_move() {
        let two = ["1: Event=x e4 *", "2: Event=y d4 *"];
        assert_eq!(games("[Event \"x\"] 1. e4 *\n[Event \"y\"] 1. d4 *\n"), two);
        assert_eq!(games("1. e4 *\n\n1. d4 *"), ["1: e4 *", "3: d4 *"]);
        assert_eq!(games("1. e4 * 1. d4 *"), ["1: e4 *", "1: d4 *"]);
        assert_eq!(games("1. e4 e5\n\n1. d4 d5"), ["1: e4 e5", "3: d4 d5"]);
        let tags = "[White \"A\"]\n1. e4\n[White \"B\"]\n\n1. d4 *";
        assert_eq!(games(tags), ["1: White=A e4", "3: White=B d4 *"]);
        let empty = "[White \"A\"]\n\n[White \"B\"]\n\n";
        assert_eq!(games(empty), ["1: White=A", "3: White=B"]);
        assert!(games("").is_empty() && games(" \n\n%x\n").is_empty());
    }

    #[test]
    fn tags_may_stand_in_sections_and_after_comments() {
        let one = ["1: Event=x White=A {by X} e4 *"];
        assert_eq!(games(";by X\n\n[Event \"x\"]\n\n[White \"A\"]\n\n1. e4 *"), one);
        assert_eq!(games("{by X}\n[Event \"x\"]\n[White-Elo \"1\"]\n[White \"A\"]\n1. e4 *"), one);
        let after = "1. e4 * {good}\n\n{next}\n[White \"A\"]\n1. d4 *";
        assert_eq!(games(after), ["1: e4 * {good}", "3: White=A {next} d4 *"]);
    }

    #[test]
    fn a_comment_may_hold_anything_but_the_next_game() {
        let held = "1. e4 {a\n\n[White \"x\"]\n} e5 *";
        assert_eq!(games(held), ["1: e4 {a\n\n[White \"x\"]} e5 *"]);
        let open = "1. e4 {never closed\n\n[White \"B\"]\n\n1. d4 {x} *";
        assert_eq!(games(open), ["1: e4 line 1: unterminated comment", "3: White=B d4 {x} *"]);
    }

    #[test]
    fn a_game_without_end_costs_no_other() {
        let long = format!("1. e4 {{{}}}\n1. e4 *\n[White \"B\"]\n1. d4 *", "x".repeat(MAX_LENGTH));
        let found = games(&long);
        assert_eq!(found[0], "1: line 1: a game is longer than 16 MiB");
        assert_eq!(found[1..], ["3: White=B d4 *"]);
    }

    #[test]
    fn text_that_is_not_utf8_is_latin() {
        let game = |bytes: &[u8]| Games::new(bytes).next().unwrap().map(|game| game.tags);
        let name = vec![("White".to_owned(), "Müller".to_owned())];
        assert_eq!(game(b"[White \"M\xfcller\"]\n").unwrap(), name);
        assert_eq!(game("[White \"Müller\"]\n".as_bytes()).unwrap(), name);
        assert!(game(b"\xff\xfe[\0").unwrap_err().to_string().contains("UTF-16"));
    }
}
