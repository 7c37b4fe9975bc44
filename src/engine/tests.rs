use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::smp::mailbox::Mailbox;

fn to_depth(depth: Depth) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Searches the initial position to the end.
fn search(engine: &mut Engine, limits: &Limits) {
    engine.start(&Game::default(), limits, &Settings::default(), |_| {});
    let _ = engine.result();
}

#[test]
fn each_search_is_an_age_of_the_table() {
    let mut engine = Engine::new(1, 1).unwrap();
    search(&mut engine, &Limits { nodes: Some(20_000), ..Limits::default() });
    let many = engine.hashfull();
    search(&mut engine, &to_depth(1));
    let few = engine.hashfull();
    assert!(few < many / 2, "{few} of {many} permille are of the second search");
}

/// Without the wait, the age of the table would change while the earlier search still runs. The
/// panic of that search shows the order: `start` raises it before it changes anything.
#[test]
fn a_start_waits_before_it_changes_anything() {
    let mut engine = Engine::new(1, 1).unwrap();
    let report = |event| assert!(matches!(event, Event::Finished(_)), "a line panics on purpose");
    let start = |engine: &mut Engine| {
        engine.start(&Game::default(), &to_depth(1), &Settings::default(), report)
    };
    let first = start(&mut engine);
    assert!(catch_unwind(AssertUnwindSafe(|| start(&mut engine))).is_err());
    assert_eq!(engine.generation, first);
    assert!(engine.nodes() > 0, "the counts are those of the search that panicked");
}

#[test]
fn the_end_is_reported_once_the_others_are_stopping() {
    let runs = Arc::<Mailbox<Arc<Run>>>::default();
    let answers = Arc::<Mailbox<bool>>::default();
    let (asked, answered) = (Arc::clone(&runs), Arc::clone(&answers));
    let mut engine = Engine::new(1, 1).unwrap();
    engine.start(&Game::default(), &to_depth(1), &Settings::default(), move |event| {
        if matches!(event, Event::Finished(_)) {
            answered.send(asked.receive(None).is_some_and(|run| run.stop.is_raised()));
        }
    });
    runs.send(Arc::clone(&engine.run));
    assert_eq!(answers.receive(None), Some(true));
}

#[test]
fn cleared_workers_have_no_last_search() {
    let mut engine = Engine::new(1, 1).unwrap();
    search(&mut engine, &to_depth(1));
    assert!(engine.nodes() > 0);
    engine.clear();
    assert_eq!(engine.nodes(), 0);
}
