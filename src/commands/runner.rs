//! One search from start to end, for callers that have nothing else to listen to.

use std::time::{Duration, Instant};

use crate::engine::{Engine, Event, SearchResult, Settings};
use crate::position::Game;
use crate::search::{Line, Outcome};
use crate::smp::mailbox::Mailbox;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::time::timekeeper::Timekeeper;

/// A request to give up a long job, which any thread may make.
#[derive(Default)]
pub struct Cancel {
    flag: StopFlag,
    inbox: Mailbox<Signal>,
}

enum Signal {
    Event(Event),
    Cancelled,
}

impl Cancel {
    /// Asks the job to end soon.
    pub fn cancel(&self) {
        self.flag.raise();
        self.inbox.send(Signal::Cancelled);
    }

    /// The job should end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_raised()
    }
}

/// `nodes` per second, for any `time`, however short.
#[must_use]
pub fn speed(nodes: u64, time: Duration) -> u64 {
    /// The shortest time that a speed is taken over.
    const TICK: Duration = Duration::from_millis(1);
    (nodes as f64 / time.max(TICK).as_secs_f64()) as u64
}

/// Searches until the limits are reached or `cancel` is called, and returns the vote's winner.
/// `on_line` is given each line as it is found, and the nodes and the time that it took.
pub fn search(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    settings: &Settings,
    cancel: &Arc<Cancel>,
    mut on_line: impl FnMut(&Line, u64, Duration),
) -> Outcome {
    let start = Instant::now();
    let position = game.position();
    let choices = position.legal_moves().len();
    let mut keeper = Timekeeper::new(limits, position.turn(), choices, Duration::ZERO, start);
    let report = {
        let cancel = Arc::clone(cancel);
        move |event| cancel.inbox.send(Signal::Event(event))
    };
    let generation = engine.start(game, limits, settings, report);
    while !cancel.is_cancelled() {
        match cancel.inbox.receive(keeper.deadline()) {
            Some(Signal::Event(Event::Line(of, line, totals))) if of == generation => {
                let now = Instant::now();
                on_line(&line, totals.nodes, now - start);
                let Some(iteration) = line.iteration() else { continue };
                keeper.observe(iteration);
                if keeper.is_enough(now) {
                    break;
                }
            }
            Some(Signal::Event(Event::Finished(of))) if of == generation => break,
            Some(Signal::Event(_)) => {} // of an earlier search
            Some(Signal::Cancelled) | None => break,
        }
    }
    engine.stop();
    let SearchResult { mut outcomes, vote } = engine.result();
    outcomes.swap_remove(vote.winner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_needs_no_time() {
        assert_eq!(speed(10, Duration::ZERO), 10_000);
        assert_eq!(speed(10, Duration::from_secs(5)), 2);
    }

    #[test]
    fn a_search_ends_at_its_depth_and_tells_every_iteration() {
        let mut engine = Engine::new(2, 1).unwrap();
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let game = Game::default();
        let mut depths = Vec::new();
        let on_line = |line: &Line, _, _| depths.push(line.depth);
        let outcome =
            search(&mut engine, &game, &limits, &Settings::default(), &Arc::default(), on_line);
        assert!(game.position().if_legal(outcome.lines[0].moves[0]).is_some());
        depths.dedup();
        assert_eq!(depths, [1, 2, 3, 4]);
    }

    #[test]
    fn a_cancelled_search_is_answered_all_the_same() {
        let mut engine = Engine::new(1, 1).unwrap();
        let cancel = Arc::<Cancel>::default();
        cancel.cancel();
        let outcome = search(
            &mut engine,
            &Game::default(),
            &Limits::default(),
            &Settings::default(),
            &cancel,
            |_, _, _| {},
        );
        assert!(!outcome.lines.is_empty());
    }
}
