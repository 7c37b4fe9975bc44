//! Output files: checked before the long work, with a fallback after it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::{env, iter};

use heddle_selfplay::{beside, temporary};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// The error from the system.
    pub source: io::Error,
}

/// A destination for a result, known to be writable.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// A regular file, existing or not, is replaced when the new one is complete. The path contains
    /// no links.
    Replace(PathBuf),
    /// Anything else is written in place: a pipe, a device, a file whose directory is read-only.
    Through(File),
}

impl Destination {
    /// Checks that `path` can be written, without changing what is there. A pipe is opened, which
    /// waits for a reader.
    ///
    /// # Errors
    /// [`OutputError`].
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let path = path.to_owned();
        match Way::find(&path) {
            Ok(way) => Ok(Self { path, way }),
            Err(source) => Err(OutputError { path, source }),
        }
    }

    /// Writes the result, replacing what is there.
    ///
    /// # Errors
    /// [`OutputError`]; an older file is then still there.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = match &mut self.way {
            Way::Replace(target) => replace(target, bytes),
            Way::Through(file) => overwrite(file, bytes),
        };
        written.map_err(|source| OutputError { path: self.path.clone(), source })
    }
}

impl Way {
    fn find(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true);
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => {
                let (target, file) = (fs::canonicalize(path)?, options.open(path)?);
                Ok(beside(&target).map_or(Self::Through(file), |_| Self::Replace(target)))
            }
            Ok(_) => options.open(path).map(Self::Through),
            // A dangling link: the file that it names is created.
            Err(_) if path.is_symlink() => options.create(true).open(path).map(Self::Through),
            Err(_) => beside(path).map(|_| Self::Replace(path.to_owned())),
        }
    }
}

/// Replaces `path` by a file with these bytes atomically, so that there is always a complete one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, temporary) = beside(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(temporary.persist(path)?)
}

fn overwrite(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if file.metadata()?.is_file() {
        file.rewind()?;
        file.set_len(0)?;
    }
    file.write_all(bytes)
}

/// Writes a result that could not be written to its destination to a new file, in the current
/// directory or else in the one for temporary files, and returns its path.
///
/// # Errors
/// The error from the system, if that fails as well.
pub fn rescue(bytes: &[u8], suffix: &str) -> io::Result<PathBuf> {
    let directories = env::current_dir().into_iter().chain(iter::once(env::temp_dir()));
    let mut last = Err(io::ErrorKind::NotFound.into());
    for directory in directories {
        last = keep(&directory, bytes, suffix);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn keep(directory: &Path, bytes: &[u8], suffix: &str) -> io::Result<PathBuf> {
    let (mut file, path) = temporary(directory, "rescued-".as_ref(), suffix)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(path.keep()?)
}
