//! The judge: how well networks agree with an engine that shares nothing with ours.
//!
//! A loss on our own games measures how well a network agrees with searches that rest on a network
//! like it, and so do games against ourselves: any evaluation that agrees with its own shallow
//! searches is a fixed point. The judge's positions come from games between different engines, each
//! scored by a long search of one that has not learnt from ours. A network's merit is the
//! correlation of its winning chances with the judge's: the scale of its scores does not matter,
//! only what it holds to be better. The intervals resample positions: the bootstrap of B. Efron,
//! "Bootstrap Methods: Another Look at the Jackknife", 1979.

use std::fmt;
use std::path::{Path, PathBuf};

use heddle::engine::EngineError;
use heddle::eval;
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Position};
use heddle::score::Score;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_selfplay::Player;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::committee::Committee;
use crate::gold::interval;
use crate::logistic::sigmoid;

/// Centipawns that multiply the odds of the judge's scores by e.
const JUDGE_SCALE: f32 = 150.0;
/// Centipawns that may do so for a network: it gets the one with which it agrees best.
const SCALES: [f32; 9] = [50.0, 70.0, 100.0, 140.0, 200.0, 280.0, 400.0, 560.0, 800.0];
/// Ranges of the number of pieces, kings included, that have a column.
const PIECES: [[usize; 2]; 4] = [[2, 10], [11, 18], [19, 26], [27, 32]];
/// Positions that a thread searches at a time.
const PART: usize = 64;
/// MiB of the table of a search.
const HASH: usize = 1;
/// Resamples of the bootstrap.
const DRAWS: usize = 1000;
/// Seed of the bootstrap.
const SEED: u128 = 1;

/// Compare networks with an engine that shares nothing with ours.
///
/// Prints the correlation of winning chances over all positions and by the number of pieces, with a
/// 95 % interval and, for each network after the first, the difference to the first. Never train on
/// these positions.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example: heddle train judge default new.nnue --set judge.epd")]
pub struct Args {
    /// Networks: a file, `default` for the engine's own, or `classical`; the mean of several is
    /// named one+other
    #[arg(required = true, value_name = "NETWORK")]
    pub networks: Vec<String>,
    /// Positions, one per line: FEN;CENTIPAWNS;DEPTH, from White's point of view
    #[arg(long, required = true, value_name = "FILE")]
    pub set: PathBuf,
    /// Judge searches of about N nodes instead of static evaluations; networks are then files, and
    /// no means
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
}

/// Why networks could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A network cannot be loaded.
    #[error(transparent)]
    EvalFile(#[from] EvalFileError),
    /// The positions cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A line is not a position with a score.
    #[error("{}, line {line}: not FEN;CENTIPAWNS;DEPTH", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
    },
    /// There are too few positions to compare on.
    #[error("{}: a judge needs at least two positions", .0.display())]
    Few(PathBuf),
    /// There is no memory to search with.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A position with the judge's score.
struct Case {
    position: Position,
    /// White's chance according to the judge.
    chance: f32,
}

impl Case {
    /// A score for the side to move, from White's point of view.
    fn whites(&self, score: Score) -> f32 {
        self.position.turn().fold_wb(score, -score).get() as f32
    }
}

/// The agreement of some networks with the judge. Its `Display` is a table.
#[derive(Clone, Debug)]
pub struct Report {
    /// The set of positions.
    pub set: PathBuf,
    /// Number of positions.
    pub positions: usize,
    /// The networks, in the order given.
    pub rows: Vec<Row>,
}

/// The agreement of one network.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name as given.
    pub name: String,
    /// The correlation over all positions.
    pub correlation: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// The correlation for each range of the number of pieces; NaN if there are too few.
    pub by_pieces: [f64; PIECES.len()],
    /// The correlation minus the first network's.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub difference_interval: [f64; 2],
}

/// Judges the networks that `args` name.
///
/// # Errors
/// [`JudgeError`].
pub fn run(args: &Args) -> Result<Report, JudgeError> {
    let cases = read(&args.set)?;
    let truth: Vec<f32> = cases.iter().map(|case| case.chance).collect();
    let pieces: Vec<usize> = cases.iter().map(|case| case.position.occupied().count()).collect();
    let names = args.networks.iter();
    // All are loaded before the first is judged: a missing one should not cost minutes.
    let scores: Vec<Vec<f32>> = if let Some(nodes) = args.nodes {
        let networks = names.map(|name| EvalFile::from(name.as_str()).load());
        let networks = networks.collect::<Result<Vec<_>, _>>()?;
        let networks = networks.iter().map(Option::as_ref);
        networks.map(|network| searched(network, nodes, &cases)).collect::<Result<_, _>>()?
    } else {
        let networks = names.map(|name| Committee::named(name)).collect::<Result<Vec<_>, _>>()?;
        networks.iter().map(|network| evaluated(network, &cases)).collect()
    };
    let chances: Vec<_> = scores.iter().map(|scores| fitted(scores, &truth)).collect();
    let draws = draws(&chances, &truth);
    let row = |(index, name): (usize, &String)| {
        let over = |chosen: &[usize]| correlation(&chances[index], &truth, chosen);
        let all: Vec<usize> = (0..truth.len()).collect();
        let (correlation_of_all, first) = (over(&all), correlation(&chances[0], &truth, &all));
        let by_pieces = PIECES.map(|[low, high]| {
            let within = |&index: &usize| (low..=high).contains(&pieces[index]);
            over(&all.iter().copied().filter(within).collect::<Vec<_>>())
        });
        Row {
            name: name.clone(),
            correlation: correlation_of_all,
            interval: interval(draws.iter().map(|draw| draw[index])),
            by_pieces,
            difference: correlation_of_all - first,
            difference_interval: interval(draws.iter().map(|draw| draw[index] - draw[0])),
        }
    };
    let rows = args.networks.iter().enumerate().map(row).collect();
    Ok(Report { set: args.set.clone(), positions: truth.len(), rows })
}

/// White's scores by the static evaluation of a network, or of the mean of several.
fn evaluated(network: &Committee, cases: &[Case]) -> Vec<f32> {
    let score = |case: &Case| {
        let own = eval::faded(network.evaluate(&case.position), &case.position);
        case.whites(own)
    };
    cases.iter().map(score).collect()
}

/// White's scores by searches with a network, or with the classical evaluation, each with an empty
/// memory.
fn searched(
    network: Option<&Arc<Network>>,
    nodes: u64,
    cases: &[Case],
) -> Result<Vec<f32>, JudgeError> {
    let stop = Arc::new(StopFlag::default());
    let part = |part: &[Case]| -> Result<Vec<f32>, JudgeError> {
        let mut player = Player::new(HASH, network.cloned(), &stop)?;
        let score = |case: &Case| {
            player.clear();
            let found = player.search(&Game::new(case.position.clone()), nodes);
            found.map_or(0.0, |(_, score)| case.whites(score))
        };
        Ok(part.iter().map(score).collect())
    };
    let parts: Result<Vec<_>, _> = cases.par_chunks(PART).map(part).collect();
    Ok(parts?.concat())
}

/// Reads the positions of a set; lines without a semicolon are comments.
fn read(path: &Path) -> Result<Vec<Case>, JudgeError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| JudgeError::File { path: path.to_owned(), source })?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| line.contains(';'));
    let cases = lines
        .map(|(number, line)| {
            case(line).ok_or_else(|| JudgeError::Line { path: path.to_owned(), line: number })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if cases.len() < 2 { Err(JudgeError::Few(path.to_owned())) } else { Ok(cases) }
}

fn case(line: &str) -> Option<Case> {
    let mut fields = line.split(';');
    let position = Position::from_fen(fields.next()?).ok()?;
    let score: f32 = fields.next()?.trim().parse().ok()?;
    (!position.is_check()).then(|| Case { position, chance: sigmoid(score / JUDGE_SCALE) })
}

/// White's chances for these scores, by the scale with which they agree best with `truth`.
fn fitted(scores: &[f32], truth: &[f32]) -> Vec<f32> {
    let all: Vec<usize> = (0..truth.len()).collect();
    let by = |scale: f32| scores.iter().map(|score| sigmoid(score / scale)).collect::<Vec<_>>();
    let candidates = SCALES.into_iter().map(by);
    let agreement = |chances: &Vec<f32>| correlation(chances, truth, &all);
    candidates
        .max_by(|a, b| agreement(a).total_cmp(&agreement(b)))
        .expect("there are scales to choose from")
}

/// The correlation (Pearson's) of `a` and `b` over the `chosen` indices; NaN if either is constant.
fn correlation(a: &[f32], b: &[f32], chosen: &[usize]) -> f64 {
    let pairs = || chosen.iter().map(|&index| (f64::from(a[index]), f64::from(b[index])));
    let count = chosen.len() as f64;
    let (mean_a, mean_b) =
        pairs().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let [mut aa, mut ab, mut bb] = [0.0; 3];
    for (a, b) in pairs() {
        let (a, b) = (a - mean_a, b - mean_b);
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    ab / (aa * bb).sqrt()
}

/// The correlations of all networks over the same positions drawn with replacement, many times.
fn draws(chances: &[Vec<f32>], truth: &[f32]) -> Vec<Vec<f64>> {
    let mut rng = Pcg64::new(SEED, SEED);
    let count = truth.len();
    (0..DRAWS)
        .map(|_| {
            let chosen: Vec<usize> = (0..count).map(|_| rng.random_range(0..count)).collect();
            chances.iter().map(|chances| correlation(chances, truth, &chosen)).collect()
        })
        .collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} positions, correlation of winning chances",
            self.set.display(),
            self.positions
        )?;
        let columns = PIECES.map(|[low, high]| format!("{:>7}", format!("{low}-{high}")));
        writeln!(f, "{:24} {:>6} {:>15} {}  pieces", "", "all", "95 %", columns.join(" "))?;
        for (index, row) in self.rows.iter().enumerate() {
            let [low, high] = row.interval;
            write!(f, "{:24} {:.4} [{low:.4}, {high:.4}]", row.name, row.correlation)?;
            for correlation in row.by_pieces {
                write!(f, " {correlation:7.3}")?;
            }
            if index > 0 {
                let [low, high] = row.difference_interval;
                write!(f, "  {:+.4} [{low:+.4}, {high:+.4}]", row.difference)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_does_not_depend_on_the_scale() {
        let scores: Vec<f32> = (-300..300).map(|score| score as f32).collect();
        let truth: Vec<f32> = scores.iter().map(|score| sigmoid(score / JUDGE_SCALE)).collect();
        let all: Vec<usize> = (0..truth.len()).collect();
        for factor in [0.5, 1.0, 3.0] {
            let scaled: Vec<f32> = scores.iter().map(|score| score * factor).collect();
            let found = correlation(&fitted(&scaled, &truth), &truth, &all);
            assert!(found > 0.999, "{factor}: {found}");
        }
    }

    #[test]
    fn a_network_that_knows_more_agrees_more() {
        let mut rng = Pcg64::new(3, 3);
        let truth: Vec<f32> = (0..500).map(|_| rng.random_range(0.0..1.0)).collect();
        let mut noisy = |noise: f32| -> Vec<f32> {
            truth.iter().map(|chance| chance + rng.random_range(-noise..noise)).collect()
        };
        let chances = [noisy(0.6), noisy(0.3)];
        let draws = draws(&chances, &truth);
        let [low, _] = interval(draws.iter().map(|draw| draw[1] - draw[0]));
        assert!(low > 0.0);
        assert!(draws.iter().all(|draw| draw.iter().all(|&found| found < 1.0)));
    }

    #[test]
    fn a_search_sees_what_the_evaluation_does_not() {
        let cases: Vec<Case> = [
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1;900;20", // mate in one
            "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1;-900;20",
        ]
        .map(|line| case(line).unwrap())
        .into();
        let scores = searched(None, 500, &cases).unwrap();
        assert_eq!(scores, [Score::mate_in(1).get() as f32, -Score::mate_in(1).get() as f32]);
        let classical = Committee::named("classical").unwrap();
        assert!(evaluated(&classical, &cases).iter().all(|score| score.abs() < 900.0));
    }

    #[test]
    fn lines_hold_a_position_and_a_score() {
        let found = case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;150;20").unwrap();
        assert!((found.chance - sigmoid(1.0)).abs() < 1e-6);
        assert!(case("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1;much;20").is_none());
        assert!(case("4k3/8;150;20").is_none());
        assert!(case("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1;0;20").is_none(), "in check");
    }
}
