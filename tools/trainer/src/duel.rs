//! Games between two networks.
//!
//! No loss foretells games, so games decide. Both networks play in this process, at equal nodes,
//! every opening twice with sides exchanged.

use heddle::cli;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, Mutex, thread};
use heddle::syzygy::Tablebases;
use heddle_progress::Progress;
use heddle_selfplay::{Match, Rules, Score, SelfplayError, Variety};

/// Play one network against another at equal nodes.
///
/// Every opening is played twice, with sides exchanged. Ctrl-C ends with the games played so far.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example: heddle train duel new.nnue default --games 10000")]
pub struct Args {
    /// The evaluation to judge: default, classical, or a network file
    pub network: EvalFile,
    /// The evaluation that it plays against
    pub baseline: EvalFile,
    /// Games to play, rounded up to pairs
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// Nodes per move after which no iteration begins; the search is cut off at eight times this
    /// number
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Games to play at the same time, one thread each
    #[arg(long, default_value_t = processors(), value_parser = cli::threads)]
    pub threads: usize,
    /// Transposition table of each side of each game, in MiB
    #[arg(long, default_value_t = 1, value_name = "MIB", value_parser = cli::hash)]
    pub hash: usize,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How the openings are drawn
    #[arg(long, value_enum, default_value_t)]
    pub openings: Variety,
    /// Directories of Syzygy tablebases, which end a game once they know its result
    #[arg(long, value_name = "PATH", default_value = "")]
    pub syzygy: String,
}

/// The pairs played so far.
#[derive(Default)]
struct State {
    /// Number of the next pair.
    next: u64,
    score: Score,
}

/// Plays the games that `args` ask for, or as many as are finished when `stop` is raised.
///
/// # Errors
/// [`SelfplayError`] if a network or tablebase cannot be read or memory is short.
pub fn run(args: &Args, stop: &Arc<StopFlag>) -> Result<Score, SelfplayError> {
    let networks = [args.network.load()?, args.baseline.load()?];
    let rules = Rules {
        nodes: args.nodes,
        seed: args.seed,
        variety: args.openings,
        tablebases: Arc::new(Tablebases::open(&args.syzygy)?),
    };
    let players =
        || Match::new(args.hash, rules.clone(), networks.each_ref().map(Option::as_ref), stop);
    let players = (0..args.threads).map(|_| players()).collect::<Result<Vec<_>, _>>()?;
    let pairs = args.games.div_ceil(2);
    let state = Mutex::new(State::default());
    let progress = Mutex::new(Progress::new(0, pairs));
    let next = || state.lock().take(pairs);
    thread::scope(|scope| {
        for players in players {
            scope.spawn(|| {
                let mut players = players;
                while let Some(number) = next() {
                    let Some([first, second]) = players.play_twice(number) else { return };
                    let mut state = state.lock();
                    state.score.add(first.result(), second.result());
                    progress.lock().show(state.score.played(), state.score.to_string());
                }
            });
        }
    });
    Ok(state.into_inner().score)
}

impl State {
    /// The number of a pair that nobody has taken yet; `None` after `pairs` pairs.
    fn take(&mut self, pairs: u64) -> Option<u64> {
        let number = self.next;
        self.next += 1;
        (number < pairs).then_some(number)
    }
}
