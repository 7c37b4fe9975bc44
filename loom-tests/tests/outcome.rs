//! The vote sees each worker's last outcome.

use heddle::score::Score;
use heddle::smp::crew::{Crew, Results};
use heddle::smp::stop::StopFlag;
use heddle::smp::vote::{Ballot, vote};
use heddle::sync::Arc;
use loom_tests::{Bound, explore};

/// What worker `index` finds in iteration `depth`; each field determines the others.
fn ballot(index: usize, depth: i32) -> Ballot<u8> {
    Ballot { choice: index as u8, score: Score::new(depth * 10), depth }
}

/// What the workers have returned so far.
fn values(outcomes: &Results<Ballot<u8>>) -> Vec<Option<Ballot<u8>>> {
    outcomes.iter().map(|outcome| outcome.lock().clone()).collect()
}

/// Each worker searches two iterations, or fewer if stopped, and returns its last.
#[test]
fn after_the_wait_every_outcome_is_there() {
    explore("outcome: 2 workers, vote after wait", Bound::MoreIfLong(3, 4), || {
        let stop = Arc::new(StopFlag::default());
        let crew = Crew::<()>::new(2).unwrap();
        let stopped = Arc::clone(&stop);
        let outcomes = crew.start(move |index, ()| {
            let mut last = ballot(index, 1);
            if !stopped.is_raised() {
                last = ballot(index, 2);
            }
            if index == 0 {
                stopped.raise();
            }
            last
        });
        crew.wait();
        let ballots: Vec<_> = values(&outcomes).into_iter().flatten().collect();
        assert_eq!(ballots.len(), 2, "an outcome is missing");
        assert_eq!(ballots[0], ballot(0, 2), "not the last of the main worker");
        assert!([ballot(1, 1), ballot(1, 2)].contains(&ballots[1]), "torn");
        assert_eq!(vote(&ballots).winner, 0, "the deeper ballot, then the lower index");
    });
}

/// The owner may read while the workers search: it sees whole outcomes, or none yet.
#[test]
fn before_the_wait_an_outcome_is_whole() {
    explore("outcome: read while written", Bound::Exhaustive, || {
        let crew = Crew::<()>::new(1).unwrap();
        let outcomes = crew.start(|index, ()| ballot(index, 2));
        assert!([None, Some(ballot(0, 2))].contains(&values(&outcomes)[0]), "torn");
        crew.wait();
        assert_eq!(values(&outcomes), [Some(ballot(0, 2))]);
    });
}

/// Mutant: the votes are counted before all workers have returned.
#[test]
#[should_panic(expected = "an outcome is missing")]
fn mutant_read_before_the_wait() {
    explore("outcome mutant: read before the wait", Bound::Preemptions(2), || {
        let crew = Crew::<()>::new(2).unwrap();
        let outcomes = crew.start(|index, ()| ballot(index, 1));
        let seen = values(&outcomes).into_iter().flatten().count();
        drop(crew);
        assert_eq!(seen, 2, "an outcome is missing");
    });
}
