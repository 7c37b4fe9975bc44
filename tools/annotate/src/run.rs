//! One run from the command line to the last game.

use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use heddle::cli::hands::{HandsError, Pool, Role};
use heddle::cli::{Completion, InterruptError, stop_on_interrupt};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::files::{self, STANDARD_INPUT};
use heddle::text::pgn::games::Games;
use heddle::text::pgn::raw::RawGame;
use heddle_progress::{bar, tell};

use crate::args::Args;
use crate::evaluate::{Evaluation, Evaluator, SetupError};
use crate::game::Game;
use crate::hand;
use crate::judge::Glyph;
use crate::notes::annotate;
use crate::opening::Openings;
use crate::read::{ReadError, read};
use crate::report::{Report, Summary};
use crate::resume::{Earlier, ResumeError};
use crate::sinks::{SinkError, Sinks};

/// Unreadable games that are told one by one: a file that is no PGN looks like thousands.
const MAX_COMPLAINTS: usize = 10;

/// Why a run failed, wholly or in part.
#[derive(Debug, thiserror::Error)]
pub enum AnnotateError {
    /// The engine cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The handler for interrupts cannot be installed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// A file of games cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// A result cannot be written.
    #[error(transparent)]
    Write(#[from] SinkError),
    /// The run cannot go on where another ended.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The processes that share the work cannot be used.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// The input has no game.
    #[error("no game in {0}; nothing was written")]
    NoGame(String),
    /// Some games were left out, each with a line that says why.
    #[error("{0} of {1} games could not be read and are left out")]
    Broken(usize, usize),
}

/// Annotates the games that `args` name.
///
/// # Errors
/// [`AnnotateError`], the first one; what was annotated before it is written.
pub fn run(args: &Args) -> Result<Completion, AnnotateError> {
    let cancel = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&cancel))?;
    let evaluator = || Evaluator::new(args, Arc::clone(&cancel));
    let role = Role::of_this_process()?;
    if let Role::Hand = role {
        hand::serve(evaluator()?, &cancel)?;
        return Ok(Completion::Complete);
    }
    // Before the first search: an unwritable path should not cost hours.
    let earlier = match &args.pgn {
        Some(path) if args.resume => Earlier::read(path)?,
        _ => Earlier::default(),
    };
    let mut session = Session {
        sinks: Sinks::open(args, &earlier)?,
        earlier,
        searcher: match role {
            Role::Head(pool) => Searcher::Hands(pool),
            _ => Searcher::Engine(Box::new(evaluator()?)),
        },
        openings: Openings::new(),
        cancel: Arc::clone(&cancel),
        games: 0,
        broken: 0,
        found: Found::default(),
    };
    let standard_input = [PathBuf::from(STANDARD_INPUT)];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let annotated = files.iter().try_for_each(|path| session.file(path));
    let (games, broken) = (session.games, session.broken);
    let finished = session.sinks.finish();
    annotated?;
    finished?;
    if games == 0 && !cancel.is_raised() {
        let names: Vec<_> = files.iter().map(|path| name(path)).collect();
        return Err(AnnotateError::NoGame(names.join(", ")));
    }
    if let Some(summary) = session.found.summary() {
        let results = args.pgn.iter().chain(&args.html).map(|path| path.display().to_string());
        let results: Vec<_> = results.collect();
        let wrote = if results.is_empty() {
            String::new()
        } else {
            format!("; wrote {}", results.join(" and "))
        };
        tell(format_args!("{summary}{wrote}"));
    }
    if cancel.is_raised() {
        Ok(Completion::Interrupted)
    } else if broken > 0 {
        Err(AnnotateError::Broken(broken, games))
    } else {
        Ok(Completion::Complete)
    }
}

/// What evaluates the games.
enum Searcher {
    /// An engine of this process.
    Engine(Box<Evaluator>),
    /// Other processes.
    Hands(Pool),
}

/// What a run works with.
struct Session {
    sinks: Sinks,
    searcher: Searcher,
    openings: Openings,
    /// What needs no search.
    earlier: Earlier,
    cancel: Arc<StopFlag>,
    /// Games that were found.
    games: usize,
    /// Those of them that could not be read.
    broken: usize,
    found: Found,
}

/// The findings of a run in one line, for its end.
#[derive(Default)]
struct Found {
    games: usize,
    /// The summaries of both sides of the last game.
    sides: [Summary; 2],
    /// Moves of all games by glyph.
    glyphs: [usize; Glyph::ALL.len()],
}

impl Found {
    fn add(&mut self, sides: &[Summary; 2]) {
        self.games += 1;
        self.sides = sides.clone();
        for side in sides {
            for (sum, count) in self.glyphs.iter_mut().zip(side.glyphs) {
                *sum += count;
            }
        }
    }

    /// The line, if there is a game to speak of.
    fn summary(&self) -> Option<String> {
        let [white, black] = &self.sides;
        let accuracy = |side: &Summary| match side.moves {
            0 => "no move judged".to_owned(),
            _ => format!("{:.1} % accurate", side.accuracy),
        };
        let whole = match self.games {
            0 => return None,
            1 => format!("White {}, Black {}", accuracy(white), accuracy(black)),
            games => format!("{games} games"),
        };
        let count = |(glyph, &count): (&Glyph, &usize)| match count {
            0 => None,
            1 => Some(format!("1 {}", glyph.name().to_lowercase())),
            count => Some(format!("{count} {}", glyph.plural())),
        };
        let counts: Vec<_> = Glyph::ALL.iter().zip(&self.glyphs).filter_map(count).collect();
        let counts = if counts.is_empty() { "no mistakes".into() } else { counts.join(", ") };
        Some(format!("{whole}; {counts}"))
    }
}

/// A file as messages call it.
fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

/// A game of a file: none if an earlier run has annotated it.
type Entry = Result<Option<Game>, EntryError>;
/// Games with their numbers and their evaluations.
type Evaluated<'a> = Box<dyn Iterator<Item = Result<(usize, Entry, Evaluations), HandsError>> + 'a>;
/// The evaluations of the positions of a game, if it needs any.
type Evaluations = Option<Vec<Option<Evaluation>>>;

/// Why there is nothing to evaluate.
enum EntryError {
    Input(io::Error),
    Game(ReadError),
    Resume(ResumeError),
}

/// The game, unless `earlier` has it.
fn entry(raw: io::Result<RawGame>, earlier: &mut Earlier) -> Entry {
    let game = read(&raw.map_err(EntryError::Input)?).map_err(EntryError::Game)?;
    let is_known = earlier.has(&game).map_err(EntryError::Resume)?;
    Ok((!is_known).then_some(game))
}

/// The game that is to be evaluated, if there is one.
fn game(entry: &Entry) -> Option<&Game> {
    entry.as_ref().ok().and_then(Option::as_ref)
}

impl Searcher {
    /// Evaluates the games of `entries`, until `cancel` is raised.
    fn evaluate<'a>(
        &'a mut self,
        entries: impl Iterator<Item = (usize, Entry)> + 'a,
        cancel: &'a StopFlag,
    ) -> Evaluated<'a> {
        match self {
            Self::Engine(evaluator) => Box::new(entries.map(move |(number, entry)| {
                let found = game(&entry).map(|game| evaluate(evaluator, game, number));
                Ok((number, entry, found))
            })),
            Self::Hands(pool) => {
                let unit = move |(_, entry): &(usize, Entry)| game(entry).map(hand::unit);
                let results = pool.in_order(entries, unit, cancel);
                Box::new(results.map(move |result| {
                    let ((number, entry), answer) = result?;
                    let found = game(&entry).zip(answer);
                    let found = found.map(|(game, answer)| hand::evaluations(game, &answer));
                    let found = found.transpose()?;
                    Ok((number, entry, found))
                }))
            }
        }
    }
}

/// Evaluates a game under a progress bar, hidden if standard error is not a terminal.
fn evaluate(evaluator: &mut Evaluator, game: &Game, number: usize) -> Vec<Option<Evaluation>> {
    let bar = bar(game.moves.len() as u64 + 1, "{msg} {wide_bar} {pos}/{len} ETA {eta}");
    bar.set_message(format!("game {number}: {}", game.players()));
    let evaluations = evaluator.evaluate(game, || bar.inc(1));
    bar.finish_and_clear();
    evaluations
}

impl Session {
    fn file(&mut self, path: &Path) -> Result<(), AnnotateError> {
        let refused = |source| AnnotateError::Read { path: path.to_owned(), source };
        let input = files::open(path).map_err(refused)?;
        let Self { earlier, cancel, .. } = self;
        let mut games = (1..).zip(Games::new(input));
        // Nothing more is read after an interrupt.
        let games = iter::from_fn(|| if cancel.is_raised() { None } else { games.next() });
        let entries = games.map(|(number, raw)| (number, entry(raw, earlier)));
        for evaluated in self.searcher.evaluate(entries, cancel) {
            let (number, entry, found) = evaluated?;
            self.games += 1;
            match (entry, found) {
                (Ok(Some(mut game)), Some(found)) => {
                    let report = Report::new(&game, found, &self.openings);
                    if report.is_empty() {
                        break; // interrupted at its first search
                    }
                    annotate(&mut game, &report);
                    self.sinks.add(&game, &report)?;
                    self.found.add(&report.sides);
                }
                (Ok(_), _) => {}
                (Err(EntryError::Input(source)), _) => return Err(refused(source)),
                (Err(EntryError::Resume(error)), _) => return Err(error.into()),
                (Err(EntryError::Game(error)), _) => {
                    self.broken += 1;
                    complain(self.broken, path, number, &error);
                }
            }
        }
        Ok(())
    }
}

/// Tells of a game that cannot be read, the `broken`th.
fn complain(broken: usize, path: &Path, number: usize, error: &ReadError) {
    let path = path.display();
    if broken <= MAX_COMPLAINTS {
        tell(format_args!("heddle: {path}: game {number}: {error}"));
    } else if broken == MAX_COMPLAINTS + 1 {
        tell("heddle: more games that cannot be read are only counted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_what_was_found() {
        let side = |accuracy, glyphs| Summary { moves: 20, accuracy, glyphs, ..Summary::default() };
        let mut found = Found::default();
        assert_eq!(found.summary(), None);
        found.add(&[side(93.72, [0, 1, 0]), side(89.9, [0, 0, 2])]);
        let one = "White 93.7 % accurate, Black 89.9 % accurate; 1 mistake, 2 blunders";
        assert_eq!(found.summary().as_deref(), Some(one));
        found.add(&[side(99.0, [0; 3]), side(99.0, [2, 0, 0])]);
        let two = "2 games; 2 inaccuracies, 1 mistake, 2 blunders";
        assert_eq!(found.summary().as_deref(), Some(two));
    }
}
