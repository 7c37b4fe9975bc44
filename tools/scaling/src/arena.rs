//! Plays pairs of games, several at a time, and saves them to a file if there is one.

use std::panic::resume_unwind;

use heddle::engine::{EngineError, Settings};
use heddle::sync::{Mutex, thread};

use crate::archive::{Archive, ArchiveError};
use crate::contest::{Pair, Played};
use crate::duel::{Duel, Odds};

/// Why a contest failed.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The engine cannot allocate its table or start its threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The games cannot be saved.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Engines that play at the same time, and the file of their games.
pub struct Arena {
    duels: Vec<Duel>,
    settings: Settings,
    archive: Option<Archive>,
}

impl Arena {
    /// The many side of each duel searches with `settings`; `archive` recalls and saves the games.
    #[must_use]
    pub fn new(duels: Vec<Duel>, settings: Settings, archive: Option<Archive>) -> Self {
        Self { duels, settings, archive }
    }

    /// Plays `pairs`, or recalls them, until all are done or the games are cancelled, and appends
    /// them to `played` in order, even before an error. `before` is called for each.
    ///
    /// # Errors
    /// [`ArenaError`], the first one; no pair is begun after it.
    pub fn play(
        &mut self,
        pairs: &[Pair],
        played: &mut Vec<Played>,
        before: impl Fn(&Odds) + Sync,
    ) -> Result<(), ArenaError> {
        let Self { duels, settings, archive } = self;
        let archive = Mutex::new(archive);
        let results = Mutex::new(vec![None; pairs.len()]);
        let queue = Mutex::new(pairs.iter().enumerate());
        let next = || queue.lock().next();
        let work = |duel: &mut Duel| -> Result<(), ArenaError> {
            duel.bind_thread();
            while let Some((index, pair)) = next() {
                before(&pair.odds);
                let recalled = archive.lock().as_ref().and_then(|archive| archive.recall(pair));
                if let Some(points) = recalled {
                    results.lock()[index] = Some(Played { pair: *pair, points });
                    continue;
                }
                let points = duel.play_pair(pair.opening, &pair.odds, settings)?;
                let Some(points) = points else { return Ok(()) };
                let played = Played { pair: *pair, points };
                results.lock()[index] = Some(played);
                if let Some(archive) = archive.lock().as_mut() {
                    archive.keep(&played)?;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::smp::stop::StopFlag;
    use heddle::sync::Arc;

    fn pairs() -> Vec<Pair> {
        let odds = Odds { threads: 2, nodes: 16, multiple: 1.0 };
        (0..4).map(|opening| Pair { odds, opening }).collect()
    }

    fn arena(archive: Option<Archive>, cancel: &Arc<StopFlag>) -> Arena {
        let duel = Duel::new(1, None, Arc::clone(cancel), 1).unwrap();
        let settings = Settings { lockstep: true, quantum: 16, ..Settings::default() };
        Arena::new(vec![duel], settings, archive)
    }

    #[test]
    fn a_pair_that_cannot_be_kept_counts_and_is_the_last() {
        let mut played = Vec::new();
        let mut arena = arena(Some(Archive::unwritable()), &Arc::default());
        let result = arena.play(&pairs(), &mut played, |_| ());
        assert!(matches!(result, Err(ArenaError::Archive(_))), "{result:?}");
        assert_eq!(played.len(), 1);
        assert_eq!(played[0].pair, pairs()[0]);
    }

    #[test]
    fn cancelled_games_leave_what_was_played() {
        let mut played = Vec::new();
        let cancel = Arc::<StopFlag>::default();
        let mut arena = arena(None, &cancel);
        arena.play(&pairs(), &mut played, |_| ()).unwrap();
        assert!(played.iter().map(|played| played.pair).eq(pairs()));
        cancel.raise();
        arena.play(&pairs(), &mut played, |_| ()).unwrap();
        assert_eq!(played.len(), pairs().len());
    }
}
