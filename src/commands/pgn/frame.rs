//! Cuts a stream of PGN into games, line by line, so that a broken game harms no other.
//!
//! A game ends at a blank line after its moves, unless that is inside a comment, and before the tags of the
//! next game wherever these come: a comment that is never closed costs one game only.

use std::io::{self, BufRead};

use pgn_reader::{Reader, SanPlus};

/// The longest game, in bytes.
const MAX_LENGTH: usize = 16 << 20;

/// The text of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Which game of the stream it is, from 1.
    pub number: usize,
    /// The line of the stream on which it begins, from 1.
    pub line: usize,
    /// Its lines. Comments up to the end of a line have become comments in braces.
    pub text: String,
    /// The first word that can be no part of a game, with its line in the stream.
    pub stray: Option<(usize, String)>,
}

impl Frame {
    /// A reader of the game that takes comments and tags of any length.
    #[must_use]
    pub fn reader(&self) -> Reader<&[u8]> {
        Reader::build(self.text.as_bytes())
            .set_supported_comment_length(self.text.len())
            .set_supported_tag_line_length(self.text.len())
            .finish()
    }
}

/// The games of a stream.
pub struct Frames<R> {
    input: R,
    /// The first line of the next game, read with the last.
    next: Option<String>,
    /// Lines read.
    lines: usize,
    games: usize,
}

/// What part of a game has been read.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Part {
    Tags,
    Between,
    Moves,
}

impl<R: BufRead> Frames<R> {
    /// The games of `input`.
    #[must_use]
    pub fn new(input: R) -> Self {
        Self { input, next: None, lines: 0, games: 0 }
    }

    /// The next game, if there is one; or the error from the input, or one that says that a game is too
    /// long.
    fn frame(&mut self) -> io::Result<Option<Frame>> {
        let mut frame = Frame { number: self.games + 1, line: 0, text: String::new(), stray: None };
        let mut part = Part::Tags;
        let mut in_comment = false;
        while let Some(line) = self.line(MAX_LENGTH.saturating_sub(frame.text.len()))? {
            let is_blank = line.trim().is_empty();
            let is_tag = is_tag(&line);
            if !in_comment && line.starts_with('%') {
                // No part of the game, but its line counts.
                if frame.line > 0 {
                    frame.text.push('\n');
                }
                continue;
            }
            if is_tag && part != Part::Tags {
                self.next = Some(line);
                self.lines -= 1;
                break;
            }
            if frame.line == 0 {
                if is_blank {
                    continue;
                }
                frame.line = self.lines;
            }
            match part {
                _ if is_blank && part == Part::Moves && !in_comment => break,
                Part::Tags if is_blank => part = Part::Between,
                _ if !is_blank && !is_tag => part = Part::Moves,
                _ => {}
            }
            if part != Part::Moves {
                frame.text.push_str(&line);
            } else {
                let moves = push_movetext(&line, &mut in_comment, &mut frame.text);
                let stray =
                    moves.split([' ', '\t', '\r', '\n', '(', ')']).find(|word| is_stray(word));
                let found = stray.map(|word| (self.lines, word.to_owned()));
                frame.stray = frame.stray.or(found);
            }
        }
        let is_game = !frame.text.trim().is_empty();
        self.games += usize::from(is_game);
        Ok(is_game.then_some(frame))
    }

    /// The next line with its end, as text. What is not UTF-8 is Latin-1, the encoding of the standard.
    fn line(&mut self, room: usize) -> io::Result<Option<String>> {
        if let Some(line) = self.next.take() {
            self.lines += 1;
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let read =
            io::Read::take(&mut self.input, room as u64 + 1).read_until(b'\n', &mut bytes)?;
        if read > room {
            let text = format!("a game is longer than {} MiB", MAX_LENGTH >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.lines += usize::from(read > 0);
        let latin = |error: std::string::FromUtf8Error| {
            error.as_bytes().iter().map(|&byte| char::from(byte)).collect()
        };
        let line = String::from_utf8(bytes).unwrap_or_else(latin);
        Ok((read > 0).then(|| line.trim_start_matches('\u{feff}').to_owned()))
    }
}

impl<R: BufRead> Iterator for Frames<R> {
    type Item = io::Result<Frame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.frame().transpose()
    }
}

/// Whether a line is a tag: `[`, a name, a value in quotes.
fn is_tag(line: &str) -> bool {
    let inside = line.trim_start().strip_prefix('[').unwrap_or_default();
    let rest = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    rest.len() < inside.len() && rest.trim_start().starts_with('"')
}

/// Appends a line of moves to `text` and returns what of it lies outside comments.
fn push_movetext(line: &str, in_comment: &mut bool, text: &mut String) -> String {
    let mut moves = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (end, is_last) = match rest.find(if *in_comment { &['}'][..] } else { &['{', ';'] }) {
            Some(end) => (end, false),
            None => (rest.len(), true),
        };
        text.push_str(&rest[..end]);
        if !*in_comment {
            moves.push_str(&rest[..end]);
        }
        if is_last {
            break;
        }
        if rest[end..].starts_with(';') {
            let comment = rest[end + 1..].trim_end();
            text.push_str(&format!("{{{}}}\n", comment.replace('}', ")")));
            break;
        }
        text.push_str(&rest[end..=end]);
        moves.push(' ');
        *in_comment = !*in_comment;
        rest = &rest[end + 1..];
    }
    moves
}

/// Whether a word among the moves is meant to be a move but cannot be one. Evaluations such as `+-`, results
/// and numbers have no letters.
fn is_stray(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let word = word.split(['!', '?', '$']).next().unwrap_or_default();
    let is_novelty = word.len() == 1;
    let is_move = || SanPlus::from_ascii(word.as_bytes()).is_ok();
    word.contains(|c: char| c.is_ascii_alphabetic()) && !is_novelty && word != "e.p." && !is_move()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<(usize, String)> {
        let frames = Frames::new(text.as_bytes()).map(Result::unwrap);
        let found = frames.zip(1..).map(|(frame, number)| {
            assert_eq!(frame.number, number);
            (frame.line, frame.text)
        });
        found.collect()
    }

    #[test]
    fn games_end_at_blank_lines_and_before_tags() {
        let one = "[White \"A\"]\n\n1. e4 *\n";
        let two = "[White \"B\"]\n\n1. d4 *\n";
        assert_eq!(frames(&format!("\n{one}\n\n{two}")), [(2, one.into()), (7, two.into())]);
        assert_eq!(frames(&format!("{one}{two}")), [(1, one.into()), (4, two.into())]);
        assert_eq!(frames("1. e4 *\n\n1. d4 *"), [(1, "1. e4 *\n".into()), (3, "1. d4 *".into())]);
        assert_eq!(frames("[White \"A\"]\n\n[White \"B\"]\n\n").len(), 2);
        assert!(frames("").is_empty() && frames(" \n\n").is_empty());
    }

    #[test]
    fn a_comment_may_hold_blank_lines_but_not_the_next_game() {
        let comment = "1. e4 {a\n\n[%clk 0:01]\n\n} *\n";
        assert_eq!(frames(comment), [(1, comment.into())]);
        let open = "1. e4 {never closed\n\n";
        let next = "[White \"B\"]\n\n1. d4 *\n";
        assert_eq!(frames(&format!("{open}{next}")), [(1, open.into()), (3, next.into())]);
    }

    #[test]
    fn comments_to_the_end_of_a_line_become_braces_and_escaped_lines_go() {
        let found = frames("1. e4 ; the {best} by test\n%escaped Nf9\ne5 *\n");
        assert_eq!(found, [(1, "1. e4 { the {best) by test}\n\ne5 *\n".into())]);
        let (one, two) = ("[White \"A\"]\n\n\n1. e4 *\n", "[White \"B\"]\n\n1. d4 *\n");
        let text = "% made by X\n[White \"A\"]\n%\n\n1. e4 *\n\n% next\n".to_owned() + two;
        assert_eq!(frames(&text), [(2, one.into()), (8, two.into())]);
    }

    #[test]
    fn text_that_is_not_utf8_is_latin() {
        let text = |bytes: &[u8]| Frames::new(bytes).next().unwrap().unwrap().text;
        assert_eq!(text(b"[White \"M\xfcller\"]\n"), "[White \"Müller\"]\n");
        assert_eq!(text("\u{feff}[White \"Müller\"]\n".as_bytes()), "[White \"Müller\"]\n");
    }

    #[test]
    fn a_word_that_is_no_move_is_named_with_its_line() {
        let stray = |text: &str| Frames::new(text.as_bytes()).next().unwrap().unwrap().stray;
        assert_eq!(stray("1. e4 e5\n2. Nf9 {x} *\n"), Some((2, "Nf9".into())));
        assert_eq!(stray("1. e4 (1. resigns) *\n"), Some((1, "resigns".into())));
        let fine = "1.e4!? $14 e5$1 2.O-O-O+ 0-0 (2... Nbxd7#) e8=Q+!! += N +- {words} ; more\n\
                    10... -- Z0 exd6 e.p. 1/2-1/2";
        assert_eq!(stray(fine), None);
    }

    #[test]
    fn a_game_without_end_is_refused() {
        let mut frames = Frames::new(io::BufReader::new(io::repeat(b'x')));
        assert!(frames.next().unwrap().unwrap_err().to_string().contains("longer than"));
    }
}
