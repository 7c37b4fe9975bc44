//! The stream of answers.

use std::io::{self, Stdout, Write};

use crate::streams::Patient;

/// A stream of answers to a GUI.
pub trait AnswerStream: Write {
    /// The reader is known to be gone. If that cannot be known, this is false, and the next write
    /// fails.
    fn is_deserted(&self) -> bool {
        false
    }
}

impl<O: AnswerStream> AnswerStream for &mut O {
    fn is_deserted(&self) -> bool {
        (**self).is_deserted()
    }
}

impl AnswerStream for Vec<u8> {}

impl AnswerStream for Patient<Stdout> {
    /// Asks the system whether the other end of the pipe is closed.
    #[cfg(unix)]
    fn is_deserted(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut ends = [PollFd::new(self.get_ref(), PollFlags::empty())];
        let found = poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        found.is_ok() && ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
    }
}

/// Writes `lines`, if there are any, and pushes them out.
pub(super) fn write(output: &mut impl Write, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut text = lines.join("\n");
    text.push('\n');
    output.write_all(text.as_bytes())?;
    output.flush()
}
