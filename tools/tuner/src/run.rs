//! One run from the command line to the tuned values.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use heddle::cli::{Completion, InterruptError, stop_on_interrupt};
use heddle::commands::genfens::MAX_SCORE;
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_client::House;
use heddle_figures::output::{OutputError, OutputFile, is_same};
use heddle_progress::tell;
use heddle_selfplay::{Openings, OpeningsError};

use crate::args::Args;
use crate::engine::{self, EngineError};
use crate::game::Board;
use crate::parameter::{Parameter, UnknownParameter, select};
use crate::plot;
use crate::progress::Progress;
use crate::session::{Plan, Session};
use crate::state::{self, StateError, StateFile};
use crate::tune::tune;

/// Pairs after which the state is saved: a kill loses as many, and those under way.
const SAVE_INTERVAL: u64 = 20;

/// Size of each engine's transposition table, in MiB.
const HASH: usize = 16;
/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The plot would replace the state.
    #[error("{}: the state and the plot need files of their own", .0.display())]
    Overlap(PathBuf),
    /// The engine cannot be tuned.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The command line names a parameter that the engine does not have.
    #[error(transparent)]
    Parameter(#[from] UnknownParameter),
    /// There are no openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The network that judges random openings cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The handler for interrupts cannot be installed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// The plot cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Draw(String),
    /// The plot cannot be written.
    #[error(transparent)]
    Plot(#[from] OutputError),
    /// The standard output cannot be written.
    #[error("cannot print the values: {0}")]
    Print(#[source] io::Error),
}

/// Plays what `args` ask for, draws the plot and prints the values. After an error in play the
/// state is saved and the plot drawn nevertheless.
///
/// # Errors
/// [`TuneError`], the first one.
pub fn run(args: &Args) -> Result<Completion, TuneError> {
    if let Some(plot) = args.plot.as_ref().filter(|plot| is_same(plot, &args.state)) {
        return Err(TuneError::Overlap(plot.clone()));
    }
    let (session, played) = match &args.engine {
        Some(engine) => play(args, engine)?,
        None => (state::load(&args.state)?, Ok(Completion::Complete)),
    };
    let drawn = args.plot.as_deref().map_or(Ok(()), |path| draw(path, &session));
    let completion = played?;
    drawn?;
    print(args, &session).map_err(TuneError::Print)?;
    Ok(completion)
}

/// Plays the pairs that are left, and returns the session as it has been saved.
///
/// # Errors
/// [`TuneError`] before the first game; what happens later is part of the result.
fn play(args: &Args, path: &Path) -> Result<(Session, Result<Completion, TuneError>), TuneError> {
    let parameters = select(engine::parameters(path)?, &args.only)?;
    let plan = Plan {
        signature: engine::signature(path, house())?,
        parameters: parameters.clone(),
        nodes: args.nodes,
        pairs: args.pairs,
        seed: args.seed,
        openings: args.openings.clone(),
    };
    let boards = boards(args, path, &parameters.into())?;
    let (mut file, session) = StateFile::open(&args.state, plan)?;
    // An unwritable path should not cost hours.
    file.save(&session)?;
    if let Some(plot) = &args.plot {
        OutputFile::open(plot)?;
    }
    let stop = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&stop))?;
    let mut progress = Progress::new(session.played(), session.plan.pairs);
    let mut saved = session.played();
    let (session, tuned) = tune(session, boards, &stop, |session| {
        progress.show(session.played());
        if session.played() >= saved + SAVE_INTERVAL {
            file.save(session)?;
            saved = session.played();
        }
        Ok::<_, TuneError>(())
    });
    progress.finish(session.played());
    let kept = file.save(&session).map_err(TuneError::from);
    if !session.is_complete() {
        let (state, played) = (args.state.display(), session.played());
        tell(format_args!("{state}: {played} pairs; the same command continues"));
    }
    let completion =
        if session.is_complete() { Completion::Complete } else { Completion::Interrupted };
    Ok((session, tuned.and(kept).map(|()| completion)))
}

/// A board for each pair to be played at the same time.
fn boards(
    args: &Args,
    path: &Path,
    parameters: &Arc<[Parameter]>,
) -> Result<Vec<Board>, TuneError> {
    let listed = args.openings.as_deref().map(|path| Openings::read(path, None)).transpose()?;
    let network = EvalFile::default().load()?;
    let board = |_| {
        let openings = match &listed {
            Some(listed) => Openings::Listed(Arc::clone(listed)),
            None => Openings::random(network.clone(), MAX_SCORE, &Arc::default())?,
        };
        Ok(Board::new(path, &house(), Arc::clone(parameters), args.nodes, openings))
    };
    (0..args.concurrency).map(board).collect()
}

/// How the engines are started. An interrupt lets them finish their games.
fn house() -> House {
    House { hash: HASH, patience: PATIENCE, cancel: Arc::default() }
}

fn draw(path: &Path, session: &Session) -> Result<(), TuneError> {
    let svg = plot::svg(session).map_err(TuneError::Draw)?;
    Ok(OutputFile::open(path)?.write(svg.as_bytes())?)
}

fn print(args: &Args, session: &Session) -> io::Result<()> {
    let mut out = heddle::streams::output();
    let line: fn(&Parameter, i32) -> String = match (args.apply, args.print) {
        (false, false) => return Ok(()),
        (true, _) => Parameter::declaration,
        (false, true) => Parameter::line,
    };
    session.tuned().try_for_each(|(parameter, value)| writeln!(out, "{}", line(parameter, value)))
}
