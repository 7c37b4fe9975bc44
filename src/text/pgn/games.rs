//! Cuts a stream of PGN into games, which pgn-reader reads one by one.
//!
//! Alone, pgn-reader would end a game at any blank line, let a comment that is never closed swallow the games after it, and
//! skip words that it cannot read. So a game ends here, at its result, before tags, or before a first move after a blank
//! line, and each word that pgn-reader would skip is shown to it as a comment that begins with [`MARK`].

use std::io::{self, BufRead, Read};

use pgn_reader::{Outcome, Reader, SanPlus};

use super::GameError;
use super::raw::{MARK, RawGame};
use crate::text::encoding::{decode, refuse_utf16};

/// The longest game, in bytes, and so the longest line that is kept.
pub const MAX_LENGTH: usize = 16 << 20;
/// The longest tag, in bytes.
const MAX_TAG: usize = 4096;
/// Digits that the number of a move has at most.
const MAX_DIGITS: usize = 3;
/// Dashes that stand for `-`: two hyphens, two dashes and a minus.
const DASHES: [char; 5] = ['\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'];
/// Words that others write, and those of PGN for them: a draw, and a null move.
const SPELLINGS: [(&str, &str); 4] =
    [("½-½", "1/2-1/2"), ("½", "1/2-1/2"), ("1/2", "1/2-1/2"), ("@@@@", "--")];

/// The games of a stream.
pub struct Games<R> {
    input: R,
    draft: Draft,
}

impl<R: BufRead> Games<R> {
    /// The games of `input`.
    pub fn new(input: R) -> Self {
        Self { input, draft: Draft::default() }
    }

    /// The next line; a longer one than a game may be comes in pieces.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(MAX_LENGTH as u64).read_until(b'\n', &mut bytes)?;
        refuse_utf16(&bytes)?;
        Ok((!bytes.is_empty()).then(|| decode(bytes).replace(MARK, " ")))
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<RawGame>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.line() {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let is_end = line.as_ref().is_none_or(|line| self.draft.ends_before(line));
            let ended = is_end.then(|| std::mem::take(&mut self.draft));
            if let Some(line) = &line {
                self.draft.add(line);
            }
            match ended {
                // Comments alone are no game.
                Some(game) if game.has_moves || !game.tags.is_empty() => {
                    return Some(Ok(game.read()));
                }
                _ => line?,
            };
        }
    }
}

/// The text of a game, as far as it has come.
#[derive(Default)]
struct Draft {
    /// A line for each tag.
    tags: String,
    /// What follows them, on one line.
    moves: String,
    is_in_comment: bool,
    /// A move, a word that is meant to be one, or the result has come.
    has_moves: bool,
    /// The last word is the result.
    is_over: bool,
    is_after_blank: bool,
    error: Option<GameError>,
}

impl Draft {
    /// Whether `line` belongs to the next game.
    fn ends_before(&self, line: &str) -> bool {
        let line = line.trim_start();
        if self.is_in_comment {
            // The comment is never closed.
            return self.is_after_blank && is_tag(line) && line.contains('"');
        }
        let is_next = is_tag(line) || self.is_after_blank && is_first_move(line);
        self.has_moves && is_next
            || self.is_over && !line.starts_with(['{', ';'])
            || !self.tags.is_empty() && line.starts_with("[Event ")
    }

    /// Takes in a line.
    fn add(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.is_after_blank = true;
            return;
        }
        self.is_after_blank = false;
        if !self.is_in_comment && line.starts_with('%') {
            return;
        }
        let mut rest = line;
        while !self.is_in_comment && is_tag(rest) {
            let (tag, after) = tag(rest).unwrap_or_else(|| {
                self.error.get_or_insert(GameError::Tag);
                (rest.to_owned(), "")
            });
            self.tags.push_str(&tag);
            rest = after;
        }
        self.movetext(rest);
        if self.tags.len() + self.moves.len() > MAX_LENGTH {
            *self = Self { error: Some(GameError::Long), has_moves: true, ..Self::default() };
        }
    }

    /// Takes in a line of moves and comments.
    fn movetext(&mut self, line: &str) {
        let mut rest = line;
        while !rest.is_empty() {
            if self.is_in_comment {
                let end = rest.find('}');
                let (inside, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
                self.moves.push_str(inside);
                (self.is_in_comment, rest) = (end.is_none(), after);
                continue;
            }
            let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
            if !word.is_empty() {
                self.word(word);
            }
            let Some(end) = after.chars().next() else { break };
            rest = &after[end.len_utf8()..];
            self.moves.push(if "{()!?".contains(end) { end } else { ' ' });
            match end {
                '{' => self.is_in_comment = true,
                '(' | ')' => self.is_over = false,
                '*' => self.word("*"),
                ';' => {
                    self.moves.push_str(&format!("{{{}}}", rest.replace('}', ")")));
                    break;
                }
                '$' => {
                    // Another word may touch the number.
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    self.moves.push_str(&format!("${} ", &rest[..digits]));
                    rest = &rest[digits..];
                }
                _ => {}
            }
        }
    }

    /// Takes in a word.
    fn word(&mut self, word: &str) {
        let word = word.replace(DASHES, "-");
        let spelling = SPELLINGS.iter().find(|(other, _)| *other == word);
        let word = spelling.map_or(word.as_str(), |(_, word)| word);
        // A move may touch its number.
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = bare.is_empty() && word.len() <= MAX_DIGITS && !word.starts_with('0');
        let is_sign = !word.contains(|c: char| c.is_alphanumeric() || c == '*');
        let is_late = is_number && word != "1" && !self.has_moves;
        if is_late && !self.tags.to_uppercase().contains("[FEN") || self.is_over && !is_sign {
            self.error.get_or_insert(GameError::Torn);
        }
        self.has_moves |= !is_sign;
        self.is_over = Outcome::from_ascii(word.as_bytes()).is_ok();
        let is_move =
            bare.starts_with(char::is_alphabetic) && SanPlus::from_ascii(bare.as_bytes()).is_ok();
        if is_number || is_sign || is_move || self.is_over {
            self.moves.push_str(word);
        } else {
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            self.moves.push_str(&format!("{{{MARK}{word}}}"));
        }
    }

    /// The game as pgn-reader finds it.
    fn read(self) -> RawGame {
        let text = self.tags + "\n" + &self.moves;
        let mut game = RawGame::default();
        let mut reader =
            Reader::build(text.as_bytes()).set_supported_tag_line_length(MAX_TAG).finish();
        game.error = match reader.read_game(&mut game).and_then(|_| reader.has_more()) {
            Err(error) => Some(GameError::Syntax(error.to_string())),
            Ok(true) => Some(GameError::Tag),
            Ok(false) => self.error,
        };
        game
    }
}

/// Whether a line begins with a tag.
fn is_tag(line: &str) -> bool {
    let name = line.trim_start().strip_prefix('[');
    name.is_some_and(|name| name.trim_start().starts_with(char::is_alphabetic))
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
    let rest = line.strip_prefix("1.");
    rest.is_some_and(|rest| !rest.trim_start().starts_with(['.', '…']))
}

/// Whether a character ends a word: one of those that do for pgn-reader, any white space, or an invisible character.
fn is_end(c: char) -> bool {
    let is_invisible =
        matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    is_invisible || c.is_whitespace() || c.is_control() || "{}()!?$;.*…".contains(c)
}

#[cfg(test)]
mod tests {
    use super::super::raw::Token;
    use super::*;

    /// The tags, moves and comments of each game.
    fn games(text: &str) -> Vec<String> {
        let game = |game: io::Result<RawGame>| {
            let game = game.unwrap();
            let tags = game.tags.iter().map(|(name, value)| format!("{name}={value}"));
            let tokens = game.tokens.iter().map(|token| match token {
                Token::Move(word) => word.clone(),
                Token::Nag(nag) => format!("${nag}"),
                Token::Comment(text) => format!("{{{text}}}"),
                Token::Open => "(".into(),
                Token::Close => ")".into(),
                Token::Result(result) => (*result).to_owned(),
            });
            let error = game.error.map(|error| format!("error: {error}"));
            tags.chain(tokens).chain(error).collect::<Vec<_>>().join(" ")
        };
        Games::new(text.as_bytes()).map(game).collect()
    }

    #[test]
    fn no_word_is_skipped() {
        for (text, meant) in [
            ("1.e4 e5 2. Nf3", "e4 e5 Nf3"),
            ("1...e5 1…e5 2 Nf3 3.. Nc6 .. d4 1e4", "e5 e5 Nf3 Nc6 d4 e4"),
            ("e4! e5?! Nf3!! Nc6?? d4 !?", "e4 $1 e5 $6 Nf3 $3 Nc6 $4 d4 $5"),
            ("Nf3± Nf3= Nf3+- Nf3⩲! O-O# 0-0+", "Nf3 Nf3 Nf3 Nf3 $1 O-O 0-0"),
            ("e8N e8=N+ e7e8q a1/N Bb5++", "e8N e8=N e7e8q a1/N Bb5"),
            ("0−0 0‑0 O—O 00 0=0 4.0-0-0", "0-0 0-0 O-O 00 0=0 0-0-0"),
            ("e4 1-0", "e4 1-0"),
            ("e4 0–1", "e4 0-1"),
            ("e4 1/2", "e4 1/2-1/2"),
            ("e4 ½", "e4 1/2-1/2"),
            ("-- Z0 @@@@ e5*", "-- -- -- e5 *"),
            ("e4$1$14 $3e5 $300", "e4 $1 $14 $3 e5"),
            ("(e4) (e4 (d4) c4)", "( e4 ) ( e4 ( d4 ) c4 )"),
            ("1.\u{a0}e4\u{200b}e5 \u{2028}Nf3", "e4 e5 Nf3"),
            ("e2–e4 ed5 B:b5", "e2-e4 ed5 B:b5"),
            ("e4 {\u{1}e5} e6", "e4 {e5} e6"),
            ("resigns [#] 0 - 0 5254 2-0 ♘f3 е4", "resigns 0 0 5254 2-0 ♘f3 е4"),
            ("1. N f3 }e4", "N f3 e4"),
        ] {
            assert_eq!(games(text), [meant], "{text}");
        }
    }

    #[test]
    fn a_tag_is_read_in_many_forms() {
        for (text, tag) in [
            ("[White \"A\"]", "White=A"),
            ("[FEN\t\"x\"]", "FEN=x"),
            ("[ Event  \"x\" ]", "Event=x"),
            ("[Event\"x\"]", "Event=x"),
            ("[White \"A \"B\" C\"]", "White=A \"B\" C"),
            ("[White \"\"Name\"\"]", "White=\"Name\""),
            ("[White \"a \\\"b\\\" \\\\ c\"]", "White=a \"b\" \\ c"),
            ("[White-Elo \"1\"]", "White-Elo=1"),
            ("[Event \"x]y\"]", "Event=x]y"),
            ("[Event \"\"]", "Event="),
        ] {
            for between in ["\n\n", " ", "\n;by X\n{and Y}\n[Site \"\"]\n"] {
                let [found] = &games(&format!("{text}{between}1. e4 *"))[..] else {
                    panic!("{text}")
                };
                assert!(found.starts_with(tag) && found.ends_with(" e4 *"), "{text}: {found}");
            }
        }
    }

    #[test]
    fn a_tag_that_is_cut_or_not_closed_is_an_error_of_its_game_alone() {
        for tag in [
            "[White \"A\" 1. e4 *",
            "[White \"A 1] 1. e4 *",
            "[White \"A\"\n1. e4 *",
            "[White \"A\n1. e4 *",
            "[White\n\"A\"] 1. e4 *",
            "[\nWhite \"A\"\n] 1. e4 *",
            "[White \"A\nB\"]\n1. e4 *",
            "[foo] 1. e4 *",
        ] {
            let text = format!("{tag}\n\n[Event \"B\"]\n\n1. d4 *");
            let found: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
            let last = found.last().unwrap();
            assert_eq!(last.tag("Event"), Some("B"), "{tag}");
            assert!(last.error.is_none() && last.tokens.len() == 2, "{tag}");
            for broken in &found[..found.len() - 1] {
                let is_stray =
                    matches!(&broken.tokens[..], [Token::Move(word), ..] if word != "e4");
                assert!(broken.error.is_some() || is_stray, "{tag}: {broken:?}");
            }
        }
        let long = format!("[White \"{}\"]\n1. e4 *\n[White \"B\"]\n1. d4 *", "x".repeat(1 << 20));
        let found = games(&long);
        assert_eq!(found[0], "error: unterminated tag");
        assert_eq!(found[1..], ["White=B d4 *"]);
    }

    #[test]
    fn parts_of_two_games_are_an_error() {
        let found = games("1. e4 e5\n[Note \"x\"]\n2. Nf3 *\n\n1. d4 *");
        assert_eq!(
            found,
            ["e4 e5", "Note=x Nf3 * error: a tag or a result among the moves", "d4 *"]
        );
        let torn = "error: a tag or a result among the moves";
        assert_eq!(games("1. e4 e5 * 1. d4 *"), [format!("e4 e5 * d4 * {torn}")]);
        assert_eq!(games("1. e4 e5 *\n{x} 1. d4"), [format!("e4 e5 * {{x}} d4 {torn}")]);
        let fen = "FEN=4k3/8/8/8/8/8/4P3/4K3 b - - 0 7";
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n7... Kd7 *";
        assert_eq!(games(text), [format!("{fen} Kd7 *")]);
    }

    #[test]
    fn comments_alone_are_no_game() {
        assert!(games("{by X}\n\n; and Y\n").is_empty());
        assert!(games("").is_empty() && games(" \n\n%x\n").is_empty());
        let next = games("1. e4 *\n{good}\n\n{next}\n\n[White \"A\"]\n\n1. d4 *");
        assert_eq!(next, ["e4 * {good}", "White=A {next} d4 *"]);
        let open = games("1. e4 *\n\n{next\n\n[White \"A\"]\n\n1. d4 *");
        assert_eq!(open, ["e4 *", "White=A d4 *"]);
    }

    #[test]
    fn white_space_has_no_meaning() {
        for text in [
            "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n",
            "[White \"A\"] 1. e4 e5 2. Nf3 Nc6 1-0",
            "[White \"A\"]\r\n\r\n1. e4\r\n\r\n1. ... e5\r\n\r\n2. Nf3 Nc6\r\n\r\n1-0\r\n",
            "[White \"A\"]\n1. e4\n%escaped d4\ne5\n 2. Nf3\nNc6 1-0",
            "\u{feff}[White \"A\"]\n1.\u{a0}e4\u{b}e5 2. Nf3 Nc6 1-0",
        ] {
            assert_eq!(games(text), ["White=A e4 e5 Nf3 Nc6 1-0"], "{text:?}");
        }
    }

    #[test]
    fn a_game_ends_at_its_result_before_tags_and_before_a_first_move() {
        let two = ["Event=x e4 *", "Event=y d4 *"];
        assert_eq!(games("[Event \"x\"] 1. e4 *\n[Event \"y\"] 1. d4 *\n"), two);
        assert_eq!(games("1. e4 *\n\n1. d4 *"), ["e4 *", "d4 *"]);
        assert_eq!(games("1. e4 1-0\n1. d4 *"), ["e4 1-0", "d4 *"]);
        assert_eq!(games("1. e4 (1. d4 1-0)\ne5 *"), ["e4 ( d4 1-0 ) e5 *"]);
        assert_eq!(games("1. e4 e5\n\n1. d4 d5"), ["e4 e5", "d4 d5"]);
        let tags = "[White \"A\"]\n1. e4\n[White \"B\"]\n\n1. d4 *";
        assert_eq!(games(tags), ["White=A e4", "White=B d4 *"]);
        let empty = "[Event \"A\"]\n\n[Site \"\"]\n\n[Event \"B\"]\n\n";
        assert_eq!(games(empty), ["Event=A Site=", "Event=B"]);
    }

    #[test]
    fn a_comment_may_hold_anything_but_the_next_game() {
        let long = "x 1-0\n[White \"y\"]\n 1. d4 *\n\n1. c4 ".repeat(1000);
        let found = games(&format!("1. e4 {{{long}}} e5 *"));
        let kept = long.replace("\n\n", "\n");
        assert!(found == [format!("e4 {{{}}} e5 *", kept.trim())], "{:.200}", found[0]);
        let open = "1. e4 {never closed\n\n[White \"B\"]\n\n1. d4 {x} *";
        assert_eq!(games(open), ["e4 error: unterminated comment", "White=B d4 {x} *"]);
    }

    #[test]
    fn a_game_without_end_costs_no_other() {
        let long = format!("1. e4 {{{}}}\n1. e4 *\n[White \"B\"]\n1. d4 *", "x".repeat(MAX_LENGTH));
        let found = games(&long);
        assert_eq!(found[0].split(": ").last(), Some("longer than 16 MiB"));
        assert_eq!(found[found.len() - 1], "White=B d4 *");
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
