//! Files of games: a streaming reader, and appending to what a broken run has left.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::format::{HEADER, Record, RecordError, STEP, TERMINATOR};

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system says so.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something else, or has been damaged.
    #[error("{}: not a game at byte {offset}: {source}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Where the game should begin.
        offset: u64,
        /// What is wrong there.
        source: RecordError,
    },
}

/// The games of a stream, one after the other.
pub struct Reader<R> {
    input: R,
    whole: u64,
    is_truncated: bool,
    is_over: bool,
}

/// Why a stream gives no further game.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next bytes are no game.
    #[error(transparent)]
    Foreign(#[from] RecordError),
}

impl<R: BufRead> Reader<R> {
    /// Reads from the beginning of a game.
    pub fn new(input: R) -> Self {
        Self { input, whole: 0, is_truncated: false, is_over: false }
    }

    /// Bytes of the games that have been read whole.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.whole
    }

    /// The stream has ended within a game, which has been left out.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The next game; `None` at the end, even if that lies within a game.
    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let Some(header) = self.array::<HEADER>()? else { return Ok(None) };
        let mut record = Record::from_header(&header)?;
        loop {
            match self.array::<STEP>()? {
                Some(TERMINATOR) => break,
                Some(step) => record.push_raw(step),
                None => return Ok(None),
            }
        }
        self.whole += record.bytes().len() as u64;
        Ok(Some(record))
    }

    /// The next `N` bytes, unless the stream ends before.
    fn array<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_truncated = true;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let item = self.read().transpose();
        self.is_over = !matches!(item, Some(Ok(_)));
        item
    }
}

/// What [`for_each`] has read of a file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Whole games.
    pub games: u64,
    /// Positions with a score in them.
    pub positions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The file ends within a further game.
    pub is_truncated: bool,
}

/// The games of a file.
///
/// # Errors
/// [`FileError::Io`], if it cannot be opened.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, FileError> {
    let file = File::open(path).map_err(io_error(path))?;
    Ok(Reader::new(BufReader::with_capacity(BUFFER, file)))
}

/// Shows every whole game of a file to `visit`.
///
/// # Errors
/// [`FileError`], if the file cannot be read or holds something else, and what `visit` finds wrong
/// with a game.
pub fn for_each(
    path: &Path,
    mut visit: impl FnMut(Record) -> Result<(), RecordError>,
) -> Result<Extent, FileError> {
    let mut reader = open(path)?;
    let mut extent = Extent::default();
    let foreign = |offset, source| FileError::Foreign { path: path.to_owned(), offset, source };
    while let Some(record) = reader.next() {
        let record = record.map_err(|error| match error {
            ReadError::Io(source) => FileError::Io { path: path.to_owned(), source },
            ReadError::Foreign(source) => foreign(extent.bytes, source),
        })?;
        let positions = record.positions() as u64;
        visit(record).map_err(|source| foreign(extent.bytes, source))?;
        extent.games += 1;
        extent.positions += positions;
        extent.bytes = reader.offset();
    }
    extent.is_truncated = reader.is_truncated();
    Ok(extent)
}

/// Opens a file, new or not, to append games, after cutting off a game that it ends within.
/// Returns what it holds; `is_truncated` says that something was cut off.
///
/// # Errors
/// [`FileError`]; a file that holds something else stays as it was.
pub fn append(path: &Path) -> Result<(File, Extent), FileError> {
    let open = || OpenOptions::new().append(true).create(true).open(path);
    let file = open().map_err(io_error(path))?;
    let extent = for_each(path, |_| Ok(()))?;
    if extent.is_truncated {
        file.set_len(extent.bytes).map_err(io_error(path))?;
    }
    Ok((file, extent))
}

/// Names the file that an error of the system is about.
pub(super) fn io_error(path: &Path) -> impl Fn(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Io { path: path.clone(), source }
}

/// Appends a game to `output`, in one write, so that a kill leaves it whole or cut off.
pub(super) fn write(mut output: impl Write, record: &Record) -> io::Result<()> {
    output.write_all(record.bytes())
}
