//! One search from start to end, for callers that need not listen to anything else.

use std::time::{Duration, Instant};

use crate::position::Game;
use crate::search::{Line, Outcome};
use crate::smp::mailbox::Mailbox;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::time::timekeeper::Timekeeper;

use super::{Engine, Event, SearchResult, Settings};

/// How quickly a cancelled search ends.
const ATTENTION: Duration = Duration::from_millis(10);

impl Engine {
    /// Searches until the limits are reached or `cancel` is raised, and returns the winner of the
    /// vote. `on_news` receives each line as it is found, and `None` often while none is, with the
    /// nodes and time spent so far.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &Settings,
        cancel: &StopFlag,
        mut on_news: impl FnMut(Option<&Line>, u64, Duration),
    ) -> Outcome {
        let start = Instant::now();
        let position = game.position();
        let choices = position.legal_moves().len();
        let mut keeper = Timekeeper::new(limits, position, choices, Duration::ZERO, start);
        let inbox = Arc::<Mailbox<Event>>::default();
        let report = {
            let inbox = Arc::clone(&inbox);
            move |event| inbox.send(event)
        };
        self.start(game, limits, settings, report);
        while !cancel.is_raised() {
            let now = Instant::now();
            let deadline = keeper.deadline();
            if deadline.is_some_and(|deadline| now >= deadline) {
                break;
            }
            // Raising the flag sends no message, so it has to be polled.
            let wake = now + ATTENTION;
            match inbox.receive(Some(deadline.map_or(wake, |deadline| deadline.min(wake)))) {
                Some(Event::Line(_, line, totals)) => {
                    let now = Instant::now();
                    on_news(Some(&line), totals.nodes, now - start);
                    let Some(iteration) = line.iteration() else { continue };
                    keeper.observe(iteration);
                    if keeper.is_enough(now) {
                        break;
                    }
                }
                Some(Event::Finished(_)) => break,
                None => on_news(None, self.nodes(), start.elapsed()),
            }
        }
        self.stop();
        let SearchResult { mut outcomes, vote } = self.result();
        outcomes.swap_remove(vote.winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_at_its_depth_and_tells_every_iteration() {
        let mut engine = Engine::new(2, 1).unwrap();
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let game = Game::default();
        let mut depths = Vec::new();
        let on_news = |line: Option<&Line>, _, _| depths.extend(line.map(|line| line.depth));
        let outcome =
            engine.search(&game, &limits, &Settings::default(), &StopFlag::default(), on_news);
        assert!(game.position().if_legal(outcome.lines[0].moves[0]).is_some());
        depths.dedup();
        assert_eq!(depths, [1, 2, 3, 4]);
    }

    #[test]
    fn a_cancelled_search_is_answered_all_the_same() {
        let mut engine = Engine::new(1, 1).unwrap();
        let cancel = StopFlag::default();
        cancel.raise();
        let outcome = engine.search(
            &Game::default(),
            &Limits::default(),
            &Settings::default(),
            &cancel,
            |_, _, _| {},
        );
        assert!(!outcome.lines.is_empty());
    }
}
