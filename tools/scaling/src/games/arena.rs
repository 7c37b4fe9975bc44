//! Plays pairs of games, several at a time, and saves them to files if there are any.

use std::ops::ControlFlow;
use std::panic::resume_unwind;

use heddle::sync::{Mutex, thread};

use super::archive::{Archive, ArchiveError};
use super::contest::{Pair, Played};
use super::duel::{DuelError, Twice};
use super::pgn::{PgnError, PgnFile};

/// Why a contest failed.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// An engine cannot be played with.
    #[error(transparent)]
    Duel(#[from] DuelError),
    /// The games cannot be saved.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The games cannot be written.
    #[error(transparent)]
    Pgn(#[from] PgnError),
}

/// Observes every pair.
pub trait Watch: Sync {
    /// A pair begins.
    fn before(&self, pair: &Pair);

    /// A pair is over or was recalled, with these faults; whether to go on.
    fn after(&self, played: &Played, faults: &[String]) -> ControlFlow<()>;
}

/// The files of the games.
#[derive(Default)]
pub struct Arena {
    /// Recalls and saves the results.
    pub archive: Option<Archive>,
    /// Takes the games.
    pub pgn: Option<PgnFile>,
}

impl Arena {
    /// Plays `pairs` by the `duels`, one thread each, or recalls them, until all are done, the
    /// games are cancelled (a duel has none) or `watch` has seen enough, and appends them to
    /// `played` in order, even before an error.
    ///
    /// # Errors
    /// [`ArenaError`], the first one; no pair is begun after it.
    pub fn play<D>(
        &mut self,
        duels: &mut [D],
        pairs: &[Pair],
        played: &mut Vec<Played>,
        watch: &dyn Watch,
    ) -> Result<(), ArenaError>
    where
        D: FnMut(&Pair) -> Result<Option<Twice>, DuelError> + Send,
    {
        let files = Mutex::new(self);
        let results = Mutex::new(vec![None; pairs.len()]);
        let queue = Mutex::new(pairs.iter().enumerate());
        let next = || queue.lock().next();
        let work = |duel: &mut D| -> Result<(), ArenaError> {
            while let Some((index, pair)) = next() {
                watch.before(pair);
                let recalled = files.lock().archive.as_ref().and_then(|a| a.recall(pair));
                let (played, twice) = match recalled {
                    Some(played) => (played, None),
                    None => {
                        let Some(twice) = duel(pair)? else { return Ok(()) };
                        (Played { pair: *pair, games: twice.points }, Some(twice))
                    }
                };
                results.lock()[index] = Some(played);
                let faults = twice.as_ref().map_or(&[][..], |twice| &twice.faults);
                let goes_on = watch.after(&played, faults);
                if let Some(twice) = &twice {
                    files.lock().keep(&played, twice)?;
                }
                if goes_on.is_break() {
                    queue.lock().by_ref().for_each(drop);
                }
            }
            Ok(())
        };
        let finished = thread::scope(|scope| {
            let stop_at_error =
                |duel| work(duel).inspect_err(|_| queue.lock().by_ref().for_each(drop));
            let threads: Vec<_> =
                duels.iter_mut().map(|duel| scope.spawn(move || stop_at_error(duel))).collect();
            let joined = threads.into_iter().map(|t| t.join().unwrap_or_else(|p| resume_unwind(p)));
            joined.fold(Ok(()), Result::and)
        });
        played.extend(results.into_inner().into_iter().flatten());
        finished
    }

    /// Saves a pair. The result comes last: without it, both games are played again.
    fn keep(&mut self, played: &Played, twice: &Twice) -> Result<(), ArenaError> {
        if let Some(pgn) = &mut self.pgn {
            pgn.add(&twice.pgn)?;
        }
        if let Some(archive) = &mut self.archive {
            archive.keep(played)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::contest::Odds;

    /// Goes on until this many pairs are over.
    struct Enough(usize, Mutex<usize>);

    impl Watch for Enough {
        fn before(&self, _: &Pair) {}

        fn after(&self, _: &Played, _: &[String]) -> ControlFlow<()> {
            *self.1.lock() += 1;
            if *self.1.lock() < self.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
    }

    fn pairs() -> Vec<Pair> {
        let odds = Odds { threads: 2, nodes: 16, multiple: 1.0 };
        (0..4).map(|opening| Pair { odds, opening }).collect()
    }

    /// Plays with one duel, which is cancelled after `count` pairs, until `enough` are over.
    fn play(arena: &mut Arena, count: u64, enough: usize) -> (Vec<Played>, Result<(), ArenaError>) {
        let duel = |pair: &Pair| {
            let twice = Twice { points: [1.0, 0.5], ..Twice::default() };
            Ok((pair.opening < count).then_some(twice))
        };
        let mut played = Vec::new();
        let watch = Enough(enough, Mutex::new(0));
        let result = arena.play(&mut [duel], &pairs(), &mut played, &watch);
        (played, result)
    }

    #[test]
    fn a_pair_that_cannot_be_kept_counts_and_is_the_last() {
        let mut arena = Arena { archive: Some(Archive::unwritable()), pgn: None };
        let (played, result) = play(&mut arena, 4, 9);
        assert!(matches!(result, Err(ArenaError::Archive(_))), "{result:?}");
        assert_eq!((played.len(), played[0].pair, played[0].points()), (1, pairs()[0], 0.75));
    }

    #[test]
    fn cancelled_games_leave_what_was_played() {
        for (count, enough, expected) in [(4, 9, 4), (2, 9, 2), (0, 9, 0), (4, 3, 3)] {
            let (played, result) = play(&mut Arena::default(), count, enough);
            assert!(result.is_ok() && played.len() == expected, "{count} {enough}: {played:?}");
            assert!(played.iter().zip(pairs()).all(|(played, pair)| played.pair == pair));
        }
    }
}
