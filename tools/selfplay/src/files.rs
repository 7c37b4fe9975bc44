//! Game files: a streaming reader, and appending to the file of an interrupted run.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use heddle_progress::tell;
use tempfile::TempPath;

use crate::format::{HEADER, Record, RecordError, STEP, TERMINATOR};

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;
/// Bytes that encode this many legal moves in a row are certainly the start of a game.
const PROOF: usize = 4;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// Games can only be appended to a regular file.
    #[error("{}: not a regular file", path.display())]
    Irregular {
        /// The file.
        path: PathBuf,
    },
    /// Another run is appending to the file.
    #[error("{}: another run is writing to this file", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file ends with bytes that may be a broken game or something else.
    #[error(
        "{}: the last {bytes} bytes are no complete game, and nothing was changed; append to another file",
        path.display()
    )]
    Unclear {
        /// The file.
        path: PathBuf,
        /// The number of bytes.
        bytes: u64,
    },
    /// Only what the same command has written can be continued.
    #[error("{}: holds other games than rescored positions", path.display())]
    Unrelated {
        /// The file.
        path: PathBuf,
    },
    /// The scores are those of other games.
    #[error("{}: not one score for each quiet position of the games", path.display())]
    Scores {
        /// The file of scores.
        path: PathBuf,
    },
    /// The file is not a file of games, or is damaged.
    #[error("{}: no game at byte {offset}: {source}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The offset at which the game should begin.
        offset: u64,
        /// The fault.
        source: RecordError,
    },
}

/// How much of a file has been read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of complete games.
    pub games: u64,
    /// Number of positions with a score in them.
    pub positions: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// Whether the file ended within another game, which is not counted.
    pub is_truncated: bool,
}

/// Reads the games of a file one after the other. If the file ends within a game, that game is
/// skipped; see [`Extent::is_truncated`].
#[derive(Debug)]
pub struct Reader<R> {
    path: PathBuf,
    input: R,
    extent: Extent,
    /// Where the last game read begins.
    last: u64,
    /// What there is of the truncated game at the end of the file, if its header is complete.
    torn: Option<Record>,
    is_over: bool,
}

/// Opens the file of games at `path`.
///
/// # Errors
/// [`FileError::Io`] if it cannot be opened.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, FileError> {
    let file = File::open(path).map_err(io_error(path))?;
    Ok(Reader::new(path, BufReader::with_capacity(BUFFER, file)))
}

impl<R: BufRead> Reader<R> {
    /// Reads from the start of a game; errors will name `path`.
    pub fn new(path: &Path, input: R) -> Self {
        let path = path.to_owned();
        Self { path, input, extent: Extent::default(), last: 0, torn: None, is_over: false }
    }

    /// What has been read so far.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Where the last game read begins, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.last
    }

    /// The error to return if the last game read turns out to be invalid.
    #[must_use]
    pub fn blame(&self, source: RecordError) -> FileError {
        self.blame_at(self.last, source)
    }

    /// The error to return if the game that begins at `offset` turns out to be invalid.
    #[must_use]
    pub fn blame_at(&self, offset: u64, source: RecordError) -> FileError {
        foreign(&self.path, offset, source)
    }

    /// Tells the user if a truncated game was skipped.
    pub fn warn_of_truncation(&self) {
        if self.extent.is_truncated {
            let path = self.path.display();
            tell(format_args!("{path}: the last game is incomplete and has been left out"));
        }
    }

    /// Reads the next game; `None` at the end, even within a truncated game.
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
                None => {
                    self.torn = Some(record);
                    return Ok(None);
                }
            }
        }
        self.extent.games += 1;
        self.extent.positions += record.positions() as u64;
        self.extent.bytes += record.bytes().len() as u64;
        Ok(Some(record))
    }

    /// Reads the next `N` bytes, unless the file ends first.
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

/// Opens or creates a file to append games, after cutting off a truncated game at its end. Returns
/// the file and its content; [`Extent::is_truncated`] says whether something was cut off. The file
/// stays locked until it is closed, so that no other run can write to it.
///
/// # Errors
/// [`FileError`]; bytes that are not certainly a game are left alone.
pub fn append(path: &Path) -> Result<(File, Extent), FileError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(FileError::Irregular { path: path.to_owned() });
    }
    let mut options = OpenOptions::new();
    let file = options.read(true).append(true).create(true).open(path).map_err(io_error(path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(FileError::Locked { path: path.to_owned() }),
        // A file system without locks can still be written to.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(io_error(path)(error)),
    }
    let mut reader = Reader::new(path, BufReader::with_capacity(BUFFER, &file));
    let mut last = None;
    for record in &mut reader {
        last = Some(record?);
    }
    let (extent, torn) = (reader.extent(), reader.torn.take());
    if extent.is_truncated {
        if !is_ours(last.as_ref(), torn.as_ref()) {
            let length = file.metadata().map_err(io_error(path))?.len();
            let bytes = length - extent.bytes;
            return Err(FileError::Unclear { path: path.to_owned(), bytes });
        }
        file.set_len(extent.bytes).map_err(io_error(path))?;
    }
    Ok((file, extent))
}

/// Whether the bytes at the end of a file are certainly the start of a game: its moves are legal,
/// and it has enough of them or follows a legal game.
fn is_ours(last: Option<&Record>, torn: Option<&Record>) -> bool {
    let is_legal = |game: &Record| game.walk(|_| {}).is_ok();
    match (last, torn) {
        (Some(last), torn) => is_legal(last) && torn.is_none_or(is_legal),
        (None, Some(torn)) => torn.positions() >= PROOF && is_legal(torn),
        (None, None) => false,
    }
}

/// Creates a file in the directory of `path`, to be renamed to it when complete. Dropping its
/// temporary path before that removes it.
///
/// # Errors
/// The error from the system.
pub fn beside(path: &Path) -> io::Result<(File, TempPath)> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    temporary(directory.unwrap_or(Path::new(".")), &name, ".part")
}

/// Creates a file in `directory` whose name has this prefix and suffix.
///
/// # Errors
/// The error from the system.
pub fn temporary(directory: &Path, prefix: &OsStr, suffix: &str) -> io::Result<(File, TempPath)> {
    let mut refused = None;
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(prefix).suffix(suffix).make_in(directory, |path| {
        File::create_new(path).inspect_err(|error| refused = error.raw_os_error())
    });
    // The library's error would name a temporary file that the user does not know.
    let made = made.map_err(|error| refused.map_or(error, io::Error::from_raw_os_error));
    Ok(made?.into_parts())
}

/// The error for a game of the file at `path` that begins at `offset` and is invalid.
pub(super) fn foreign(path: &Path, offset: u64, source: RecordError) -> FileError {
    FileError::Foreign { path: path.to_owned(), offset, source }
}

/// Adds the file's name to a system error.
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
    fn foreign_bytes_are_an_error_that_says_where() {
        let (mut bytes, one) = two_games();
        bytes[one..one + HEADER].fill(b'#');
        let error = read(&bytes).0.unwrap_err();
        assert!(matches!(error, FileError::Foreign { offset, .. } if offset == one as u64));
        assert!(error.to_string().starts_with("games.vf: no game at byte 40: "), "{error}");
    }

    #[test]
    fn only_what_is_certainly_a_game_is_cut_off() {
        let path = std::env::temp_dir().join(format!("heddle-append-{}.vf", std::process::id()));
        let (two, one) = two_games();
        let mut long = Record::new(&Position::default());
        let mut position = Position::default();
        for m in ["e2e4", "e7e5", "g1f3", "b8c6"] {
            let m = position.parse_move(m).unwrap();
            long.push(m, 0);
            position = position.play(m);
        }
        let torn = &long.bytes()[..HEADER + PROOF * STEP + 1];
        let packed = [&two[..HEADER]; 3].concat();
        let illegal = [&two[..], &long.bytes()[..HEADER], b"no move!"].concat();
        for (bytes, wanted) in [
            (&b"note"[..], None),
            (&two[..5], None),
            (&two[..one - 1], None),
            (&packed[..], None),
            (&illegal[..], None),
            (&b""[..], Some(0)),
            (torn, Some(0)),
            (&two[..one + 1], Some(one)),
            (&two[..2 * one - 1], Some(one)),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let found = append(&path).map(|(_, extent)| extent.bytes as usize);
            assert_eq!(found.as_ref().ok(), wanted.as_ref(), "{found:?}");
            let kept = &bytes[..wanted.unwrap_or(bytes.len())];
            assert_eq!(std::fs::read(&path).unwrap(), kept, "{wanted:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_reader_ends_after_an_error() {
        let mut reader = Reader::new(Path::new("text"), &[b'x'; 100][..]);
        assert!(reader.next().unwrap().is_err());
        assert!(reader.next().is_none());
    }
}
