//! Files as they are given to a command: compressed or not, or the standard input.
//!
//! The system's `gzip` and `zstd` unpack: a program that plays chess needs no code of its own for
//! that.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::streams;

/// The name of the standard input.
pub const STANDARD_INPUT: &str = "-";

/// Formats that are unpacked: how a file begins, and the program for it.
const PACKED: [(&[u8], &str); 2] = [(b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd")];
/// The longest of these beginnings.
const LONGEST: u64 = 4;

/// Opens a file, or the standard input for `-`.
///
/// # Errors
/// The error from the system; also when a file is compressed and cannot be unpacked.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Box::new(BufReader::new(streams::input())));
    }
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    (&mut file).take(LONGEST).read_to_end(&mut start)?;
    let packed = PACKED.iter().find(|(begin, _)| start.starts_with(begin));
    let is_rewound = file.rewind().is_ok();
    Ok(match packed {
        Some((_, program)) if is_rewound => Box::new(BufReader::new(Unpacked::new(program, file)?)),
        _ if is_rewound => Box::new(BufReader::new(file)),
        // A pipe.
        _ => Box::new(BufReader::new(Cursor::new(start).chain(file))),
    })
}

/// What a program makes of a compressed file.
struct Unpacked {
    program: &'static str,
    process: Child,
    output: ChildStdout,
}

impl Unpacked {
    fn new(program: &'static str, file: File) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("-dc").stdin(file).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error| {
            let text = format!("it is compressed, and {program} cannot be run: {error}");
            io::Error::new(io::ErrorKind::Unsupported, text)
        };
        let mut process = command.spawn().map_err(failed)?;
        let output = process.stdout.take().expect("it was asked for a pipe");
        Ok(Self { program, process, output })
    }

    /// The error of a program that has failed.
    fn end(&mut self) -> io::Result<()> {
        if self.process.wait()?.success() {
            return Ok(());
        }
        let mut said = String::new();
        if let Some(errors) = self.process.stderr.take() {
            errors.take(1 << 10).read_to_string(&mut said)?;
        }
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or(self.program);
        Err(io::Error::new(io::ErrorKind::InvalidData, said.trim().to_owned()))
    }
}

impl Read for Unpacked {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.output.read(bytes)? {
            0 if !bytes.is_empty() => self.end().map(|()| 0),
            count => Ok(count),
        }
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(path: &Path) -> io::Result<String> {
        let mut text = String::new();
        open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn a_compressed_file_is_unpacked_or_refused() {
        let folder = std::env::temp_dir().join(format!("heddle-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = "1. e4 e5 *\n".repeat(20_000);
        for program in ["gzip", "zstd"] {
            let plain = folder.join("plain");
            fs::write(&plain, &text).unwrap();
            assert_eq!(read(&plain).unwrap(), text);
            let packed =
                Command::new(program).arg("-c").stdin(File::open(&plain).unwrap()).output();
            let Ok(packed) = packed else {
                println!("skipped: no {program}");
                continue;
            };
            let path = folder.join(program);
            fs::write(&path, &packed.stdout).unwrap();
            assert_eq!(read(&path).unwrap(), text);
            drop(open(&path).unwrap());
            fs::write(&path, &packed.stdout[..packed.stdout.len() / 2]).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(!error.contains('\n') && !error.is_empty(), "{error}");
        }
        for short in ["", "\u{1}", "abc"] {
            fs::write(folder.join("short"), short).unwrap();
            assert_eq!(read(&folder.join("short")).unwrap(), short);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
