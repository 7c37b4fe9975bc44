//! The pairs of a tuning, played on several boards at once.
//!
//! The session lies behind one mutex, held to take a pair, to finish one, and to watch. The updates
//! are asynchronous, as is usual: a pair is played with the values of the moment in which it was
//! taken, and its result moves the values of the moment in which it is finished. On one board the
//! seed determines everything but the games; on several, the order in which they finish does too.

use heddle::smp::stop::StopFlag;
use heddle::sync::{Condvar, Mutex, thread};

use crate::game::Pairing;
use crate::session::Session;

/// What the boards share.
struct Shared<E> {
    session: Session,
    /// The first failure, which ends the tuning.
    failed: Option<E>,
    /// Boards that are still played on.
    busy: usize,
}

/// Plays the pairs that are left on `boards`, one thread each, until all are played, `stop` is
/// raised or something fails; pairs that have begun are finished. `watch` sees the session at the
/// start, after every few pairs, and at the end.
///
/// Returns the session, and the first failure of a board or of `watch`.
pub fn tune<P: Pairing, E: From<P::Error> + Send>(
    session: Session,
    boards: Vec<P>,
    stop: &StopFlag,
    mut watch: impl FnMut(&Session) -> Result<(), E>,
) -> (Session, Result<(), E>) {
    let shared = Mutex::new(Shared { session, failed: None, busy: boards.len() });
    let changed = Condvar::default();
    thread::scope(|scope| {
        for board in boards {
            scope.spawn(|| work(board, &shared, &changed, stop));
        }
        let mut state = shared.lock();
        loop {
            if let Err(error) = watch(&state.session) {
                state.failed.get_or_insert(error);
            }
            if state.busy == 0 {
                break;
            }
            state = changed.wait(state);
        }
    });
    let Shared { session, failed, .. } = shared.into_inner();
    (session, failed.map_or(Ok(()), Err))
}

/// Plays pairs on one board while there are any.
fn work<P: Pairing, E: From<P::Error>>(
    mut board: P,
    shared: &Mutex<Shared<E>>,
    changed: &Condvar,
    stop: &StopFlag,
) {
    let take = || {
        let mut state = shared.lock();
        let ends = stop.is_raised() || state.failed.is_some();
        if ends { None } else { state.session.take() }
    };
    while let Some(trial) = take() {
        let played = board.play(&trial);
        let mut state = shared.lock();
        match played {
            Ok(result) => state.session.finish(&trial, result),
            Err(error) => drop(state.failed.get_or_insert(error.into())),
        }
        changed.notify_all();
    }
    shared.lock().busy -= 1;
    changed.notify_all();
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use fastrand::Rng;

    use super::*;
    use crate::parameter::Parameter;
    use crate::session::Plan;
    use crate::spsa::Trial;
    use crate::state::StateFile;

    const PAIRS: u64 = 300;

    fn plan() -> Plan {
        let parameter = |name: &str, greatest| Parameter {
            name: name.into(),
            default: greatest / 3,
            least: 0,
            greatest,
            step: f64::from(greatest) / 20.0,
            rate: 0.002,
        };
        let parameters = vec![parameter("A", 100), parameter("B", 7), parameter("C", 4000)];
        Plan { signature: 1, parameters, nodes: 100, pairs: PAIRS, seed: 9, openings: None }
    }

    /// Results that depend on the trial alone, until it breaks or stops the tuning.
    struct Fake<'a> {
        left: u64,
        stop: Option<&'a StopFlag>,
    }

    #[derive(Debug, PartialEq)]
    struct Broken;

    impl From<Infallible> for Broken {
        fn from(never: Infallible) -> Self {
            match never {}
        }
    }

    impl Pairing for Fake<'_> {
        type Error = Broken;

        fn play(&mut self, trial: &Trial) -> Result<i32, Broken> {
            match (self.left, self.stop) {
                (0, None) => return Err(Broken),
                (0, Some(stop)) => stop.raise(),
                _ => self.left -= 1,
            }
            let mut rng = Rng::with_seed(trial.opening ^ trial.plus[0] as u64);
            Ok(rng.i32(-2..=2))
        }
    }

    fn play(session: Session, lives: &[u64]) -> (Session, Result<(), Broken>) {
        let boards = lives.iter().map(|&left| Fake { left, stop: None }).collect();
        tune(session, boards, &StopFlag::default(), |_| Ok(()))
    }

    /// Saves and loads.
    fn through_a_file(session: &Session, name: &str) -> Session {
        let path = std::env::temp_dir().join(format!("heddle-tune-{name}-{}", std::process::id()));
        let (mut file, _) = StateFile::open(&path, plan()).unwrap();
        file.save(session).unwrap();
        drop(file);
        let (_, found) = StateFile::open(&path, plan()).unwrap();
        std::fs::remove_file(&path).unwrap();
        found
    }

    #[test]
    fn a_resumed_tuning_equals_an_unbroken_one() {
        let (unbroken, ended) = play(Session::new(plan()), &[PAIRS]);
        assert_eq!(ended, Ok(()));
        assert!(unbroken.is_complete());
        assert_ne!(unbroken.values, Session::new(plan()).values);
        let mut session = Session::new(plan());
        for (lives, name) in [(1, "one"), (100, "hundred")] {
            let (broken, ended) = play(session, &[lives]);
            assert_eq!(ended, Err(Broken));
            session = through_a_file(&broken, name);
        }
        assert_eq!(session.played(), 101);
        let stop = StopFlag::default();
        let board = Fake { left: 50, stop: Some(&stop) };
        let (stopped, ended) = tune(session, vec![board], &stop, |_| Ok::<_, Broken>(()));
        assert_eq!((ended, stopped.played()), (Ok(()), 152));
        let (resumed, ended) = play(through_a_file(&stopped, "stop"), &[PAIRS]);
        assert_eq!(ended, Ok(()));
        assert_eq!(through_a_file(&resumed, "resumed"), through_a_file(&unbroken, "unbroken"));
    }

    #[test]
    fn every_pair_is_played_once_on_any_number_of_boards() {
        let (broken, ended) = play(Session::new(plan()), &[PAIRS, 5, PAIRS, PAIRS]);
        assert!(ended == Err(Broken) || broken.is_complete());
        let (done, ended) = play(through_a_file(&broken, "boards"), &[PAIRS, PAIRS]);
        assert_eq!(ended, Ok(()));
        assert!(done.is_complete());
        let pairs: Vec<u64> = done.path.iter().map(|point| point.pairs).collect();
        assert_eq!(pairs, (0..=PAIRS).collect::<Vec<_>>());
    }

    #[test]
    fn a_failure_to_save_ends_the_tuning() {
        let board = Fake { left: PAIRS, stop: None };
        let watch = |session: &Session| if session.played() < 20 { Ok(()) } else { Err(Broken) };
        let (session, ended) = tune(Session::new(plan()), vec![board], &StopFlag::default(), watch);
        assert_eq!(ended, Err(Broken));
        assert!(session.played() >= 20);
    }
}
