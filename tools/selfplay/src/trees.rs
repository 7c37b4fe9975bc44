//! Scores the positions of search trees by a network that knows more.
//!
//! A network that learns from a teacher learns most where it will be asked: see [`tree`].

use std::path::{Path, PathBuf};

use fastrand::Rng;
use heddle::cli;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::position::Position;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_progress::tell;

use crate::draw::{self, Draw, Games, Numbered};
use crate::error::SelfplayError;
use crate::format::{GameResult, Record};
use crate::ordered::{self, Target};
use crate::player::Player;
use crate::progress::Goal;
use crate::rescore::unit;
use crate::teacher::{self, Teacher, TeacherError};
use crate::tree;

/// What to search and to score, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File of games
    file: PathBuf,
    /// File to append the positions to, each as a game of one move
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The network of another engine whose static evaluations are the scores: Stockfish's of the
    /// architectures SFNNv10, HalfKAv2_hm, HalfKAv2 or HalfKP
    #[arg(long, value_name = "FILE")]
    network: PathBuf,
    /// Our centipawns in one unit of that network [default: found from the spread of --eval's
    /// scores]
    #[arg(long, value_name = "CENTIPAWNS", value_parser = unit)]
    unit: Option<f64>,
    /// Positions to stop at
    #[arg(long, default_value_t = 10_000_000)]
    positions: u64,
    /// Search one in N of the games' quiet positions, drawn at random
    #[arg(long, default_value_t = 40, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Nodes per search after which no iteration begins; the search is cut off at eight times this
    /// number
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Score one in N of the positions that a search has evaluated
    #[arg(long, default_value_t = 12, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Positions to search at the same time, one thread each
    #[arg(long, default_value_t = processors(), value_parser = cli::threads)]
    threads: usize,
    /// Transposition table of each thread, in MiB
    #[arg(long, default_value_t = 2, value_name = "MIB", value_parser = cli::hash)]
    hash: usize,
    /// Seed of both selections
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The evaluation of the searches: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
}

/// Searches positions and scores those of the tree.
struct Labeller<'a> {
    file: &'a Path,
    player: Player,
    teacher: Arc<Teacher>,
    draw: Draw,
    nodes: u64,
    keep: u32,
}

/// Appends positions of the trees of searches from positions of a file, with the teacher's scores.
/// An interrupted run makes again what it has written, and continues after it.
///
/// # Errors
/// [`SelfplayError`] if memory is short, a network cannot be read, or a file cannot be read or
/// written or is not a file of games.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let &Args { seed, one_in, nodes, keep, .. } = args;
    let draw = Draw { seed, one_in, random_moves: (0, 0), only_quiet: false };
    let stop = Arc::new(StopFlag::default());
    let own = args.eval.load()?;
    let teacher = Teacher::load(&args.network)?;
    let evaluate = |position: &Position| Some(teacher.evaluation(position));
    let unit = draw::unit(args.unit, &args.file, draw, own.as_deref(), teacher::SAMPLE, evaluate)?
        .ok_or_else(|| TeacherError::scaleless(&args.network))?;
    let teacher = Arc::new(teacher.with_unit(unit));
    let labeller = |_| {
        let player = Player::new(args.hash, own.clone(), &stop)?;
        Ok(Labeller { file: &args.file, player, teacher: Arc::clone(&teacher), draw, nodes, keep })
    };
    let labellers = (0..args.threads).map(labeller).collect::<Result<Vec<_>, SelfplayError>>()?;
    let mut games = Games::open(&args.file)?;
    let (file, extent) = ordered::open_scored(&args.output)?;
    tell(format_args!(
        "{}: {} of {} positions; seed {seed}, {} threads, {nodes} nodes per tree, {unit} \
         centipawns in a unit of {}",
        args.output.display(),
        extent.positions,
        args.positions,
        args.threads,
        args.network.display(),
    ));
    let workers = labellers.into_iter().map(|mut labeller| move |game| labeller.label(&game));
    let goal = Goal::Positions(args.positions);
    let target = Target { path: &args.output, file, extent, again: extent.games, goal };
    let result = ordered::run(&mut games, workers.collect(), target, &stop);
    games.warn_of_truncation();
    let (games, share) = games.progress();
    tell(format_args!(
        "{}: read {share:.0} % of the file, games 1 to {games}",
        args.file.display()
    ));
    result
}

impl Labeller<'_> {
    /// Positions of the trees of those drawn from a game, each as a game of one move; `None` if
    /// stopped.
    fn label(&mut self, game: &Numbered) -> Option<Result<Vec<Record>, SelfplayError>> {
        let drawn = match game.draw(self.file, self.draw) {
            Ok(drawn) => drawn,
            Err(error) => return Some(Err(error.into())),
        };
        let mut rng = Rng::with_seed(!self.draw.seed ^ game.number as u64);
        let mut records = Vec::new();
        for drawn in &drawn {
            self.player.clear();
            self.player.search(&drawn.game, self.nodes)?;
            let mut tree = tree::evaluated(self.player.table(), drawn.game.position());
            tree.retain(|_| rng.u32(..self.keep) == 0);
            records.extend(tree.iter().filter_map(|p| self.scored(p, game.record.result())));
        }
        Some(Ok(records))
    }

    /// A game of one move: any that is neither a capture nor a promotion, so that every filter lets
    /// it pass; `None` if there is none.
    fn scored(&self, position: &Position, result: GameResult) -> Option<Record> {
        let m =
            position.legal_moves().into_iter().find(|m| !m.is_capture() && !m.is_promotion())?;
        Some(Record::scored(position, result, m, self.teacher.score(position)))
    }
}
