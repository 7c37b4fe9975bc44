//! Result files of long jobs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct OutputError {
    /// The file.
    path: PathBuf,
    /// The error from the system.
    source: io::Error,
}

/// A file is named twice among those that are read and written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: named twice; it would be overwritten", .0.display())]
pub struct Overlap(PathBuf);

/// Checks that no output is an input or another output.
///
/// # Errors
/// [`Overlap`], the first one.
pub fn check_distinct<'a, 'b>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'b Path>,
) -> Result<(), Overlap> {
    let mut taken: Vec<&Path> = inputs.into_iter().collect();
    for path in outputs {
        if taken.iter().any(|other| is_same(path, other)) {
            return Err(Overlap(path.to_owned()));
        }
        taken.push(path);
    }
    Ok(())
}

/// Whether two paths lead to the same file, which may not exist yet. A device is never the same:
/// what is written to it replaces nothing.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let is_device = |path: &Path| path.metadata().is_ok_and(|metadata| !metadata.is_file());
    !is_device(one) && whole(one) == whole(other)
}

/// The absolute path of a file or, if there is none, of where it would be.
fn whole(path: &Path) -> PathBuf {
    let in_folder = |_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        Ok(folder.join(path.file_name().unwrap_or_default()))
    };
    fs::canonicalize(path).or_else(in_folder).unwrap_or_else(|_: io::Error| path.to_owned())
}

/// A file that is opened before a long job, so that an unwritable path is reported at once, and
/// written after it. Until then its content is kept.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: File,
    is_begun: bool,
    /// How much of the content stays.
    kept: u64,
}

impl OutputFile {
    /// Opens the file at `path`, or creates it.
    ///
    /// # Errors
    /// [`OutputError`] when the system refuses.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let opened = OpenOptions::new().create(true).write(true).truncate(false).open(path);
        let path = path.to_owned();
        match opened {
            Ok(file) => Ok(Self { path, file, is_begun: false, kept: 0 }),
            Err(source) => Err(OutputError { path, source }),
        }
    }

    /// Lets the result go on after the first `length` bytes of the file's content, instead of
    /// replacing all of it.
    #[must_use]
    pub fn resume(self, length: u64) -> Self {
        Self { kept: length, ..self }
    }

    /// Replaces the file's content by `content`.
    ///
    /// # Errors
    /// [`OutputError`] when the system refuses.
    pub fn write(mut self, content: &[u8]) -> Result<(), OutputError> {
        self.add(content)
    }

    /// Writes the next piece of a result that comes in pieces; the first replaces the file's
    /// content.
    ///
    /// # Errors
    /// [`OutputError`] when the system refuses.
    pub fn add(&mut self, piece: &[u8]) -> Result<(), OutputError> {
        let cleared = if self.is_begun { Ok(()) } else { self.clear() };
        self.is_begun = true;
        let written = cleared.and_then(|()| self.file.write_all(piece));
        written.map_err(|source| OutputError { path: self.path.clone(), source })
    }

    /// Cuts a regular file to what stays; a pipe or a device has nothing to cut.
    fn clear(&mut self) -> io::Result<()> {
        if self.file.metadata()?.is_file() {
            self.file.set_len(self.kept)?;
            self.file.seek(SeekFrom::Start(self.kept))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_has_many_paths() {
        let folder = std::env::temp_dir().join(format!("heddle-same-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (one, other) = (folder.join("a"), folder.join("b"));
        let detour = folder.join("..").join(folder.file_name().unwrap()).join("a");
        for _ in 0..2 {
            assert!(is_same(&one, &detour) && !is_same(&one, &other));
            fs::write(&one, "it need not be there").unwrap();
        }
        #[cfg(unix)]
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_output_is_neither_an_input_nor_another_output() {
        let [one, two, three] = ["no/one", "no/two", "no/three"].map(Path::new);
        assert!(check_distinct([one], [two, three]).is_ok());
        assert!(check_distinct([one, one], []).is_ok());
        for outputs in [[two, one], [two, two]] {
            let error = check_distinct([one], outputs).unwrap_err().to_string();
            assert!(error.contains("named twice"), "{error}");
        }
    }

    #[test]
    fn a_file_keeps_its_content_until_it_is_written() {
        let path = std::env::temp_dir().join(format!("heddle-output-{}", std::process::id()));
        fs::write(&path, "an older, longer result").unwrap();
        let output = OutputFile::open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "an older, longer result");
        output.write(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_result_in_pieces_replaces_the_content_with_the_first() {
        let path = std::env::temp_dir().join(format!("heddle-pieces-{}", std::process::id()));
        fs::write(&path, "an older, longer result").unwrap();
        let mut output = OutputFile::open(&path).unwrap();
        output.add(b"one ").unwrap();
        output.add(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_result_may_go_on_after_the_beginning_of_another() {
        let path = std::env::temp_dir().join(format!("heddle-resumed-{}", std::process::id()));
        fs::write(&path, "kept and cut").unwrap();
        let mut output = OutputFile::open(&path).unwrap().resume(5);
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept and cut");
        output.add(b"one ").unwrap();
        output.add(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept one two");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_path_that_cannot_be_written_is_named_at_once() {
        let error = OutputFile::open(Path::new("no/such/folder.txt")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write no/such/folder.txt: "), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_device_is_an_error_and_stays_a_device() {
        let path = Path::new("/dev/full");
        let error = OutputFile::open(path).unwrap().write(b"text").unwrap_err().to_string();
        assert!(error.starts_with("cannot write /dev/full: "), "{error}");
        assert!(!fs::metadata(path).unwrap().is_file());
    }
}
