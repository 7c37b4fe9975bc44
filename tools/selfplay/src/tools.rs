//! Counts, shuffles, splits, rescores and imports game files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::mem;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::error::SelfplayError;
use crate::files::{self, FileError};
use crate::stats::Stats;
use crate::writer::{Writer, finish, say};
use crate::{fit, import, observe, positions, rescore, trees};

/// Work on files of games in viriformat.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Tool {
    /// Check every move and print counts of games, results, lengths, scores and pieces
    Stats {
        /// Files of games
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Fit the model behind `UCI_ShowWDL`, and print its coefficients
    FitWdl {
        /// Files of games
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Write the games of all files in random order; only their positions in the files are held in
    /// memory
    Shuffle {
        /// Files of games
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// File to write, which must not exist yet
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Seed of the order
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Give positions of games new scores, by longer searches or another engine's network; an
    /// interrupted run continues where it was
    Rescore(rescore::Args),
    /// Score the positions of search trees by another engine's network, to learn from; an
    /// interrupted run continues where it was
    Trees(trees::Args),
    /// Read games in PGN whose comments have evaluations
    Import(import::Args),
    /// Read lists of positions in FEN or EPD, of which the quiet ones are kept, for `rescore`
    Positions(positions::Args),
    /// Split a file into games to train on and games to test on, which are the last of the file
    Split {
        /// File of games
        file: PathBuf,
        /// Share of the games to hold out, 0 to 1
        #[arg(long, value_parser = fraction)]
        fraction: f64,
        /// Files to write, which must not exist yet
        #[arg(short, long, num_args = 2, value_names = ["TRAIN", "HELD"], required = true)]
        output: Vec<PathBuf>,
    },
}

fn fraction(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

/// Runs the tool that `args` ask for.
///
/// # Errors
/// [`SelfplayError`] if a file cannot be read or written or is not a file of games; if memory is
/// short or a network cannot be read.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    match &args.tool {
        Tool::Stats { files } => stats(files)?,
        Tool::FitWdl { files } => fit_wdl(files)?,
        Tool::Shuffle { files, output, seed } => shuffle(files, output, *seed)?,
        Tool::Rescore(args) => rescore::run(args)?,
        Tool::Trees(args) => trees::run(args)?,
        Tool::Import(args) => import::run(args)?,
        Tool::Positions(args) => positions::run(args)?,
        Tool::Split { file, fraction, output } => split(file, *fraction, output)?,
    }
    Ok(())
}

fn stats(paths: &[PathBuf]) -> Result<(), FileError> {
    let mut stats = Stats::default();
    for path in paths {
        let mut reader = files::open(path)?;
        while let Some(record) = reader.next() {
            stats.add(&record?).map_err(|error| reader.blame(error))?;
        }
        reader.warn_of_truncation();
    }
    say(stats)
}

fn fit_wdl(paths: &[PathBuf]) -> Result<(), FileError> {
    let mut observations = Vec::new();
    for path in paths {
        let mut reader = files::open(path)?;
        while let Some(record) = reader.next() {
            observe::observe(&record?, &mut observations).map_err(|error| reader.blame(error))?;
        }
        reader.warn_of_truncation();
    }
    match fit::fit(observations) {
        Some(fit) => say(fit),
        None => say("no position to fit to\n"),
    }
}

fn shuffle(paths: &[PathBuf], output: &Path, seed: u64) -> Result<(), FileError> {
    let mut source = Source::open(paths)?;
    let mut places = mem::take(&mut source.places);
    Rng::with_seed(seed).shuffle(&mut places);
    let mut writer = Writer::create(output)?;
    for place in &places {
        writer.write(source.read(place)?)?;
    }
    finish(vec![writer], "games")
}

/// The last games are held out, and not some drawn at random: positions that were searched anew
/// stand as games of their own, those from one game side by side, and a network that has learnt one
/// of them knows the others.
fn split(path: &Path, fraction: f64, outputs: &[PathBuf]) -> Result<(), FileError> {
    let paths = [path.to_owned()];
    let mut source = Source::open(&paths)?;
    let mut writers: Vec<_> =
        outputs.iter().map(|path| Writer::create(path)).collect::<Result<_, _>>()?;
    let places = mem::take(&mut source.places);
    let learnt = ((1.0 - fraction) * places.len() as f64).round() as usize;
    for (index, place) in places.iter().enumerate() {
        writers[usize::from(index >= learnt)].write(source.read(place)?)?;
    }
    finish(writers, "games")
}

/// Where a game is stored.
struct Place {
    file: usize,
    offset: u64,
    length: usize,
}

/// Files of games, read in any order.
struct Source<'a> {
    paths: &'a [PathBuf],
    files: Vec<File>,
    places: Vec<Place>,
    bytes: Vec<u8>,
}

impl<'a> Source<'a> {
    /// Reads all files first, so that nothing is written before they are known to be valid.
    fn open(paths: &'a [PathBuf]) -> Result<Self, FileError> {
        let mut places = Vec::new();
        for (file, path) in paths.iter().enumerate() {
            let mut reader = files::open(path)?;
            let mut offset = 0;
            for record in &mut reader {
                let length = record?.bytes().len();
                places.push(Place { file, offset, length });
                offset += length as u64;
            }
            reader.warn_of_truncation();
        }
        let open = |path: &PathBuf| File::open(path).map_err(files::io_error(path));
        let files = paths.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { paths, files, places, bytes: Vec::new() })
    }

    /// The bytes of a game.
    fn read(&mut self, place: &Place) -> Result<&[u8], FileError> {
        self.bytes.resize(place.length, 0);
        let file = &mut self.files[place.file];
        file.seek(SeekFrom::Start(place.offset))
            .and_then(|_| file.read_exact(&mut self.bytes))
            .map_err(files::io_error(&self.paths[place.file]))?;
        Ok(&self.bytes)
    }
}
