//! The debug log: a file to which every line of the protocol is appended, with the prefixes of
//! Stockfish's.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};

use crate::paths;

/// Begins a line from the GUI, ...
const RECEIVED: &str = ">> ";
/// ... and one to it.
const SENT: &str = "<< ";

/// The log cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the debug log {name}: {error}")]
pub(super) struct LogError {
    name: String,
    error: io::Error,
}

/// The file, if there is one.
#[derive(Default)]
pub(super) struct DebugLog {
    /// What the option says; empty for no file.
    name: String,
    file: Option<File>,
}

impl DebugLog {
    /// Writes to the file with this name from now on, or to none if the name is empty.
    ///
    /// # Errors
    /// [`LogError`]; there is no log then.
    pub fn follow(&mut self, name: &str) -> Result<(), LogError> {
        if name == self.name {
            return Ok(());
        }
        *self = Self::default();
        if !name.is_empty() {
            let file = open(name).map_err(|error| LogError { name: name.to_owned(), error })?;
            *self = Self { name: name.to_owned(), file: Some(file) };
        }
        Ok(())
    }

    /// Adds a line from the GUI.
    pub fn received(&mut self, line: &str) {
        self.add(RECEIVED, line);
    }

    /// Adds lines to the GUI.
    pub fn sent(&mut self, lines: &[String]) {
        for line in lines {
            self.add(SENT, line);
        }
    }

    fn add(&mut self, prefix: &str, text: &str) {
        let Some(file) = &mut self.file else { return };
        let lines: String = text.lines().map(|line| format!("{prefix}{line}\n")).collect();
        // What a full disk does not take is lost to the log alone.
        let _ = file.write_all(&paths::os_string(&lines).into_encoded_bytes());
    }
}

/// Opens a file to append to. Nobody waits for the reader of a pipe.
fn open(name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(paths::path(name))
}
