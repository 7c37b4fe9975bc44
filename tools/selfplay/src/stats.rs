//! Statistics of game files.

use std::collections::HashSet;
use std::fmt;

use crate::files::Extent;
use crate::filter::is_quiet;
use crate::format::{GameResult, Record, RecordError, ScoredPosition};
use heddle::position::Key;

/// Width of a score bin of the histogram, in centipawns.
const SCORE_STEP: usize = 100;
/// Score bins on either side of zero; the outermost count everything beyond.
const SCORE_LINES: usize = 10;
/// Width of a ply bin.
const PLY_STEP: usize = 20;
/// Number of ply bins; the last counts everything beyond.
const PLY_LINES: usize = 16;
/// Width of a piece-count bin.
const PIECE_STEP: usize = 4;
/// Number of piece-count bins, up to 32 pieces.
const PIECE_LINES: usize = 8;
/// The longest bar, in characters.
const BAR: usize = 40;

/// Counts over all games.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    extent: Extent,
    results: [u64; 3],
    longest: usize,
    starts: HashSet<Key>,
    quiet: u64,
    scores: [u64; 2 * SCORE_LINES],
    plies: [u64; PLY_LINES],
    pieces: [u64; PIECE_LINES],
}

impl Stats {
    /// Adds a game.
    ///
    /// # Errors
    /// [`RecordError`] at the first illegal move; the positions before it have been counted.
    pub fn add(&mut self, record: &Record) -> Result<(), RecordError> {
        self.starts.insert(record.start()?.key());
        record.walk(|scored| self.add_position(scored))?;
        self.extent.games += 1;
        self.extent.positions += record.positions() as u64;
        self.extent.bytes += record.bytes().len() as u64;
        self.results[record.result() as usize] += 1;
        self.longest = self.longest.max(record.positions());
        Ok(())
    }

    fn add_position(&mut self, scored: &ScoredPosition) {
        let score = i64::from(scored.score).div_euclid(SCORE_STEP as i64) + SCORE_LINES as i64;
        self.scores[score.clamp(0, 2 * SCORE_LINES as i64 - 1) as usize] += 1;
        self.plies[(scored.ply as usize / PLY_STEP).min(PLY_LINES - 1)] += 1;
        let pieces = scored.position.occupied().count() - 1;
        self.pieces[(pieces / PIECE_STEP).min(PIECE_LINES - 1)] += 1;
        self.quiet += u64::from(is_quiet(scored));
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extent { games, positions, bytes, .. } = self.extent;
        let result = |result: GameResult| share(self.results[result as usize], games);
        writeln!(f, "games             {games}, {} different starts", self.starts.len())?;
        writeln!(f, "positions         {positions}, {:.2} bytes each", ratio(bytes, positions))?;
        writeln!(f, "for training      {} ({:.1} %)", self.quiet, share(self.quiet, positions))?;
        writeln!(
            f,
            "results           White {:.1} %, draw {:.1} %, Black {:.1} %",
            result(GameResult::WhiteWin),
            result(GameResult::Draw),
            result(GameResult::BlackWin)
        )?;
        let mean = ratio(positions, games);
        writeln!(f, "plies a game      {mean:.1} on average, at most {}", self.longest)?;
        histogram(f, "score for White, centipawns", &self.scores, |line| {
            let from = (line as i64 - SCORE_LINES as i64) * SCORE_STEP as i64;
            match line {
                0 => format!("below {}", from + SCORE_STEP as i64),
                _ if line + 1 == 2 * SCORE_LINES => format!("{from} and more"),
                _ => format!("from {from}"),
            }
        })?;
        histogram(f, "ply", &self.plies, |line| format!("from {}", line * PLY_STEP))?;
        histogram(f, "pieces", &self.pieces, |line| {
            format!("{} to {}", line * PIECE_STEP + 1, (line + 1) * PIECE_STEP)
        })
    }
}

/// One line per bin, with its share and a bar.
fn histogram(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    counts: &[u64],
    name: impl Fn(usize) -> String,
) -> fmt::Result {
    let total = counts.iter().sum();
    let greatest = counts.iter().copied().max().unwrap_or_default();
    writeln!(f, "\n{title}")?;
    for (line, &count) in counts.iter().enumerate() {
        let bar = "#".repeat((ratio(count, greatest) * BAR as f64).round() as usize);
        let text = format!("{:<15} {:>6.2} % {bar}", name(line), share(count, total));
        writeln!(f, "  {}", text.trim_end())?;
    }
    Ok(())
}

/// `part` of `whole` in per cent.
fn share(part: u64, whole: u64) -> f64 {
    ratio(part, whole) * 100.0
}

/// `part` over `whole`, 0 if both are.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
