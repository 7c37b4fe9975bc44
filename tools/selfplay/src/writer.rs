//! Files that get their names when they are complete.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::TempPath;

use crate::files::{self, FileError};

/// A new file of games or rows, which gets its name when complete: a failure leaves nothing behind.
pub struct Writer<'a> {
    path: &'a Path,
    output: BufWriter<File>,
    temporary: TempPath,
    /// Number of games or rows.
    items: u64,
}

impl<'a> Writer<'a> {
    /// Refuses to replace an existing file.
    ///
    /// # Errors
    /// [`FileError::Io`] if there is one, or none can be made.
    pub fn create(path: &'a Path) -> Result<Self, FileError> {
        if path.symlink_metadata().is_ok() {
            return Err(files::io_error(path)(io::ErrorKind::AlreadyExists.into()));
        }
        let (file, temporary) = files::beside(path).map_err(files::io_error(path))?;
        Ok(Self { path, output: BufWriter::new(file), temporary, items: 0 })
    }

    /// Appends a game or a row.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&mut self, item: &[u8]) -> Result<(), FileError> {
        self.items += 1;
        self.output.write_all(item).map_err(files::io_error(self.path))
    }

    /// Gives the file its name, unless it has been taken meanwhile.
    fn persist(self) -> io::Result<()> {
        let file = self.output.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(self.temporary.persist_noclobber(self.path)?)
    }
}

/// Gives all files their names, or none if one of them cannot be finished, and prints how many
/// `items` they contain.
///
/// # Errors
/// [`FileError::Io`].
pub fn finish(mut writers: Vec<Writer>, items: &str) -> Result<(), FileError> {
    for writer in &mut writers {
        writer.output.flush().map_err(files::io_error(writer.path))?;
    }
    let files: Vec<_> = writers.iter().map(|writer| (writer.path, writer.items)).collect();
    for (index, writer) in writers.into_iter().enumerate() {
        let path = writer.path;
        if let Err(error) = writer.persist() {
            files[..index].iter().for_each(|(earlier, _)| drop(fs::remove_file(earlier)));
            return Err(files::io_error(path)(error));
        }
    }
    files
        .iter()
        .try_for_each(|(path, count)| say(format_args!("{}: {count} {items}\n", path.display())))
}

/// Writes to standard output, which may be closed or full.
///
/// # Errors
/// [`FileError::Io`].
pub fn say(text: impl Display) -> Result<(), FileError> {
    write!(heddle::streams::output(), "{text}")
        .map_err(files::io_error(Path::new("standard output")))
}
