//! Files of games: a streaming reader, and appending to what a broken run has left.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::format::{HEADER, Record, RecordError, STEP, TERMINATOR};

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
    #[error("{}: no game at byte {offset}: {source}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Where the game should begin.
        offset: u64,
        /// What is wrong there.
        source: RecordError,
    },
}

/// What has been read of a file.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Whole games.
    pub games: u64,
    /// Positions with a score in them.
    pub positions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The file ended within a further game, which has been left out.
    pub is_truncated: bool,
}

/// The games of a file, one after the other. A file that ends within a game ends before it, see
/// [`Extent::is_truncated`].
#[derive(Debug)]
pub struct Reader<R> {
    path: PathBuf,
    input: R,
    extent: Extent,
    /// Where the game read last begins.
    last: u64,
    is_over: bool,
}

/// The games of the file at `path`.
///
/// # Errors
/// [`FileError::Io`], if it cannot be opened.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, FileError> {
    let file = File::open(path).map_err(io_error(path))?;
    Ok(Reader::new(path, BufReader::with_capacity(BUFFER, file)))
}

impl<R: BufRead> Reader<R> {
    /// Reads from the beginning of a game; errors will name `path`.
    pub fn new(path: &Path, input: R) -> Self {
        let path = path.to_owned();
        Self { path, input, extent: Extent::default(), last: 0, is_over: false }
    }

    /// What has been read so far.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The error to return if the game read last proves to be none.
    #[must_use]
    pub fn blame(&self, source: RecordError) -> FileError {
        FileError::Foreign { path: self.path.clone(), offset: self.last, source }
    }

    /// The next game; `None` at the end, even if that lies within a game.
    fn read(&mut self) -> Result<Option<Record>, FileError> {
        self.last = self.extent.bytes;
        if self.input.fill_buf().map_err(io_error(&self.path))?.is_empty() {
            return Ok(None);
        }
        let Some(header) = self.array::<HEADER>()? else { return Ok(None) };
        let mut record = Record::from_header(&header).map_err(|source| self.blame(source))?;
        loop {
            match self.array::<STEP>()? {
                Some(TERMINATOR) => break,
                Some(step) => record.push_raw(step),
                None => return Ok(None),
            }
        }
        self.extent.games += 1;
        self.extent.positions += record.positions() as u64;
        self.extent.bytes += record.bytes().len() as u64;
        Ok(Some(record))
    }

    /// The next `N` bytes, unless the file ends before.
    fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, FileError> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.extent.is_truncated = true;
                Ok(None)
            }
            Err(error) => Err(io_error(&self.path)(error)),
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let item = self.read().transpose();
        self.is_over = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Opens a file, new or not, to append games, after cutting off a game that it ends within.
/// Returns what it holds; [`Extent::is_truncated`] says that something was cut off.
///
/// # Errors
/// [`FileError`]; a file that holds something else stays as it was.
pub fn append(path: &Path) -> Result<(File, Extent), FileError> {
    let file = OpenOptions::new().append(true).create(true).open(path).map_err(io_error(path))?;
    let mut reader = open(path)?;
    for record in &mut reader {
        record?;
    }
    let extent = reader.extent();
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

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::position::Position;

    fn two_games() -> (Vec<u8>, usize) {
        let position = Position::default();
        let mut record = Record::new(&position);
        record.push(position.parse_move("e2e4").unwrap(), 31);
        let one = record.bytes().to_vec();
        ([one.clone(), one.clone()].concat(), one.len())
    }

    fn read(bytes: &[u8]) -> (Result<Vec<Record>, FileError>, Extent) {
        let mut reader = Reader::new(Path::new("games.vf"), bytes);
        (reader.by_ref().collect(), reader.extent())
    }

    #[test]
    fn a_cut_tail_is_left_out_wherever_the_cut_is() {
        let (bytes, one) = two_games();
        for cut in 0..=bytes.len() {
            let (records, extent) = read(&bytes[..cut]);
            let whole = cut / one;
            assert_eq!(records.unwrap().len(), whole);
            assert_eq!((extent.games, extent.bytes), (whole as u64, (whole * one) as u64));
            assert_eq!(extent.is_truncated, !cut.is_multiple_of(one), "{cut}");
        }
    }

    #[test]
    fn what_is_no_game_is_an_error_with_its_place() {
        let (mut bytes, one) = two_games();
        bytes[one..one + HEADER].fill(b'#');
        let error = read(&bytes).0.unwrap_err();
        assert!(matches!(error, FileError::Foreign { offset, .. } if offset == one as u64));
        assert!(error.to_string().starts_with("games.vf: no game at byte 40: "), "{error}");
    }

    #[test]
    fn a_reader_ends_after_an_error() {
        let mut reader = Reader::new(Path::new("text"), &[b'x'; 100][..]);
        assert!(reader.next().unwrap().is_err());
        assert!(reader.next().is_none());
    }
}
