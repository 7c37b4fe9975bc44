//! Shuffled batches from game files.
//!
//! A separate thread reads games, collects the positions suitable for training until the buffer is
//! full, and sends them as batches in random order. If all positions fit in the buffer, they are
//! read only once. The order depends only on the seed and the files, so a resumed training sees the
//! same batches as an uninterrupted one.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use heddle_selfplay::{FileError, Reader, Record, RecordError, open};
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::aim::Aim;
use crate::packed::PackedSample;
use crate::plan::Plan;
use crate::sample::Sample;

/// Batches prepared in advance.
const AHEAD: usize = 4;
/// Games whose positions are found at a time, by all threads: teachers are slow, and games of a
/// single position are little work each.
const GAMES: usize = 4096;

/// The source of batches.
#[derive(Clone, Debug)]
pub struct Source {
    /// Files of games in viriformat.
    pub files: Vec<PathBuf>,
    /// Positions per batch.
    pub batch: usize,
    /// Positions shuffled at a time.
    pub buffer: usize,
    /// The targets.
    pub aim: Aim,
    /// Seed of the order.
    pub seed: u64,
}

/// Why there are no batches.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read, or is not a file of games.
    #[error(transparent)]
    File(#[from] FileError),
    /// The reading thread ended without an error, which is a bug.
    #[error("the reading thread has ended")]
    Ended,
    /// There is too little data.
    #[error("{found} positions to train on: less than a batch of {batch}")]
    Few {
        /// Positions found.
        found: usize,
        /// Positions per batch.
        batch: usize,
    },
}

/// The games of a file.
type Games = Reader<BufReader<File>>;
type Sender = SyncSender<Result<Vec<Sample>, LoadError>>;

/// The next games and where each begins, at most [`GAMES`] and no more than have `positions`; none
/// at the end of the file.
fn next(reader: &mut Games, positions: usize) -> Result<Vec<(u64, Record)>, FileError> {
    let (mut games, mut found) = (Vec::new(), 0);
    while games.len() < GAMES && found < positions {
        let Some(game) = reader.next().transpose()? else { break };
        found += game.positions();
        games.push((reader.offset(), game));
    }
    Ok(games)
}

/// The positions of a game that are suitable for training.
fn samples(record: &Record, aim: &Aim) -> Result<Vec<PackedSample>, RecordError> {
    let mut samples = Vec::new();
    let targets = aim.label(record, |position| {
        samples.push(PackedSample::new(position, 0.5));
    })?;
    for (sample, target) in samples.iter_mut().zip(targets) {
        sample.set_target(target);
    }
    Ok(samples)
}

/// The first positions of `files`, at most `limit`, with targets by `aim`.
///
/// # Errors
/// [`LoadError::File`].
pub fn read(files: &[PathBuf], limit: usize, aim: &Aim) -> Result<Vec<Sample>, LoadError> {
    let mut positions = Positions::new(files, aim);
    let mut found = Vec::new();
    positions.take(limit, &mut found)?;
    Ok(found.iter().take(limit).map(PackedSample::unpack).collect())
}

/// The positions of some files that are suitable for training, in order.
struct Positions<'a> {
    waiting: std::slice::Iter<'a, PathBuf>,
    file: Option<Games>,
    aim: &'a Aim,
}

impl<'a> Positions<'a> {
    fn new(files: &'a [PathBuf], aim: &'a Aim) -> Self {
        Self { waiting: files.iter(), file: None, aim }
    }

    /// Replaces `found` by the next positions, in whole games: `count` or a few more; fewer at the
    /// end of the files.
    fn take(&mut self, count: usize, found: &mut Vec<PackedSample>) -> Result<(), LoadError> {
        found.clear();
        while found.len() < count {
            let Some(reader) = &mut self.file else {
                let Some(path) = self.waiting.next() else { break };
                self.file = Some(open(path)?);
                continue;
            };
            let games = next(reader, count - found.len())?;
            if games.is_empty() {
                reader.warn_of_truncation();
                self.file = None;
                continue;
            }
            let sampled: Vec<_> =
                games.par_iter().map(|(_, game)| samples(game, self.aim)).collect();
            for ((offset, _), samples) in games.iter().zip(sampled) {
                found.extend(samples.map_err(|source| reader.blame_at(*offset, source))?);
            }
        }
        Ok(())
    }
}

impl Source {
    /// The batches of a plan.
    #[must_use]
    pub fn new(plan: &Plan, aim: Aim) -> Self {
        Self {
            files: plan.files.clone(),
            batch: plan.batch,
            buffer: plan.buffer,
            aim,
            seed: plan.seed,
        }
    }

    /// Starts to send batches, skipping the first `skip`. They end only when the receiver is
    /// dropped, or with an error.
    #[must_use]
    pub fn batches(self, skip: u64) -> Receiver<Result<Vec<Sample>, LoadError>> {
        let (sender, receiver) = sync_channel(AHEAD);
        thread::spawn(move || {
            if let Err(error) = self.feed(skip, &sender) {
                // The receiver is gone if the training has ended.
                let _ = sender.send(Err(error));
            }
        });
        receiver
    }

    /// Sends batches until the receiver is dropped.
    fn feed(&self, mut skip: u64, sender: &Sender) -> Result<(), LoadError> {
        let mut fill = 0;
        let mut samples = Vec::new();
        loop {
            let mut positions = Positions::new(&self.files, &self.aim);
            positions.take(self.buffer, &mut samples)?;
            let is_all = samples.len() < self.buffer;
            if samples.len() < self.batch {
                return Err(LoadError::Few { found: samples.len(), batch: self.batch });
            }
            loop {
                if !self.send(&samples, fill, &mut skip, sender) {
                    return Ok(());
                }
                fill += 1;
                if !is_all {
                    positions.take(self.buffer, &mut samples)?;
                    if samples.len() < self.batch {
                        break;
                    }
                }
            }
        }
    }

    /// Sends the batches of the buffer's filling number `fill`, skipping the first `skip` and an
    /// incomplete batch at the end. Returns whether the receiver is still there.
    fn send(&self, samples: &[PackedSample], fill: u64, skip: &mut u64, sender: &Sender) -> bool {
        let batches = (samples.len() / self.batch) as u64;
        if batches <= *skip {
            *skip -= batches;
            return true;
        }
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        order.shuffle(&mut Pcg64::new(u128::from(self.seed), u128::from(fill)));
        let wanted = order.chunks_exact(self.batch).skip(std::mem::take(skip) as usize);
        let mut gathered = Vec::with_capacity(self.batch);
        for chosen in wanted {
            // Gathered before they are unpacked, so that many reads from far apart are under way at
            // once.
            gathered.clear();
            gathered.extend(chosen.iter().map(|&index| samples[index as usize]));
            // Positions with the same kings share most rows of the first layer, which then stay in
            // the cache.
            gathered.sort_by_key(PackedSample::zones);
            let batch = gathered.iter().map(PackedSample::unpack).collect();
            if sender.send(Ok(batch)).is_err() {
                return false;
            }
        }
        true
    }
}
