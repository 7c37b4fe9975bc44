//! Pairs that other processes play.

use std::path::Path;

use heddle::cli::hands::{self, HandsError, Pool, Role};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::files::STANDARD_INPUT;

use super::contest::Pair;
use super::duel::{Duel, DuelError, Twice};

/// Plays a pair; `None` if cancelled.
pub type Player<'a> = Box<dyn FnMut(&Pair) -> Result<Option<Twice>, DuelError> + Send + 'a>;

/// A player that has other processes play.
pub fn player<'a>(pool: &'a Pool, cancel: &'a StopFlag) -> Player<'a> {
    Box::new(|pair| {
        let unit = serde_json::to_vec(pair).map_err(|_| HandsError::Nonsense)?;
        let answer = pool.ask(unit, cancel)?;
        let twice = answer.map(|answer| serde_json::from_slice(&answer)).transpose();
        Ok(twice.map_err(|_| HandsError::Nonsense)?)
    })
}

/// Plays the pairs that the head gives out.
///
/// # Errors
/// [`DuelError`].
pub fn serve(duel: &mut Duel, cancel: &Arc<StopFlag>) -> Result<(), DuelError> {
    hands::serve(cancel, |unit| {
        let pair = serde_json::from_slice(unit).map_err(|_| HandsError::Nonsense)?;
        let twice = duel.play_pair(&pair)?;
        let answer = twice.map(|twice| serde_json::to_vec(&twice)).transpose();
        Ok(answer.map_err(|_| HandsError::Nonsense)?)
    })
}

/// Whether the openings can be read: every hand reads them, and none has the standard input.
pub fn has_openings(role: &Role, openings: Option<&Path>) -> bool {
    matches!(role, Role::Alone) || openings != Some(Path::new(STANDARD_INPUT))
}
