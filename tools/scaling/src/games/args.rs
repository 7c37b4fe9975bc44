//! The command line of `heddle match`.

use std::path::PathBuf;

use clap::ArgGroup;
use heddle::cli::{GAME_HASH, between, hash, named, threads, word};
use heddle::commands::genfens::MAX_SCORE;
use heddle::machine::{max_threads, processors};

use crate::output::Outputs;
use heddle_client::{Spec, spec};

use super::book::{Order, Selection};
use super::clock::Limit;
use super::contest::{Contest, Match};
use super::factorial::Factor;
use super::own;
use super::sprt::Sprt;

/// Default games, and those after which a test gives up.
const DEFAULT_GAMES: usize = 400;
const MOST_TESTED: usize = 40_000;
/// The fewest games.
const MIN_GAMES: usize = 2;
/// Moves of a side after which a game is drawn, unless something else is said, and the most that
/// can be said.
pub(super) const DEFAULT_MOVES: u32 = 200;
const MOST_MOVES: i64 = 10_000;
/// The most games.
const MAX_GAMES: usize = 1_000_000;
/// Default wait for an engine, in seconds: some take long to allocate a large table.
const DEFAULT_TIMEOUT: u64 = 60;
/// The longest: a day.
const MAX_TIMEOUT: u64 = 86_400;
/// Time for a game and a move unless something else is given, in seconds.
const DEFAULT_LIMIT: Limit = Limit::Time { base: 8.0, increment: 0.08, moves: None };

/// Groups of options in `--help`.
const ODDS: &str = "Equal strength";
const GAMES: &str = "Games";
const OUTPUT: &str = "Output";

/// Play games between two UCI engines, or Heddle against itself with other options: which is
/// stronger, or how much more the second one has to be given to be as strong.
///
/// Every opening is played twice, with sides exchanged, and intervals count pairs. The rules of
/// chess end a game, or its length; an engine that crashes, hangs or plays an illegal move loses
/// it. After an interrupt (Ctrl-C) the results so far are reported and the exit status is 130; a
/// second one ends the program at once.
///
/// fastchess does more for plain matches, such as tournaments. This command finds the multiple of
/// nodes or time at which two engines are equally strong, and resumes.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  heddle match --engine ./heddle --engine ./old --tc 8+0.08 --sprt 0,5 --pgn games.pgn
  heddle match --engine option.Threads=2 --engine option.Threads=1 --games 200
  heddle match --engine option.Threads=8,option.Lockstep=true --nodes 16000 --vary Stagger=none,skip --vary Hash=4,16
  heddle match --engine option.Lockstep=true --threads 2,4,8 --equalise --nodes 4000 --games-file games.txt")]
#[command(group = ArgGroup::new("limit"))]
pub struct Args {
    /// An engine: a command, or
    /// name=NAME,cmd=COMMAND,args=ARGUMENTS,dir=FOLDER,option.OPTION=VALUE; without cmd, this
    /// version of Heddle. A single one plays against itself
    #[arg(long = "engine", value_name = "ENGINE", value_parser = engine, required = true)]
    pub engines: Vec<Spec>,
    /// Time for a game, or for so many moves, and for every move: [MOVES/]SECONDS[+INCREMENT]
    /// [default: 8+0.08]
    #[arg(long, value_name = "TIME", group = "limit", value_parser = Limit::time)]
    pub tc: Option<Limit>,
    /// Nodes per move instead; with --threads, of each thread
    #[arg(long, group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Games to play [default: 400, with --sprt as many as it takes, but at most 40000]; for
    /// --threads, separated by commas, perhaps another number for each
    #[arg(long, value_delimiter = ',', value_parser = games)]
    pub games: Vec<usize>,
    /// Stop when the games decide how much stronger the first engine is: 0,5 stands for 0 or 5 Elo
    #[arg(long, value_name = "ELO0,ELO1", value_parser = Sprt::parse, allow_hyphen_values = true,
          conflicts_with = "equalise")]
    pub sprt: Option<Sprt>,
    /// Give the second engine multiples of the first one's nodes or time, chosen by the games so
    /// far, to find the one at which both are equally strong
    #[arg(long, help_heading = ODDS)]
    pub equalise: bool,
    /// Do so for each of these numbers of threads of the first engine, separated by commas. With
    /// option.Lockstep=true, Heddle simulates them, on any machine
    #[arg(long, help_heading = ODDS, value_name = "THREADS", value_delimiter = ',', value_parser = many,
          requires = "equalise")]
    pub threads: Vec<usize>,
    /// Give this option one value on one side and the other value on the other, by a coin for every
    /// pair of games, to find what the second value is worth. May be repeated: all games tell of
    /// all options
    #[arg(long, value_name = "OPTION=A,B", value_parser = Factor::parse, conflicts_with_all = ["sprt", "equalise"])]
    pub vary: Vec<Factor>,
    /// Openings from a file, or `-`: one per line as EPD or FEN, or games in PGN [default: random
    /// moves]
    #[arg(long, help_heading = GAMES, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// The order of the openings in the file
    #[arg(
        long,
        help_heading = GAMES,
        value_name = "ORDER",
        default_value = "random",
        value_parser = named::<Order>(),
        requires = "openings"
    )]
    pub order: Order,
    /// The first opening to play, counted from 1 in that order
    #[arg(
        long,
        help_heading = GAMES,
        value_name = "N",
        default_value_t = 1,
        requires = "openings",
        value_parser = opening
    )]
    pub start: usize,
    /// Plies of each game in PGN that belong to the opening [default: all]
    #[arg(long, help_heading = GAMES, value_name = "N", requires = "openings")]
    pub plies: Option<usize>,
    /// The longest game, in moves of each side after the opening; it is drawn
    #[arg(long, help_heading = GAMES, value_name = "MOVES", default_value_t = DEFAULT_MOVES,
          value_parser = clap::value_parser!(u32).range(1..=MOST_MOVES))]
    pub max_moves: u32,
    /// The largest advantage of a side in a random opening, in centipawns: a small one leaves fewer
    /// pairs of games to the opening
    #[arg(long, help_heading = GAMES, value_name = "CENTIPAWNS", default_value_t = MAX_SCORE, conflicts_with = "openings",
          value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_SCORE)))]
    pub max_lead: i32,
    /// End a game by the engines' scores as well: won at 8 pawns over 4 plies or at an announced
    /// mate, drawn near 0 over 12 plies after the 40th move
    #[arg(long, help_heading = GAMES)]
    pub adjudicate: bool,
    /// Directories of Syzygy tablebases, which end a game once they know its result
    #[arg(
        long,
        help_heading = GAMES,
        value_name = "PATH",
        default_value = "",
        value_parser = word()
    )]
    pub syzygy: String,
    /// Games to play at the same time [default: the processors divided by the threads of an engine]
    #[arg(long, help_heading = GAMES, value_parser = threads)]
    pub concurrency: Option<usize>,
    /// The longest wait for an answer of an engine, in seconds; a clock has its own
    #[arg(long, help_heading = GAMES, value_name = "SECONDS", default_value_t = DEFAULT_TIMEOUT,
          value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT))]
    pub timeout: u64,
    /// Transposition table of each engine, in MiB, unless option.Hash is given
    #[arg(long, help_heading = GAMES, default_value_t = GAME_HASH, value_parser = hash)]
    pub hash: usize,
    /// Seed of the openings and the bootstrap
    #[arg(long, help_heading = GAMES, default_value_t = 1)]
    pub seed: u64,
    /// Save the results in this file: after an interruption the same command resumes from it
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub games_file: Option<PathBuf>,
    /// Add the games to this file
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// The files of the report
    #[command(flatten)]
    pub outputs: Outputs,
}

impl Args {
    /// The engines of both sides; `None` if there are more than two.
    pub fn sides(&self) -> Option<[Spec; 2]> {
        match &self.engines[..] {
            [one] => Some([one.clone(), one.clone()]),
            [first, second] => Some([first.clone(), second.clone()]),
            _ => None,
        }
    }

    /// What both sides may spend.
    pub fn limit(&self) -> Limit {
        self.tc.or(self.nodes.map(Limit::Nodes)).unwrap_or(DEFAULT_LIMIT)
    }

    /// The openings to play.
    pub fn selection(&self) -> Selection {
        let Self { order, seed, start, plies, .. } = *self;
        Selection { order, seed, start, plies }
    }

    /// What to play; `None` if `games` are neither one number nor as many as the numbers of
    /// threads.
    pub fn contest(&self) -> Option<Contest> {
        let one = [1];
        let threads = if self.threads.is_empty() { &one[..] } else { &self.threads };
        let default = if self.sprt.is_some() { MOST_TESTED } else { DEFAULT_GAMES };
        let each = match self.games[..] {
            [] => vec![default; threads.len()],
            [all] => vec![all; threads.len()],
            _ => self.games.clone(),
        };
        let matches = threads.iter().zip(&each).map(|(&threads, &games)| Match { threads, games });
        let (matches, nodes) = (matches.collect(), self.limit().nodes());
        (threads.len() == each.len()).then_some(Contest { matches, nodes, has_odds: self.equalise })
    }

    /// Games at the same time on a machine with `available` processors.
    pub fn concurrency(&self, sides: &[Spec; 2]) -> usize {
        let threads = |spec: &Spec| spec.option("Threads").and_then(|value| value.parse().ok());
        let of_vary = |factor: &Factor| factor.option.eq_ignore_ascii_case("Threads");
        let varied = self.vary.iter().filter(|factor| of_vary(factor)).flat_map(|f| &f.values);
        let varied = varied.filter_map(|value| value.parse().ok());
        let given = sides.iter().filter_map(threads).chain(varied).max();
        let most = given.max(self.threads.iter().copied().max()).unwrap_or(1);
        // In lockstep one thread runs at a time.
        let most = if self.is_in_lockstep(sides) { 1 } else { most };
        self.concurrency.unwrap_or_else(|| (processors() / most.max(1)).max(1))
    }

    /// Whether both sides are Heddle in lockstep.
    pub fn is_in_lockstep(&self, sides: &[Spec; 2]) -> bool {
        sides.iter().all(|spec| {
            spec.option("Lockstep").is_some_and(|value| value.eq_ignore_ascii_case("true"))
        })
    }
}

/// An engine on the command line.
fn engine(text: &str) -> Result<Spec, String> {
    let mut spec = spec(text)?;
    if spec.program.is_empty() {
        own::set_own(&mut spec).map_err(|error| error.to_string())?;
    }
    Ok(spec)
}

fn many(text: &str) -> Result<usize, String> {
    between(text, 1, max_threads())
}

fn opening(text: &str) -> Result<usize, String> {
    between(text, 1, usize::MAX)
}

fn games(text: &str) -> Result<usize, String> {
    let games = between(text, MIN_GAMES, MAX_GAMES)?;
    if games.is_multiple_of(2) { Ok(games) } else { Err("odd: games are played in pairs".into()) }
}
