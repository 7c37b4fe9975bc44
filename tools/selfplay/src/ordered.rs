//! Games made on many threads and written to one file in order.
//!
//! The file is the same for any number of threads, so an interrupted run can continue with the
//! first game missing from the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::error::SelfplayError;
use crate::files::{self, Extent, FileError};
use crate::format::Record;
use crate::progress::{Goal, Progress};
use heddle::smp::stop::StopFlag;
use heddle::sync::{Condvar, Mutex, thread};
use heddle_progress::tell;

/// A file to append games to, and how far to fill it.
pub struct Target<'a> {
    /// Its name, for errors.
    pub path: &'a Path,
    /// The file, opened by [`open`].
    pub file: File,
    /// What it contains already.
    pub extent: Extent,
    /// Games that the source gives again although the file has them.
    pub again: u64,
    /// What it shall contain.
    pub goal: Goal,
}

/// Opens a file to append games to, as [`files::append`] does, and tells the user if a game was cut
/// off.
///
/// # Errors
/// Those of [`files::append`].
pub fn open(path: &Path) -> Result<(File, Extent), FileError> {
    let (file, extent) = files::append(path)?;
    if extent.is_truncated {
        let name = path.display();
        tell(format_args!("{name}: the last game was incomplete and has been cut off"));
    }
    Ok((file, extent))
}

/// Opens a file of games of one move as [`open`] does.
///
/// # Errors
/// [`FileError::Unrelated`] if it has other games, or those of [`open`].
pub fn open_scored(path: &Path) -> Result<(File, Extent), FileError> {
    let (file, extent) = open(path)?;
    if extent.games == extent.positions {
        Ok((file, extent))
    } else {
        Err(FileError::Unrelated { path: path.to_owned() })
    }
}

/// State shared by the threads.
struct State<S> {
    source: S,
    /// The number of the next item of the source.
    next: u64,
    /// The number of the item whose games are written next.
    written: u64,
    /// Games of finished items that wait for those of an earlier one.
    waiting: BTreeMap<u64, Vec<Record>>,
    file: File,
    /// Games still to be left out, since the file has them.
    again: u64,
    goal: Goal,
    /// Number of games in the file.
    games: u64,
    /// Number of positions in them.
    positions: u64,
    /// The source has no more items.
    is_exhausted: bool,
    /// The first failure to read or write.
    failed: Option<Failure>,
}

enum Failure {
    Read(FileError),
    Write(io::Error),
    Work(SelfplayError),
}

/// The state, and the condition that tells the main thread that all is done.
struct Run<'a, S> {
    state: Mutex<State<S>>,
    done: Condvar,
    stop: &'a StopFlag,
}

/// Appends the games that `workers` make of each item of `source`, in the order of the items, until
/// the goal is reached or the source ends. Each worker has a thread; a worker returns `None` once
/// `stop` is raised, which happens here as soon as no more games are needed or a worker fails.
///
/// # Errors
/// [`SelfplayError::File`] if the source or the file fails, or the error of a worker.
pub fn run<T, S, W>(
    source: S,
    workers: Vec<W>,
    target: Target,
    stop: &StopFlag,
) -> Result<(), SelfplayError>
where
    S: Iterator<Item = Result<T, FileError>> + Send,
    W: FnMut(T) -> Option<Result<Vec<Record>, SelfplayError>> + Send,
{
    let Target { path, file, extent: Extent { games, positions, .. }, again, goal } = target;
    let state = State {
        source,
        next: 0,
        written: 0,
        waiting: BTreeMap::new(),
        file,
        again,
        goal,
        games,
        positions,
        is_exhausted: false,
        failed: None,
    };
    let run = Run { state: Mutex::new(state), done: Condvar::default(), stop };
    thread::scope(|scope| {
        for worker in workers {
            let run = &run;
            scope.spawn(move || run.work(worker));
        }
        run.watch(Progress::new(goal, games, positions));
    });
    match run.state.into_inner().failed {
        None => Ok(()),
        Some(Failure::Read(error)) => Err(error.into()),
        Some(Failure::Work(error)) => Err(error),
        Some(Failure::Write(error)) => Err(files::io_error(path)(error).into()),
    }
}

impl<T, S: Iterator<Item = Result<T, FileError>>> Run<'_, S> {
    /// Works on items until all is done.
    fn work(&self, mut worker: impl FnMut(T) -> Option<Result<Vec<Record>, SelfplayError>>) {
        loop {
            let mut state = self.state.lock();
            let taken = state.take();
            self.announce(&state);
            drop(state);
            let Some((number, item)) = taken else { return };
            let Some(records) = worker(item) else { return };
            let mut state = self.state.lock();
            match records {
                Ok(records) => state.put(number, records),
                Err(error) => state.failed = Some(Failure::Work(error)),
            }
            self.announce(&state);
        }
    }

    /// Ends the other threads' work if all is done.
    fn announce(&self, state: &State<S>) {
        if state.is_done() {
            self.stop.raise();
            self.done.notify_all();
        }
    }

    /// Shows the progress until all is done.
    fn watch(&self, mut progress: Progress) {
        let mut state = self.state.lock();
        while !state.is_done() {
            progress.show(state.games, state.positions);
            (state, _) = self.done.wait_until(state, progress.next());
        }
        progress.finish(state.games, state.positions);
    }
}

impl<S> State<S> {
    /// Whether enough has been written, or no more can be.
    fn is_done(&self) -> bool {
        self.failed.is_some()
            || self.goal.is_reached(self.games, self.positions)
            || self.is_exhausted && self.written == self.next
    }

    /// Writes the games of item `number` once those of all earlier items have been written.
    fn put(&mut self, number: u64, records: Vec<Record>) {
        self.waiting.insert(number, records);
        while !self.is_done() {
            let Some(records) = self.waiting.remove(&self.written) else { return };
            self.written += 1;
            let left_out = records.len().min(self.again as usize);
            self.again -= left_out as u64;
            let records = &records[left_out..];
            let bytes = records.iter().flat_map(Record::bytes).copied().collect::<Vec<_>>();
            // A single write, so that a kill can only truncate what was written last.
            match self.file.write_all(&bytes) {
                Ok(()) => {
                    self.games += records.len() as u64;
                    self.positions += records.iter().map(Record::positions).sum::<usize>() as u64;
                }
                Err(error) => self.failed = Some(Failure::Write(error)),
            }
        }
    }
}

impl<T, S: Iterator<Item = Result<T, FileError>>> State<S> {
    /// The next item and its number; `None` if there is nothing left to work on.
    fn take(&mut self) -> Option<(u64, T)> {
        if self.is_exhausted || self.is_done() {
            return None;
        }
        match self.source.next() {
            Some(Ok(item)) => {
                self.next += 1;
                return Some((self.next - 1, item));
            }
            Some(Err(error)) => self.failed = Some(Failure::Read(error)),
            None => self.is_exhausted = true,
        }
        None
    }
}
