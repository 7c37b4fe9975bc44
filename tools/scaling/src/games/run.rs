//! One match from the command line to the report.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle::cli::hands::{HandsError, Role};
use heddle::cli::{Completion, InterruptError, stop_on_interrupt};
use heddle::commands::genfens::MAX_SCORE;
use heddle::engine::{Engine, EngineError, Settings};
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::names::Named;
use heddle::numa;
use heddle::position::{Game, Position};
use heddle::score::Depth;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle::time::limits::Limits;
use heddle_figures::output::{OutputError, Overlap, check_distinct};
use heddle_progress::{bar, tell};
use heddle_selfplay::{Openings, OpeningsError, Score};
use jiff::Timestamp;

use crate::engines::unique;
use crate::machine::Machine;
use crate::origin::Origin;
use crate::output::{Files, WriteError};
use crate::run::BAR;
use heddle_client::{Fault, House, Seat, Spec};

use super::archive::{Archive, ArchiveError};
use super::arena::{Arena, ArenaError};
use super::args::{Args, DEFAULT_MOVES};
use super::book::{self, BookError};
use super::contest::{Contest, Played};
use super::duel::{Duel, DuelError, Rules};
use super::factorial::{Factor, effects};
use super::hand::{self, Player};
use super::identity;
use super::own::is_own;
use super::pgn::{PgnError, PgnFile};
use super::progress::{Progress, State};
use super::report::{Conditions, Level, Report, Side};

/// Depth of the search that tells this version of Heddle from others, in plies: it takes
/// milliseconds.
const SIGNATURE_DEPTH: Depth = 8;

/// Why a match failed, wholly or in part.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// There are too many engines.
    #[error("--engine may be given once or twice, not {0} times")]
    Engines(usize),
    /// The numbers of games do not match the numbers of threads.
    #[error("--games has {games} numbers and --threads {threads}: one of each, or one for all")]
    Unmatched {
        /// How many numbers of games there are.
        games: usize,
        /// How many numbers of threads.
        threads: usize,
    },
    /// The games of a number of threads would count twice.
    #[error("--threads names {0} twice")]
    Repeated(usize),
    /// A file would replace another.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// There are no openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The network that judges random openings cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The book cannot be played from.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The tablebases cannot be read.
    #[error("cannot use the tablebases: {0}")]
    Tablebases(String),
    /// This version of Heddle cannot be asked for its signature.
    #[error(transparent)]
    Signature(#[from] EngineError),
    /// The games cannot be resumed or saved.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The games cannot be written.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// The games cannot be played or saved.
    #[error(transparent)]
    Games(#[from] ArenaError),
    /// The processes that share the work cannot be used.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// Every process that shares the work needs the openings.
    #[error("openings from the standard input cannot be shared; use a file")]
    Piped,
    /// The handler for interrupts cannot be installed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// A file cannot be opened.
    #[error(transparent)]
    File(#[from] OutputError),
    /// The report cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Plays what `args` ask for, writes the requested files and prints the report. Games from before
/// an error are still reported.
///
/// # Errors
/// [`MatchError`], the first one.
pub fn run(args: &Args) -> Result<Completion, MatchError> {
    let sides = args.sides().ok_or(MatchError::Engines(args.engines.len()))?;
    let (games, threads) = (args.games.len(), args.threads.len().max(1));
    let contest = args.contest().ok_or(MatchError::Unmatched { games, threads })?;
    let mut seen = HashSet::new();
    if let Some(&threads) = args.threads.iter().find(|&&threads| !seen.insert(threads)) {
        return Err(MatchError::Repeated(threads));
    }
    let kept = [&args.games_file, &args.pgn].into_iter().flatten().map(PathBuf::as_path);
    check_distinct(args.openings.as_deref(), args.outputs.files().chain(kept))?;
    let cancel = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&cancel))?;
    let role = Role::of_this_process()?;
    if !hand::has_openings(&role, args.openings.as_deref()) {
        return Err(MatchError::Piped);
    }
    let Some(names) = names(args, &sides, &cancel)? else { return Ok(Completion::Interrupted) };
    let tablebases = Tablebases::open(&args.syzygy);
    let tablebases = tablebases.map_err(|error| MatchError::Tablebases(error.to_string()))?;
    let listed =
        args.openings.as_deref().map(|path| book::read(path, &args.selection(), &tablebases));
    let listed = listed.transpose()?;
    let book = (listed.as_ref(), tablebases);
    let mut duels = duels(args, &sides, &names, book, &role, &cancel)?;
    let concurrency = match (&role, &mut duels[..]) {
        (Role::Hand, [duel]) => {
            hand::serve(duel, &cancel).map_err(ArenaError::from)?;
            return Ok(Completion::Complete);
        }
        (Role::Head(pool), _) => pool.hands,
        _ => duels.len(),
    };
    let conditions = conditions(args, &sides, names, concurrency);
    // Before the first game: an unwritable path should not cost hours.
    let files = Files::open(&args.outputs)?;
    let mut arena = Arena {
        archive: args
            .games_file
            .as_deref()
            .map(|path| archive(path, args, &sides, listed.as_deref()))
            .transpose()?,
        pgn: args.pgn.as_deref().map(PgnFile::open).transpose()?,
    };
    let resumed = arena.archive.as_ref().map_or(0, Archive::games);
    let bar = bar(contest.total() as u64, BAR);
    let watch = Progress::new(bar, args.sprt, contest.has_odds);
    let mut players: Vec<Player> = match &role {
        Role::Head(pool) => (0..pool.hands).map(|_| hand::player(pool, &cancel)).collect(),
        _ => duels
            .iter_mut()
            .map(|duel| -> Player { Box::new(|pair| duel.play_pair(pair)) })
            .collect(),
    };
    let mut played = Vec::new();
    let finished =
        contest.play(&mut played, |pairs, played| arena.play(&mut players, pairs, played, &watch));
    watch.bar.finish_and_clear();
    drop(players);
    drop(duels); // the engines end before the report
    let is_vague = arena.archive.as_ref().is_some_and(|archive| archive.is_vague);
    let evidence = Evidence { played: &played, listed: listed.as_deref(), is_vague, resumed };
    let report = report(args, &contest, conditions, &evidence, watch);
    let told = files.publish(&report);
    finished?;
    told?;
    Ok(if report.partial { Completion::Interrupted } else { Completion::Complete })
}

/// The names of both sides, which are started for that; `None` if interrupted.
fn names(
    args: &Args,
    sides: &[Spec; 2],
    cancel: &Arc<StopFlag>,
) -> Result<Option<[String; 2]>, MatchError> {
    let mut names: Vec<String> = Vec::new();
    for spec in sides {
        let mut seat = Seat::new(spec.clone(), house(args, cancel));
        let own = match seat.session() {
            Ok(session) => session.name().map(str::to_owned),
            Err(Fault::Interrupted) => return Ok(None),
            Err(fault) => {
                let name = spec.name.clone().unwrap_or_else(|| spec.program.clone());
                return Err(ArenaError::from(DuelError::Engine { name, fault }).into());
            }
        };
        let name = spec.name.clone().or(own).unwrap_or_else(|| spec.program.clone());
        let others: Vec<&str> = names.iter().map(String::as_str).collect();
        names.push(unique(&name, &others));
    }
    Ok(names.try_into().ok())
}

fn house(args: &Args, cancel: &Arc<StopFlag>) -> House {
    let patience = Duration::from_secs(args.timeout);
    House { hash: args.hash, patience, cancel: Arc::clone(cancel) }
}

/// The duels of this process, one for each pair that it plays at the same time.
fn duels(
    args: &Args,
    sides: &[Spec; 2],
    names: &[String; 2],
    (listed, tablebases): (Option<&Arc<[Position]>>, Tablebases),
    role: &Role,
    cancel: &Arc<StopFlag>,
) -> Result<Vec<Duel>, MatchError> {
    let count = match role {
        Role::Alone => args.concurrency(sides),
        Role::Head(_) => 0,
        Role::Hand => 1,
    };
    let network = EvalFile::default().load()?;
    let rules = Rules {
        has_threads: !args.threads.is_empty(),
        factors: args.vary.clone(),
        tablebases: Arc::new(tablebases),
        is_adjudicated: args.adjudicate,
        max_plies: 2 * args.max_moves,
        seed: args.seed,
        tags: vec![
            ("Event", "heddle match".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", Timestamp::now().strftime("%Y.%m.%d").to_string()),
        ],
        ..Rules::new(names.clone(), args.limit())
    };
    // Waking a thread, as every turn in lockstep does, takes longest between two processors. A
    // hand does not know which of them the others have.
    let is_bound = args.is_in_lockstep(sides) && matches!(role, Role::Alone);
    let processors = if is_bound { numa::allowed() } else { Vec::new() };
    let duel = |number: usize| {
        let openings = match listed {
            Some(listed) => Openings::Listed(Arc::clone(listed)),
            None => Openings::random(network.clone(), args.max_lead, cancel)?,
        };
        let seats = sides.each_ref().map(|spec| Seat::new(spec.clone(), house(args, cancel)));
        let processor = processors.get(number % processors.len().max(1)).copied();
        Ok(Duel::new(seats, openings, rules.clone(), processor))
    };
    (0..count).map(duel).collect()
}

/// What is played, by whom and on what.
fn conditions(
    args: &Args,
    sides: &[Spec; 2],
    names: [String; 2],
    concurrency: usize,
) -> Conditions {
    let openings = match &args.openings {
        Some(path) => {
            let order = args.order.name();
            let start =
                if args.start > 1 { format!(" from {}", args.start) } else { String::new() };
            format!("{}, {order}{start}, each played twice", path.display())
        }
        None => format!("random, each played twice, no side ahead by more than {}", args.max_lead),
    };
    let side = |(spec, name): (&Spec, String)| Side {
        name,
        command: command(spec),
        options: spec.options.clone(),
    };
    let [first, second] = names;
    Conditions {
        sides: [side((&sides[0], first)), side((&sides[1], second))],
        limit: args.limit().to_string(),
        openings,
        hash: args.hash,
        origin: Origin::here("match"),
        machine: Machine::here(),
        concurrency,
        seed: args.seed,
    }
}

/// The command of an engine, as a shell takes it.
fn command(spec: &Spec) -> String {
    if is_own(spec) {
        return "this version of heddle".into();
    }
    shell_words::join(std::iter::once(&spec.program).chain(&spec.args))
}

/// Opens the file of results and says whether it has games: a wrong path would play them all anew.
fn archive(
    path: &Path,
    args: &Args,
    sides: &[Spec; 2],
    listed: Option<&[Position]>,
) -> Result<Archive, MatchError> {
    let line = conditions_line(args, sides, listed, true)?;
    // Earlier versions played the openings of a file in another order.
    let earlier =
        listed.is_none().then(|| conditions_line(args, sides, None, false)).transpose()?;
    let archive = Archive::open(path, &line, earlier.as_deref())?;
    tell(match archive.games() {
        0 => format!("{}: a new file of games", path.display()),
        games => format!("{}: resuming after {games} games", path.display()),
    });
    Ok(archive)
}

/// What determines the games beside their pairs, in one line; what is as usual is not mentioned.
/// Earlier versions did not say what the files hold.
fn conditions_line(
    args: &Args,
    sides: &[Spec; 2],
    listed: Option<&[Position]>,
    has_files: bool,
) -> Result<String, MatchError> {
    let Args { seed, hash, max_lead, .. } = args;
    let mut line = format!("heddle-match games: seed {seed}, {hash} MiB");
    if let Some(time) = &args.tc.or((args.nodes.is_none()).then(|| args.limit())) {
        line += &format!(", {time}");
    }
    for spec in sides {
        line += &if is_own(spec) {
            format!(", heddle of signature {}", signature()?)
        } else {
            format!(", {}", command(spec))
        };
        let files = if is_own(spec) { of_options(spec) } else { identity::of_engine(spec) };
        if has_files && !files.is_empty() {
            line += &format!(" ({files})");
        }
        for (name, value) in &spec.options {
            line += &format!(" {name}={value}");
        }
    }
    for Factor { option, values } in &args.vary {
        line += &format!(", {option}={}", values.join(" or "));
    }
    if *max_lead != MAX_SCORE {
        line += &format!(", lead {max_lead}");
    }
    if let Some((openings, listed)) = args.openings.as_ref().zip(listed) {
        // As they are played: the order, the start and the plies are in it.
        let fens: Vec<_> = listed.iter().map(Position::fen).collect();
        let content = crc32fast::hash(fens.join("\n").as_bytes());
        line += &format!(", openings {} ({}-{content:08x})", openings.display(), fens.len());
    }
    if args.max_moves != DEFAULT_MOVES {
        line += &format!(", {} moves", args.max_moves);
    }
    if args.adjudicate {
        line += ", adjudicated";
    }
    if !args.syzygy.is_empty() {
        line += ", tablebases";
        if has_files {
            line += &format!(" ({})", identity::of_tables(&args.syzygy));
        }
    }
    Ok(line.replace(['\n', '\r'], " "))
}

/// The files that the options of this version of Heddle name.
fn of_options(spec: &Spec) -> String {
    identity::of_engine(&Spec { program: String::new(), args: Vec::new(), ..spec.clone() })
}

/// The node count of a search by this version of Heddle. A change that could change a game is
/// likely to change it.
fn signature() -> Result<u64, MatchError> {
    let mut engine = Engine::new(1, 1)?;
    engine.set_network(EvalFile::default().load()?);
    let limits = Limits { depth: Some(SIGNATURE_DEPTH), ..Limits::default() };
    let game = Game::new(Position::default());
    engine.search(&game, &limits, &Settings::default(), &Arc::default(), |_, _, _| {});
    Ok(engine.nodes())
}

/// What the report goes by.
struct Evidence<'a> {
    played: &'a [Played],
    listed: Option<&'a [Position]>,
    /// Games of an earlier version are among them.
    is_vague: bool,
    /// Games that were played before this run.
    resumed: usize,
}

impl Evidence<'_> {
    /// What a reader must know before trusting the figures.
    fn caveats(&self, args: &Args, contest: &Contest, score: &Score) -> Vec<String> {
        let mut caveats = Vec::new();
        let (planned, asked) = (2 * contest.total(), args.games.iter().sum::<usize>());
        if args.games.len() == contest.matches.len() && planned != asked {
            caveats.push(format!(
                "{planned} games instead of {asked}: each opening is played at several multiples."
            ));
        }
        let openings = self.played.iter().map(|played| played.pair.opening + 1).max();
        let pairs = openings.unwrap_or(0) as usize;
        caveats.extend(self.listed.and_then(|listed| book::caveat(listed, pairs)));
        if !contest.has_odds && self.played.len() > 1 && score.elo().is_none() {
            caveats.push("All pairs have brought the same: they tell no interval.".to_owned());
        }
        if self.resumed > 0 {
            caveats.push(format!(
                "{} games were played before this run: the commit, the date and the machine above \
                 are not theirs.",
                self.resumed
            ));
        }
        if self.is_vague {
            let text = "The file of games is of an earlier version, which did not record the \
                        engines' files: that they are the same is not known.";
            caveats.push(text.to_owned());
        }
        caveats
    }
}

/// The report on the games played.
fn report(
    args: &Args,
    contest: &Contest,
    conditions: Conditions,
    evidence: &Evidence<'_>,
    watch: Progress,
) -> Report {
    let played = evidence.played;
    let State { score, faults, decisive } = watch.state.into_inner();
    let partial = played.len() < contest.total() && decisive.is_none();
    let tested = decisive.unwrap_or(score);
    let mut notes = Vec::new();
    if partial {
        let (games, planned) = (2 * played.len(), 2 * contest.total());
        notes.push(format!("PARTIAL: interrupted after {games} of {planned} games."));
    }
    if let Some(last) = faults.last() {
        notes.push(format!("Faults in this run: {}, the last: {last}.", faults.len()));
    }
    notes.extend(evidence.caveats(args, contest, &score));
    let has_odds = contest.has_odds;
    let verdict = args.sprt.filter(|_| !played.is_empty()).map(|sprt| sprt.sentence(&tested));
    Report {
        conditions,
        planned: 2 * contest.total(),
        partial,
        notes,
        verdict: verdict.into_iter().collect(),
        effects: effects(&args.vary, played, args.seed),
        level: (!has_odds).then(|| Level::new(&score, args.sprt.map(|sprt| (sprt, tested)))),
        equalities: if has_odds { contest.equalities(played, args.seed) } else { Vec::new() },
        pairs: played.iter().map(Into::into).collect(),
    }
}
