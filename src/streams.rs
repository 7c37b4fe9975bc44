//! The standard streams of the program.
//!
//! Whoever shares a terminal or a pipe with us may have made it non-blocking, which holds for us
//! as well. The system then says that a stream is not ready, which is neither its end nor an
//! error: we wait until it is.

use std::io::{self, Read, Stderr, Stdin, Stdout, Write};

/// A stream that is waited for.
#[derive(Debug)]
pub struct Patient<S>(S);

/// The standard input.
pub fn input() -> Patient<Stdin> {
    Patient(io::stdin())
}

/// The standard output.
pub fn output() -> Patient<Stdout> {
    Patient(io::stdout())
}

/// The standard error.
pub fn errors() -> Patient<Stderr> {
    Patient(io::stderr())
}

impl<S> Patient<S> {
    /// A stream that may be non-blocking.
    pub fn new(stream: S) -> Self {
        Self(stream)
    }

    /// The stream.
    pub fn get_ref(&self) -> &S {
        &self.0
    }
}

impl<S: Read + Awaited> Read for Patient<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(bytes) {
                Err(error) if is_early(&error) => self.0.wait(Direction::In)?,
                result => return result,
            }
        }
    }
}

// A failed `write` of a buffered stream has taken nothing, and a failed `flush` keeps the rest.
impl<S: Write + Awaited> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if is_early(&error) => self.0.wait(Direction::Out)?,
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        loop {
            match self.0.flush() {
                Err(error) if is_early(&error) => self.0.wait(Direction::Out)?,
                result => return result,
            }
        }
    }
}

fn is_early(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// What a stream is waited for.
#[derive(Copy, Clone, Debug)]
pub enum Direction {
    /// Bytes to read.
    In,
    /// Room to write.
    Out,
}

/// A stream that can be waited for.
pub trait Awaited {
    /// Waits until it can be read or written, or has failed.
    ///
    /// # Errors
    /// The error from the system.
    fn wait(&self, direction: Direction) -> io::Result<()>;
}

#[cfg(unix)]
impl<S: std::os::fd::AsFd> Awaited for S {
    fn wait(&self, direction: Direction) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, poll};
        let events = match direction {
            Direction::In => PollFlags::IN,
            Direction::Out => PollFlags::OUT,
        };
        match poll(&mut [PollFd::new(self, events)], None) {
            // A signal: the caller tries again.
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
impl<S> Awaited for S {
    fn wait(&self, _: Direction) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;

    #[test]
    fn a_stream_that_is_not_ready_is_waited_for() {
        let (one, mut other) = UnixStream::pair().unwrap();
        one.set_nonblocking(true).unwrap();
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|n| n as u8).collect();
        let wanted = bytes.clone();
        let reader = thread::spawn(move || {
            let mut read = vec![0; wanted.len()];
            other.read_exact(&mut read).unwrap();
            assert!(read == wanted);
            other.write_all(b"heard").unwrap();
        });
        let mut patient = Patient::new(one);
        patient.write_all(&bytes).unwrap();
        patient.flush().unwrap();
        let mut answer = String::new();
        patient.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "heard");
        reader.join().unwrap();
    }

    #[test]
    fn the_end_of_a_stream_ends_the_waiting() {
        let (one, other) = UnixStream::pair().unwrap();
        one.set_nonblocking(true).unwrap();
        drop(other);
        let mut patient = Patient::new(one);
        assert_eq!(patient.read(&mut [0]).unwrap(), 0);
        assert!(patient.write_all(&[0; 10]).is_err());
    }
}
