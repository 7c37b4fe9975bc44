//! Games between two networks.
//!
//! No loss foretells games, so games decide. Both networks play in this process, at equal nodes, every
//! opening twice with sides exchanged. The two games of an opening are alike, so the interval counts pairs,
//! not games; common practice since "pentanomial" statistics in Fishtest (M. Van den Bergh, 2019).

use std::fmt;

use heddle::commands::cli;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, Mutex, thread};
use heddle::syzygy::Tablebases;
use heddle_progress::Progress;
use heddle_selfplay::{GameResult, Match, Rules, SelfplayError, Variety};

/// Standard errors on either side of an estimate that make its 95 % interval.
const SIGMAS: f64 = 1.96;
/// Elo of a tenfold ratio of the points.
const ELO: f64 = 400.0;

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

/// The results of pairs of games. Its `Display` is one line.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of games won, drawn and lost.
    pub games: [u64; 3],
    /// Number of pairs that brought 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
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

impl Score {
    /// Adds a pair of games, in the first of which the network to judge was White.
    pub fn add(&mut self, first: GameResult, second: GameResult) {
        let halves = [first as usize, 2 - second as usize];
        halves.iter().for_each(|half| self.games[2 - half] += 1);
        self.pairs[halves[0] + halves[1]] += 1;
    }

    /// The number of pairs.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// The share of the points, 0 to 1, and its standard error.
    #[must_use]
    pub fn mean(&self) -> (f64, f64) {
        let count = self.played() as f64;
        let points = |halves: usize| halves as f64 / 4.0;
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            (0..).zip(self.pairs).map(|(halves, pairs)| pairs as f64 * value(points(halves))).sum()
        };
        let mean = sum(&|points| points) / count;
        let squares = sum(&|points| (points - mean).powi(2));
        (mean, (squares / (count * (count - 1.0))).sqrt())
    }

    /// The difference in Elo and half the width of its 95 % interval; `None` before it can be estimated,
    /// as when one side has all the points.
    #[must_use]
    pub fn elo(&self) -> Option<(f64, f64)> {
        let (mean, error) = self.mean();
        let elo = ELO * (mean / (1.0 - mean)).log10();
        let slope = ELO / (std::f64::consts::LN_10 * mean * (1.0 - mean));
        (elo.is_finite() && error.is_finite()).then_some((elo, SIGMAS * error * slope))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [won, drawn, lost] = self.games;
        write!(f, "games {}, +{won} ={drawn} -{lost}", won + drawn + lost)?;
        match self.elo() {
            Some((elo, error)) => write!(f, ", {elo:+.1} +- {error:.1} Elo (95 %)"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{BlackWin, Draw, WhiteWin};

    #[test]
    fn a_win_counts_for_the_one_who_had_those_pieces() {
        let mut score = Score::default();
        score.add(WhiteWin, BlackWin);
        assert_eq!((score.games, score.pairs), ([2, 0, 0], [0, 0, 0, 0, 1]));
        score.add(BlackWin, WhiteWin);
        assert_eq!((score.games, score.pairs), ([2, 0, 2], [1, 0, 0, 0, 1]));
        score.add(WhiteWin, WhiteWin);
        score.add(Draw, BlackWin);
        assert_eq!((score.games, score.pairs), ([4, 1, 3], [1, 0, 1, 1, 1]));
    }

    #[test]
    fn pairs_that_cancel_out_are_certain_to_be_level() {
        let level = Score { games: [50, 0, 50], pairs: [0, 0, 50, 0, 0] };
        assert_eq!(level.elo(), Some((0.0, 0.0)));
        let uneven = Score { games: [50, 0, 50], pairs: [25, 0, 0, 0, 25] };
        let (elo, error) = uneven.elo().unwrap();
        // Fifty throws of a coin: ±0.139 of the points.
        assert!(elo.abs() < 1e-9 && (error - 97.3).abs() < 1.0, "{error}");
    }

    #[test]
    fn three_points_of_four_are_191_elo() {
        let score = Score { games: [100, 100, 0], pairs: [0, 0, 0, 100, 0] };
        let (elo, _) = score.elo().unwrap();
        assert!((elo - 190.8).abs() < 0.1, "{elo}");
        assert_eq!(Score::default().elo(), None);
        assert_eq!(Score { games: [200, 0, 0], pairs: [0, 0, 0, 0, 100] }.elo(), None);
    }
}
