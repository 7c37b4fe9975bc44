//! The thread that reads.

use std::io::{self, BufRead, Read};

use super::protocol::Message;
use super::{Inbox, command, post_in_turn};
use crate::paths;

/// The longest line that is read, in bytes; a longer one is skipped with a notice.
const MAX_LINE: u64 = 1 << 20;

/// Sends every line of `input` until it ends, or a line is `quit`, or nobody receives them.
pub(super) fn read(mut input: impl BufRead, inbox: &Inbox) {
    while let Ok(Some(message)) = read_line(&mut input) {
        let (length, is_last) = match &message {
            Message::Line(line) => (line.len(), is_quit(line)),
            _ => (0, false),
        };
        if !post_in_turn(inbox, message, length) || is_last {
            return;
        }
    }
    post_in_turn(inbox, Message::EndOfInput, 0);
}

fn is_quit(line: &str) -> bool {
    command::skip_unknown(line).1.split_whitespace().next() == Some("quit")
}

/// The next line, or `None` at the end. Bytes that are not UTF-8 may be part of a path.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut line = Vec::new();
    if Read::take(&mut *input, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Message::LongLine));
    }
    Ok(Some(Message::Line(paths::decode(&line))))
}
