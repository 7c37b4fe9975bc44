//! The lines of a stream, as text, whatever their ends and encoding.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::text::encoding::{decode, refuse_utf16};

/// The longest game, in bytes, and so the longest line that is kept.
pub const MAX_LENGTH: usize = 16 << 20;

/// The lines of a stream, as text.
pub struct Lines<R> {
    input: R,
    /// The number of the last line, from 1.
    pub number: usize,
    /// Lines that have been read but not handed out.
    ahead: VecDeque<String>,
    /// The last line ended in a carriage return, of which a line feed may be the rest.
    is_half: bool,
    is_begun: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input`.
    pub fn new(input: R) -> Self {
        Self { input, number: 0, ahead: VecDeque::new(), is_half: false, is_begun: false }
    }

    /// The next line without its end.
    pub fn next(&mut self) -> io::Result<Option<String>> {
        let line = match self.ahead.pop_front() {
            Some(line) => Some(line),
            None => self.read()?,
        };
        self.number += usize::from(line.is_some());
        Ok(line)
    }

    /// The line that comes `distance` lines after the next.
    pub fn peek(&mut self, distance: usize) -> io::Result<Option<&str>> {
        while self.ahead.len() <= distance {
            let Some(line) = self.read()? else { return Ok(None) };
            self.ahead.push_back(line);
        }
        Ok(self.ahead.get(distance).map(String::as_str))
    }

    /// Reads a line without its end, which is a line feed, a carriage return or both. The part of a line beyond
    /// [`MAX_LENGTH`] is left out.
    fn read(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let mut is_any = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let Some(&first) = buffer.first() else { break };
            if std::mem::take(&mut self.is_half) && first == b'\n' {
                self.input.consume(1);
                continue;
            }
            is_any = true;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = end.unwrap_or(buffer.len());
            let room = (MAX_LENGTH + 1).saturating_sub(bytes.len());
            bytes.extend(&buffer[..length.min(room)]);
            self.is_half = end.is_some_and(|end| buffer[end] == b'\r');
            self.input.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                break;
            }
        }
        if !std::mem::replace(&mut self.is_begun, true) {
            refuse_utf16(&bytes)?;
        }
        Ok(is_any.then(|| decode(bytes)))
    }
}
