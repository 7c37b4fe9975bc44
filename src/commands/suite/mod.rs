//! Test suites: positions with the moves that solve them (`bm`) or do not (`am`), as in the
//! operations of EPD.

mod task;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::Completion;
use crate::cli::hands::{self, HandsError, Pool};
use crate::engine::{Engine, Settings};
use crate::position::record::Record;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::text::show;
use crate::text::suite::{self, LineError};
use crate::time::limits::Limits;

use task::Told;
pub use task::{Found, Solution, Task, TaskError};

/// Time for a position unless something else is given.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Why a suite cannot be run, or was not run as a whole.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// A line is not a position.
    #[error("{} {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line and the reason.
        source: LineError,
    },
    /// The results would replace the suite.
    #[error("{} is the suite and stays as it is", .0.display())]
    Overlap(PathBuf),
    /// The results to go on from are those of something else.
    #[error("{} has other positions than the suite, so nothing is added to it", .0.display())]
    Foreign(PathBuf),
    /// The results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The rows cannot be written.
    #[error(transparent)]
    Print(#[from] io::Error),
    /// The processes that share the work cannot be used.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// Some lines are no tasks.
    #[error("{0} of {1} positions are no tasks and are left out")]
    LeftOut(usize, usize),
}

/// What searches the positions of a suite.
pub enum Searcher<'a> {
    /// An engine of this process.
    Engine(&'a mut Engine),
    /// Other processes, in which [`Session::serve`] runs.
    Hands(&'a Pool),
}

/// How a suite is run.
pub struct Session<'a> {
    /// Limits of each search; a second if there are none.
    pub limits: Limits,
    /// Settings of each search.
    pub settings: Settings,
    /// Raised, it ends the run; what was found is kept.
    pub cancel: &'a Arc<StopFlag>,
    /// Whether the file of results goes on where an earlier run ended, instead of being replaced.
    pub resumes: bool,
}

/// The lines of a suite, each with what is told of it unless the search was cancelled.
type Results<'a> = Box<dyn Iterator<Item = Result<(Entry, Option<Told>), HandsError>> + 'a>;

/// A line of a suite.
struct Entry {
    task: Result<Task, TaskError>,
    /// What an earlier run has told of it.
    known: Option<Told>,
}

impl Entry {
    /// The task, if it has to be searched.
    fn open(&self) -> Option<&Task> {
        self.task.as_ref().ok().filter(|_| self.known.is_none())
    }
}

impl Session<'_> {
    /// Runs the suite at `path`, with a row for each position on `output` and a line of EPD in the
    /// file `epd`.
    ///
    /// # Errors
    /// [`SuiteError`]; also when some lines are left out, after the others.
    pub fn run(
        &self,
        searcher: Searcher,
        path: &Path,
        epd: Option<&Path>,
        output: &mut impl Write,
    ) -> Result<Completion, SuiteError> {
        let read = |source| SuiteError::Read { path: path.to_owned(), source };
        let text = suite::read_text(path).map_err(read)?;
        let line = |source| SuiteError::Line { path: path.to_owned(), source };
        let records = suite::records(&text).map_err(line)?;
        if let Some(epd) = epd
            && epd.canonicalize().is_ok_and(|epd| path.canonicalize().is_ok_and(|path| path == epd))
        {
            return Err(SuiteError::Overlap(epd.to_owned()));
        }
        let count = records.len();
        let tasks = records.into_iter().map(|(line, record)| Task::read(line, record));
        // Before the first search: an unwritable path should not cost hours.
        let (mut file, entries) = self.open(epd, tasks)?;
        let write = |source| SuiteError::Write {
            path: epd.map(Path::to_owned).unwrap_or_default(),
            source,
        };
        let (mut solved, mut searched, mut left_out) = (0, 0, 0);
        let (mut nodes, mut time) = (0, Duration::ZERO);
        for (number, result) in (1..).zip(self.results(searcher, entries.into_iter())) {
            let (Entry { task, known }, told) = result?;
            if let Err(error) = task {
                left_out += 1;
                writeln!(output, "{number:3}/{count} left out  {error}")?;
                continue;
            }
            let is_new = known.is_none();
            let Some(told) = known.or(told) else { break };
            if is_new {
                writeln!(output, "{number:3}/{count} {}", told.row)?;
            }
            if let Some(file) = file.as_mut().filter(|_| is_new) {
                writeln!(file, "{}", told.epd).map_err(write)?;
            }
            (searched, solved) = (searched + 1, solved + usize::from(told.is_solved));
            (nodes, time) = (nodes + told.nodes, time + told.time);
        }
        let percent = 100.0 * solved as f64 / f64::from(searched.max(1_u32));
        let (nodes, seconds) = (show::grouped(nodes), time.as_secs_f64());
        writeln!(
            output,
            "solved {solved} of {searched} ({percent:.1} %), {nodes} nodes, {seconds:.1} s"
        )?;
        match left_out {
            _ if self.cancel.is_raised() => Ok(Completion::Interrupted),
            0 => Ok(Completion::Complete),
            _ => Err(SuiteError::LeftOut(left_out, count)),
        }
    }

    /// Opens the file of results, if there shall be one, and adds what an earlier run has written
    /// there to the tasks.
    fn open(
        &self,
        epd: Option<&Path>,
        tasks: impl Iterator<Item = Result<Task, TaskError>>,
    ) -> Result<(Option<File>, Vec<Entry>), SuiteError> {
        let Some(path) = epd else {
            return Ok((None, tasks.map(|task| Entry { task, known: None }).collect()));
        };
        let write = |source| SuiteError::Write { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(self.resumes).write(true).create(true).truncate(!self.resumes);
        let mut file = options.open(path).map_err(write)?;
        let mut text = String::new();
        if self.resumes {
            file.read_to_string(&mut text).map_err(write)?;
        }
        // The last line may have been cut short.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let earlier = text.lines().map(Record::read).collect::<Result<Vec<_>, _>>().ok();
        let entries = earlier.and_then(|earlier| known(tasks, earlier));
        let entries = entries.ok_or_else(|| SuiteError::Foreign(path.to_owned()))?;
        if self.resumes {
            file.set_len(text.len() as u64).map_err(write)?;
            file.seek(SeekFrom::End(0)).map_err(write)?;
        }
        Ok((Some(file), entries))
    }

    /// Searches the positions of `entries`.
    fn results<'a>(
        &'a self,
        searcher: Searcher<'a>,
        entries: impl Iterator<Item = Entry> + 'a,
    ) -> Results<'a> {
        match searcher {
            Searcher::Engine(engine) => Box::new(entries.map(|entry| {
                let told = entry.open().and_then(|task| self.search(engine, task));
                Ok((entry, told))
            })),
            Searcher::Hands(pool) => {
                let unit = |entry: &Entry| entry.open().map(Task::unit);
                let results = pool.in_order(entries, unit, self.cancel);
                Box::new(results.map(|result| {
                    let (entry, bytes) = result?;
                    Ok((entry, bytes.map(|bytes| Told::read(&bytes)).transpose()?))
                }))
            }
        }
    }

    /// Searches the positions that the head gives out.
    ///
    /// # Errors
    /// [`SuiteError::Hands`].
    pub fn serve(&self, engine: &mut Engine) -> Result<(), SuiteError> {
        hands::serve(self.cancel, |unit| {
            let task = Task::of_unit(unit).ok_or(HandsError::Nonsense)?;
            Ok(self.search(engine, &task).map(|told| told.bytes()))
        })
    }

    /// What is told of a position; `None` if cancelled.
    fn search(&self, engine: &mut Engine, task: &Task) -> Option<Told> {
        let default = Limits { move_time: Some(DEFAULT_TIME), ..Limits::default() };
        let limits = if self.limits == Limits::default() { &default } else { &self.limits };
        let found = task.search(engine, limits, &self.settings, self.cancel)?;
        Some(Told::new(task, &found))
    }
}

/// The lines of a suite with what is known of them from the results of an earlier run, in the same
/// order; `None` if those are of other positions.
fn known(
    tasks: impl Iterator<Item = Result<Task, TaskError>>,
    earlier: Vec<Record>,
) -> Option<Vec<Entry>> {
    let mut earlier = earlier.into_iter();
    let entry = |task: Result<Task, TaskError>| {
        let found = task.as_ref().ok().and_then(|_| earlier.next());
        let is_same = |record: &Record| {
            task.as_ref().is_ok_and(|task| task.position().fen() == record.position.fen())
        };
        let known = match found {
            Some(record) if is_same(&record) => Some(Told::before(&record)?),
            Some(_) => return None,
            None => None,
        };
        Some(Entry { task, known })
    };
    let entries = tasks.map(entry).collect::<Option<Vec<_>>>()?;
    earlier.next().is_none().then_some(entries)
}
