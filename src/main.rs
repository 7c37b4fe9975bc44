//! Heddle's command line. Without a command, it speaks UCI.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, CommandFactory, Parser, Subcommand};

use heddle::cli::hands::{Role, search_threads};
use heddle::cli::{
    self, ANALYSIS_HASH, Completion, between, depth, fail, hash, hint, lines, similar,
    stop_on_interrupt, threads, word,
};
use heddle::commands::bench::{self, BenchError, Total};
use heddle::commands::suite::{self, Searcher};
use heddle::commands::{analyse, perft, speedtest, tools};
use heddle::engine::{Engine, Settings};
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::simd::Simd;
use heddle::machine::{bounds, processors};
use heddle::memory::{HEADROOM, check_headroom};
use heddle::paths;
use heddle::position::{FenError, Position, uci};
use heddle::score::Depth;
use heddle::smp::stop::StopFlag;
use heddle::streams;
use heddle::sync::Arc;
use heddle::text::live::LiveTable;
use heddle::text::rows::{Presenter, Rows, Silent};
use heddle::text::screen::{self, Paint};
use heddle::text::{build, files, setup, show};
use heddle::time::limits::Limits;
use heddle::tt::share_arena;
use heddle::uci::options;

/// The first line for a person at a terminal. A chess program, which uses pipes, does not get it.
const GREETING: &str = concat!(
    "Heddle ",
    env!("CARGO_PKG_VERSION"),
    ", a UCI chess engine. Type help for its commands and quit to end it, or try heddle analyse."
);
/// The place of the file among the words of `bench`.
const BENCH_FILE: usize = 3;
/// Default thinking time of `analyse`.
const DEFAULT_THINKING: Duration = Duration::from_secs(10);

/// A UCI chess engine.
///
/// Without a command, Heddle speaks UCI on its standard input and output: point a chess program
/// at it, or type `help`.
#[derive(Parser)]
#[command(name = "heddle", version, after_help = tools::help(), after_long_help = long_help())]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Uci(UciArgs),
    Bench(BenchArgs),
    Speedtest(SpeedtestArgs),
    Analyse(AnalyseArgs),
    Suite(SuiteArgs),
    Perft(PerftArgs),
    /// Print how the program was built, and which vector instructions it uses here
    Compiler,
    /// Print the search's parameters in the format of `OpenBench` for a tuning run
    #[cfg(any(feature = "spsa", debug_assertions))]
    #[command(hide = true)]
    Spsa,
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

/// Speak UCI, as without a command.
#[derive(Args)]
#[command(after_help = "Example: heddle uci \"position startpos moves e2e4\" \"go depth 12\"")]
struct UciArgs {
    /// Lines to execute instead of those of the standard input
    #[arg(value_name = "LINE", value_parser = word())]
    lines: Vec<String>,
}

/// Search fixed positions and print the nodes and the nodes per second.
///
/// With one thread the node count is the same on every run and machine: it is the signature of the
/// search. With --lockstep this holds for any number of threads.
#[derive(Args)]
#[command(after_help = "Example: heddle bench 64 2 100000 default nodes")]
struct BenchArgs {
    /// Transposition table in MiB [16], threads [1], limit [12], positions (default, current or a
    /// file of FENs) and limit type (depth, nodes, movetime, perft or eval), in this order
    #[arg(value_name = "HASH THREADS LIMIT POSITIONS TYPE", value_parser = word())]
    words: Vec<String>,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
    /// Run the threads in turns, so that the search is repeatable with any number of them
    #[arg(long)]
    lockstep: bool,
    /// The network's vector instructions, such as scalar or avx2 [default: the best that this
    /// processor has]
    #[arg(long)]
    simd: Option<Simd>,
}

/// Search the bench's positions for equal times and print the nodes and the nodes per second.
#[derive(Args)]
struct SpeedtestArgs {
    /// Threads [all cores], transposition table in MiB [128 per thread] and seconds [30], in this
    /// order
    #[arg(value_name = "THREADS HASH SECONDS")]
    words: Vec<String>,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
}

/// Analyse a position and show the best line.
///
/// The search ends at the first limit reached or at Ctrl-C; without a limit, after ten seconds. On
/// a terminal, a table shows how it goes, in colors unless `NO_COLOR` is set.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  heddle analyse 8/8/8/8/4k3/8/1Q6/4K3 w - - 0 1 --depth 20\n  \
    heddle analyse startpos moves e4 c5 Nf3\n  heddle analyse game.pgn --ply 40"
)]
struct AnalyseArgs {
    /// A position and the moves played from there, or a file of games in PGN: a FEN (quoted or not)
    /// or `startpos`, and moves in algebraic or UCI notation [default: the initial position]
    #[arg(num_args = 0.., value_name = "POSITION", value_parser = word())]
    words: Vec<String>,
    /// The number of the game in the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = game_number)]
    game: usize,
    /// Play only this many plies of the game [default: all]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Search until Ctrl-C
    #[arg(long, help_heading = LIMITS, conflicts_with_all = ["movetime", "depth", "nodes"])]
    infinite: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// Number of lines to show
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = lines)]
    multipv: usize,
    /// Print the result as JSON, and nothing before
    #[arg(long)]
    json: bool,
}

/// Solve the positions of a test suite in EPD, whose operations bm and am name the best and the
/// wrong moves.
///
/// Each position is searched with an empty memory, for a second unless another limit is given. A
/// row tells at which depth and after how long the solution was found and kept. Lines that are no
/// task are told and left out; the exit status is then 2.
#[derive(Args)]
#[command(after_help = "Example: heddle suite wac.epd --movetime 5000 --epd solved.epd")]
struct SuiteArgs {
    /// The file, compressed by gzip or zstd or not, or - for the standard input
    #[arg(value_name = "FILE.epd")]
    file: PathBuf,
    /// Write the positions with what was found to this file, as EPD
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// Go on where an interrupted run of the same suite has ended: positions that its file has are
    /// not searched again
    #[arg(long, requires = "epd")]
    resume: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// Count the leaves of the tree of legal moves.
#[derive(Args)]
#[command(after_help = "Example: heddle perft 5 --divide")]
struct PerftArgs {
    /// Depth of the tree, in plies, unless --depth is given; then the position in Forsyth-Edwards
    /// Notation, quoted or not [default: the initial position]
    #[arg(num_args = 0.., value_name = "DEPTH FEN")]
    words: Vec<String>,
    /// Depth of the tree, in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(perft::MAX_DEPTH)))]
    depth: Option<u32>,
    /// Print the count for each root move
    #[arg(long)]
    divide: bool,
    /// Number of threads
    #[arg(long, default_value_t = processors(), value_parser = threads)]
    threads: usize,
}

/// What searches a position, and for how long.
#[derive(Args)]
struct SearchArgs {
    /// Time to search a position: milliseconds, or such as 5s or 2m
    #[arg(long, help_heading = LIMITS, value_name = "TIME", value_parser = cli::duration)]
    movetime: Option<Duration>,
    /// Depth to search to, in plies
    #[arg(long, help_heading = LIMITS, value_name = "PLIES", value_parser = depth())]
    depth: Option<Depth>,
    /// Nodes to search, over all threads
    #[arg(
        long,
        help_heading = LIMITS,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    nodes: Option<u64>,
    /// Search threads
    #[arg(
        long,
        help_heading = ENGINE,
        value_name = "N",
        default_value_t = search_threads(),
        value_parser = threads
    )]
    threads: usize,
    /// Size of the transposition table, in MiB
    #[arg(
        long,
        help_heading = ENGINE,
        value_name = "MIB",
        default_value_t = ANALYSIS_HASH.min(bounds().hash),
        value_parser = hash
    )]
    hash: usize,
    /// The evaluation: default, classical, or a network file
    #[arg(long, help_heading = ENGINE, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
    /// Run the threads in turns, so that the search is repeatable with any number of them
    #[arg(long, help_heading = ENGINE)]
    lockstep: bool,
}

impl SearchArgs {
    fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.movetime,
            ..Limits::default()
        }
    }

    fn engine(&self) -> Result<Engine, Failure> {
        let mut engine = Engine::new(self.threads, self.hash)?;
        engine.set_network(self.eval.load()?);
        Ok(engine)
    }
}

/// Groups of options in `--help`.
const LIMITS: &str = "Limits";
const ENGINE: &str = "Engine";

/// The end of `--help`: the tools and the UCI options. The manual page serves any machine.
fn long_help() -> String {
    let options = options::help(cli::is_for_manual()).join("\n");
    format!("{}\n\nUCI options:\n{options}", tools::help())
}

fn game_number(text: &str) -> Result<usize, String> {
    between(text, 1, usize::MAX)
}

/// Why a command fails.
type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    share_arena();
    // Without some memory, not even the arguments can be read.
    let headroom = check_headroom(HEADROOM).map_err(Failure::from);
    match headroom.and_then(|()| run_line()) {
        Ok(code) => code,
        Err(error) => fail("heddle", &*error),
    }
}

/// Runs the command line. `heddle help annotate` is the help of the tool.
fn run_line() -> Result<ExitCode, Failure> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [help, command] = words.as_slice()
        && help == "help"
        && command.to_str().is_some_and(tools::is_tool)
    {
        return Ok(tools::run(&words)?);
    }
    run(cli::parse::<Cli>(&tools::TOOLS).command)
}

fn run(command: Option<Command>) -> Result<ExitCode, Failure> {
    match command {
        None => run_uci(&[]),
        Some(Command::Uci(args)) => run_uci(&args.lines),
        Some(Command::Bench(args)) => run_bench(&args),
        Some(Command::Speedtest(args)) => run_speedtest(&args),
        Some(Command::Analyse(args)) => run_analyse(&args),
        Some(Command::Suite(args)) => return run_suite(&args),
        Some(Command::Perft(args)) => run_perft(&args),
        Some(Command::Compiler) => Ok(writeln!(streams::output(), "{}", build::compiler())?),
        #[cfg(any(feature = "spsa", debug_assertions))]
        Some(Command::Spsa) => run_spsa(),
        Some(Command::External(words)) => return run_external(&words),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Speaks UCI: executes `lines`, or those of the standard input if there are none.
fn run_uci(lines: &[String]) -> Result<(), Failure> {
    if lines.is_empty() {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            writeln!(streams::output(), "{GREETING}")?;
        }
        heddle::uci::run(io::BufReader::new(streams::input()), streams::output())?;
    } else {
        // The end of the lines ends the program as well, but not the work that is still to be done.
        let lines: Vec<_> =
            lines.iter().map(String::as_str).filter(|&line| line != "quit").collect();
        let bytes = paths::os_string(&lines.join("\n")).into_encoded_bytes();
        heddle::uci::run(io::Cursor::new(bytes), streams::output())?;
    }
    Ok(())
}

/// Runs the tool of that name. A word that contains spaces is a line of UCI, as `OpenBench` writes
/// `heddle "genfens 8 seed 1 book None" quit`.
fn run_external(words: &[OsString]) -> Result<ExitCode, Failure> {
    let command = words.first().expect("an external command has a name").to_string_lossy();
    if command.contains(' ') {
        let lines: Vec<_> = words.iter().map(|word| paths::text(word)).collect();
        return run_uci(&lines).map(|()| ExitCode::SUCCESS);
    }
    if tools::is_tool(&command) {
        return Ok(tools::run(words)?);
    }
    let own = Cli::command();
    let names = own.get_subcommands().map(clap::Command::get_name);
    let similar = similar(&command, names.chain(tools::TOOLS.map(|(name, _)| name)));
    let hint = hint(similar, "see heddle --help");
    Err(format!("no such command: {command}; {hint}").into())
}

/// Parses the position given on the command line.
fn position(fen: &[String]) -> Result<Position, FenError> {
    match fen.join(" ").trim() {
        "" | "startpos" => Ok(Position::default()),
        fen => Position::from_record(fen),
    }
}

fn run_bench(args: &BenchArgs) -> Result<(), Failure> {
    let mut words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    // Within UCI the standard input is the protocol's.
    let is_piped = words.get(BENCH_FILE) == Some(&files::STANDARD_INPUT);
    if is_piped {
        words[BENCH_FILE] = "default";
    }
    let read = bench::BenchConfig::read(words, &Position::default(), bounds());
    let mut config = read.map_err(|error| format!("bench: {error}"))?;
    if is_piped {
        let named = heddle::text::suite::read_any(Path::new(files::STANDARD_INPUT), None)?;
        config.positions = named.into_iter().map(|named| named.position).collect();
    }
    config.lockstep = args.lockstep;
    let mut network = args.eval.load()?;
    if let (Some(network), Some(simd)) = (&mut network, args.simd) {
        Arc::make_mut(network).simd = simd;
    }
    run_and_print("bench", |cancel, say| bench::run(&config, network, cancel, say))
}

fn run_speedtest(args: &SpeedtestArgs) -> Result<(), Failure> {
    let words = args.words.iter().map(String::as_str);
    let read = speedtest::SpeedtestConfig::read(words, bounds());
    let config = read.map_err(|error| format!("speedtest: {error}"))?;
    let network = args.eval.load()?;
    run_and_print("speedtest", |cancel, say| speedtest::run(&config, network, cancel, say))
}

/// Prints the lines of a bench as they come, then its total; gives up when nobody reads them.
fn run_and_print(
    name: &str,
    run: impl FnOnce(&Arc<StopFlag>, &mut dyn FnMut(String)) -> Result<Option<Total>, BenchError>,
) -> Result<(), Failure> {
    let cancel = Arc::<StopFlag>::default();
    let mut written = Ok(());
    let mut say = |line| {
        if written.is_ok() {
            written = writeln!(streams::output(), "{line}");
        }
        if written.is_err() {
            cancel.raise();
        }
    };
    let total = run(&cancel, &mut say).map_err(|error| format!("{name}: {error}"))?;
    written?;
    let total = total.expect("only a failed write cancels it");
    Ok(writeln!(streams::output(), "{total}")?)
}

fn run_analyse(args: &AnalyseArgs) -> Result<(), Failure> {
    let game = setup::game(&args.words, args.game, args.ply)?;
    let mut engine = args.search.engine()?;
    let mut limits = Limits { infinite: args.infinite, ..args.search.limits() };
    if limits == Limits::default() {
        limits.move_time = Some(DEFAULT_THINKING);
    }
    let settings =
        Settings { multipv: args.multipv, lockstep: args.search.lockstep, ..Settings::default() };
    let cancel = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&cancel))?;
    let position = game.position();
    let query = analyse::Query { game: &game, limits: &limits, settings: &settings };
    let mut output = streams::output();
    if args.json {
        let analysis = analyse::search(&mut engine, &query, &cancel, &mut Silent, &mut output)?;
        return Ok(writeln!(output, "{:#}", analysis.json(position))?);
    }
    let mut progress: Box<dyn Presenter> = if screen::is_live() {
        let paint = Paint::of_environment();
        Box::new(LiveTable::new(position, args.multipv, limits.move_time, paint, screen::size))
    } else {
        Box::new(Rows { position })
    };
    Ok(analyse::run(&mut engine, &query, &cancel, &mut *progress, &mut output)?)
}

fn run_suite(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    let cancel = Arc::<StopFlag>::default();
    stop_on_interrupt(Arc::clone(&cancel))?;
    let (limits, role) = (args.search.limits(), Role::of_this_process()?);
    let settings = Settings { lockstep: args.search.lockstep, ..Settings::default() };
    let engine = || args.search.engine();
    let session = suite::Session { limits, settings, cancel: &cancel, resumes: args.resume };
    let run =
        |searcher| session.run(searcher, &args.file, args.epd.as_deref(), &mut streams::output());
    let ended = match role {
        Role::Alone => run(Searcher::Engine(&mut engine()?)),
        Role::Head(pool) => run(Searcher::Hands(&pool)),
        Role::Hand => session.serve(&mut engine()?).map(|()| Completion::Complete),
    };
    Ok(cli::exit_status(ended))
}

fn run_perft(args: &PerftArgs) -> Result<(), Failure> {
    let (depth, fen) = match (args.depth, args.words.split_first()) {
        (Some(depth), _) => (depth, &args.words[..]),
        (None, Some((first, rest))) => {
            let depth = cli::between(first, 0, perft::MAX_DEPTH as usize);
            (depth.map_err(|error| format!("perft: the depth is {error}"))? as u32, rest)
        }
        (None, None) => return Err("perft: the depth is missing".into()),
    };
    let position = position(fen)?;
    let start = Instant::now();
    let split = perft::divide(&position, depth, args.threads, &Arc::default())
        .map_err(|error| format!("perft: {error}"))?
        .expect("nobody cancels it");
    let time = start.elapsed();
    let nodes = if depth == 0 { 1 } else { split.iter().map(|(_, count)| count).sum() };
    let mut out = streams::output();
    if args.divide {
        for (m, count) in split {
            writeln!(out, "{}: {count}", uci(m, position.is_chess960()))?;
        }
    }
    let speed = show::nps(nodes, time);
    writeln!(out, "depth {depth} nodes {nodes} time {:.3}s nps {speed}", time.as_secs_f64())?;
    Ok(())
}

#[cfg(any(feature = "spsa", debug_assertions))]
fn run_spsa() -> Result<(), Failure> {
    let mut out = streams::output();
    heddle::search::params::tunable()
        .iter()
        .try_for_each(|param| writeln!(out, "{}", param.spsa()))?;
    Ok(())
}
