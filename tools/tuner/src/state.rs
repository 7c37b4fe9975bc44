//! The file that keeps the state of a tuning.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use heddle_selfplay::beside;

use crate::session::{Plan, Session};

/// A state could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file is not a state, or is damaged.
    #[error("{}: not a state of this tuner: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another run keeps its state in the file.
    #[error("{}: another run is writing to this file", .0.display())]
    Locked(PathBuf),
    /// The file is the state of another tuning.
    #[error("{}: another tuning: {difference}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
}

/// Reads the state at `path`.
///
/// # Errors
/// [`StateError`].
pub fn load(path: &Path) -> Result<Session, StateError> {
    let bytes = fs::read(path).map_err(|source| io_error(path, source))?;
    Session::parse(&bytes).map_err(|reason| StateError::Foreign { path: path.to_owned(), reason })
}

fn io_error(path: &Path, source: io::Error) -> StateError {
    StateError::Io { path: path.to_owned(), source }
}

/// A state that this run alone writes.
pub struct StateFile {
    path: PathBuf,
    /// The file as it was written or found last, which is locked.
    held: Option<File>,
}

impl StateFile {
    /// Takes the file at `path`, and reads the state there, which is to be continued. If there is
    /// none, a new one begins, and no file is made yet.
    ///
    /// # Errors
    /// [`StateError`], also when the state there is that of another plan.
    pub fn open(path: &Path, plan: Plan) -> Result<(Self, Session), StateError> {
        let held = match File::open(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io_error(path, error)),
        };
        let path = path.to_owned();
        let Some(file) = &held else { return Ok((Self { path, held }, Session::new(plan))) };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StateError::Locked(path)),
            Err(TryLockError::Error(error)) => return Err(io_error(&path, error)),
        }
        // Another run may have replaced it just before, and now writes the new one.
        if !is_at(file, &path).map_err(|error| io_error(&path, error))? {
            return Err(StateError::Locked(path));
        }
        let session = load(&path)?;
        match plan.difference(&session.plan) {
            Some(difference) => Err(StateError::Other { path, difference }),
            None => Ok((Self { path, held }, session)),
        }
    }

    /// Replaces the state atomically, so that there is always a complete one. The first state of a
    /// run that found none replaces nothing.
    ///
    /// # Errors
    /// [`StateError`]; an older state is then still there.
    pub fn save(&mut self, session: &Session) -> Result<(), StateError> {
        let replace = || -> io::Result<File> {
            let bytes = serde_json::to_vec(session)?;
            let (mut file, temporary) = beside(&self.path)?;
            file.lock()?; // before others can see it
            file.write_all(&bytes)?;
            file.sync_all()?;
            if self.held.is_some() {
                temporary.persist(&self.path)?;
            } else {
                temporary.persist_noclobber(&self.path)?;
            }
            Ok(file)
        };
        self.held = Some(replace().map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => StateError::Locked(self.path.clone()),
            _ => io_error(&self.path, source),
        })?);
        Ok(())
    }
}

/// Whether the open `file` is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, fs::metadata(path)?);
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Whether the open `file` is the one at `path`: elsewhere an open file is not replaced.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let lines = ["A, int, 30, 0, 100, 5, 0.002", "B, int, -24, -80, -5, 3.75, 0.002"];
        let parameters = lines.map(|line| line.parse().unwrap()).into();
        Plan { signature: 77, parameters, nodes: 5000, pairs: 1000, seed: 1, openings: None }
    }

    /// A session after three pairs, with a fourth under way.
    fn begun() -> Session {
        let mut session = Session::new(plan());
        for result in [2, -1, 1] {
            let trial = session.take().unwrap();
            session.finish(&trial, result);
        }
        session.take().unwrap();
        session
    }

    type Change = fn(&mut Plan);

    fn save(path: &Path, session: &Session) {
        StateFile { path: path.to_owned(), held: None }.save(session).unwrap();
    }

    fn resume(path: &Path, plan: Plan) -> Result<Session, StateError> {
        StateFile::open(path, plan).map(|(_, session)| session)
    }

    /// A file for one test.
    fn file(test: &str) -> PathBuf {
        std::env::temp_dir().join(format!("heddle-session-{test}-{}", std::process::id()))
    }

    #[test]
    fn a_state_is_read_back_to_the_last_bit() {
        let path = file("round-trip");
        let session = begun();
        save(&path, &session);
        let mut read = resume(&path, plan()).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(read.played(), 3);
        assert_eq!((&read.values, &read.path), (&session.values, &session.path));
        let numbers = [read.take(), read.take()].map(|trial| trial.unwrap().number);
        assert_eq!(numbers, [3, 4], "the pair under way is played first");
    }

    #[test]
    fn the_state_of_another_tuning_is_refused() {
        let path = file("other");
        save(&path, &begun());
        let refusal = |change: Change| {
            let mut plan = plan();
            change(&mut plan);
            resume(&path, plan).unwrap_err().to_string()
        };
        let cases: [(Change, &str); 7] = [
            (|p| p.signature = 78, "it belongs to an engine of signature 77, not 78"),
            (|p| p.parameters.truncate(1), "it tunes other parameters"),
            (|p| p.parameters[1].greatest = 0, "B has another default, bound, step or rate"),
            (|p| p.nodes = 100, "its nodes are 5000, not 100"),
            (|p| p.pairs = 2000, "its pairs are 1000, not 2000"),
            (|p| p.seed = 2, "its seed is 1, not 2"),
            (|p| p.openings = Some("o.epd".into()), "its openings are random, not o.epd"),
        ];
        for (change, said) in cases {
            let wanted = format!("{}: another tuning: {said}", path.display());
            assert_eq!(refusal(change), wanted);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_no_state_is_refused_and_kept() {
        let path = file("broken");
        let text = serde_json::to_string(&begun()).unwrap();
        let broken = [
            String::new(),
            text[..text.len() / 2].to_owned(),
            text.replace("heddle-tune 1", "heddle-tune 0"),
            text.replace("\"least\":0", "\"least\":60"),
            text.replace("\"values\":[30.0,", "\"values\":[130.0,"),
            text.replace("\"values\":[30.0,", "\"values\":["),
            text.replace("\"open\":[3]", "\"open\":[4]"),
            text.replace("\"next\":4", "\"next\":4000"),
        ];
        for broken in broken {
            assert_ne!(broken, text);
            fs::write(&path, &broken).unwrap();
            let said = resume(&path, plan()).unwrap_err().to_string();
            assert!(said.contains(": not a state of this tuner: "), "{said}");
            assert!(!said.contains('\n'), "{said}");
            assert_eq!(fs::read_to_string(&path).unwrap(), broken);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_state_that_cannot_be_written_is_an_error() {
        let (mut file, session) = StateFile::open(Path::new("/nowhere/tune.json"), plan()).unwrap();
        let said = file.save(&session).unwrap_err().to_string();
        assert!(said.starts_with("/nowhere/tune.json: "), "{said}");
    }

    #[test]
    fn a_second_run_on_a_state_is_refused_until_the_first_has_ended() {
        let path = file("locked");
        let (mut first, session) = StateFile::open(&path, plan()).unwrap();
        for _ in 0..2 {
            first.save(&session).unwrap();
            assert!(matches!(resume(&path, plan()), Err(StateError::Locked(_))));
            assert!(load(&path).is_ok(), "it can be looked at");
        }
        drop(first);
        assert!(resume(&path, plan()).is_ok());
        fs::remove_file(&path).unwrap();
        // Of two that found no state, the one that comes second replaces none.
        let [(mut first, session), (mut second, _)] =
            [(); 2].map(|()| StateFile::open(&path, plan()).unwrap());
        first.save(&session).unwrap();
        assert!(matches!(second.save(&session), Err(StateError::Locked(_))));
        assert!(first.save(&session).is_ok());
        fs::remove_file(&path).unwrap();
    }
}
