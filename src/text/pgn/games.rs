//! Cuts a stream of PGN into games, which pgn-reader reads one by one.
//!
//! Alone, pgn-reader would end a game at any blank line, let a comment that is never closed
//! swallow the games after it, and skip words that it cannot read. So a game ends here, at its
//! result, before tags that cannot be its own, or before a first move after a blank line, and each
//! word that pgn-reader would skip is shown to it as a comment that begins with [`MARK`].

mod draft;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use super::raw::{MARK, RawGame};
use crate::text::encoding::{decode, refuse_utf16};
use draft::Draft;

/// The longest game, in bytes, and so the longest line that is kept.
pub const MAX_LENGTH: usize = 16 << 20;

/// The games of a stream.
pub struct Games<R> {
    input: R,
    draft: Draft,
    /// The line that is being read, and how much of it belongs to earlier games.
    line: String,
    used: usize,
    /// Lines after it that have been looked at already.
    ahead: VecDeque<String>,
}

impl<R: BufRead> Games<R> {
    /// The games of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            draft: Draft::default(),
            line: String::new(),
            used: 0,
            ahead: VecDeque::new(),
        }
    }

    /// The next line; a longer one than a game may be comes in pieces.
    fn read_line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(MAX_LENGTH as u64).read_until(b'\n', &mut bytes)?;
        refuse_utf16(&bytes)?;
        Ok((!bytes.is_empty()).then(|| decode(bytes).replace(MARK, " ")))
    }

    /// Goes on to the next line; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let line = match self.ahead.pop_front() {
            Some(line) => Some(line),
            None => self.read_line()?,
        };
        self.used = 0;
        self.line.clear();
        Ok(line.is_some_and(|line| {
            self.line = line;
            true
        }))
    }

    /// Whether the open comment is closed before another one begins.
    fn is_comment_closed(&mut self) -> io::Result<bool> {
        let brace = |line: &str| line.chars().find(|c| "{}".contains(*c));
        let mut length = self.line.len();
        let mut found = brace(&self.line[self.used..]);
        let mut looked = 0;
        while found.is_none() && length <= MAX_LENGTH {
            if looked == self.ahead.len() {
                let Some(line) = self.read_line()? else { break };
                self.ahead.push_back(line);
            }
            (found, length) = (brace(&self.ahead[looked]), length + self.ahead[looked].len());
            looked += 1;
        }
        Ok(found == Some('}'))
    }

    /// The next game, or `None` at the end.
    fn read(&mut self) -> io::Result<Option<RawGame>> {
        loop {
            if self.used == self.line.len() && !self.advance()? {
                return Ok(std::mem::take(&mut self.draft).read());
            }
            let rest = &self.line[self.used..];
            if self.draft.doubts_comment(rest) {
                let is_closed = self.is_comment_closed()?;
                self.draft.is_comment_closed = Some(is_closed);
                continue;
            }
            let Some(at) = self.draft.add(rest) else {
                self.used = self.line.len();
                continue;
            };
            self.used += at;
            let next = self.draft.split();
            if let Some(game) = std::mem::replace(&mut self.draft, next).read() {
                return Ok(Some(game));
            }
        }
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<RawGame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
