//! The shipped protocol with the shipped mailbox, crew and stop flag, and a search that does
//! nothing: however commands and the end of the search race, every `go` gets exactly one
//! `bestmove`.

use heddle::engine::{Current, EngineError, Event, Generation, SearchResult, Settings, Totals};
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Position};
use heddle::score::Score;
use heddle::search::{Line, Outcome};
use heddle::smp::crew::{Crew, Results};
use heddle::smp::mailbox::Mailbox;
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, Instant, thread};
use heddle::time::clock::Support;
use heddle::time::limits::Limits;
use heddle::tt::Bound as ScoreBound;
use heddle::uci::options::Change;
use heddle::uci::protocol::{Ending, Host, Job, Message, Protocol};
use loom_tests::{Bound, explore};

type Inbox = Arc<Mailbox<Message>>;

/// One weakening of what the protocol relies on.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Flaw {
    /// No flaw.
    Sound,
    /// All searches have the same generation, so a late event is mistaken for one of the next
    /// search.
    GenerationUnchecked,
    /// A search begins with the flag of the one before.
    FlagKept,
    /// The outcome is read without waiting for the worker.
    NotAwaited,
}

/// An engine with one worker. Its search ends at once if it has a depth limit, otherwise when it is
/// stopped; it finds one move if left alone and another if stopped.
struct Engine {
    flaw: Flaw,
    crew: Crew<()>,
    stop: Arc<StopFlag>,
    outcomes: Results<Outcome>,
    inbox: Inbox,
    generation: Generation,
}

const LEFT_ALONE: &str = "bestmove d2d4";
const STOPPED: &str = "bestmove e2e4";

fn outcome(game: &Game, is_stopped: bool) -> Outcome {
    let text = if is_stopped { STOPPED } else { LEFT_ALONE }.split_at("bestmove ".len()).1;
    let best = game.position().parse_move(text).expect("both moves are legal at the start");
    let line = Line {
        depth: 1,
        seldepth: 1,
        multipv: 1,
        score: Score::DRAW,
        bound: ScoreBound::Exact,
        moves: vec![best],
        support: Support::default(),
    };
    Outcome { lines: vec![line], depth: 1 }
}

impl Host for Engine {
    fn start(&mut self, game: &Game, limits: &Limits, _: &Settings) -> Generation {
        self.crew.wait();
        if self.flaw != Flaw::FlagKept {
            self.stop = Arc::default();
        }
        if self.flaw != Flaw::GenerationUnchecked {
            self.generation += 1;
        }
        let (stop, inbox) = (Arc::clone(&self.stop), Arc::clone(&self.inbox));
        let generation = self.generation;
        let (game, is_endless) = (game.clone(), limits.depth.is_none());
        self.outcomes = self.crew.start(move |_, ()| {
            while is_endless && !stop.is_raised() {
                thread::yield_now();
            }
            let outcome = outcome(&game, stop.is_raised());
            stop.raise();
            inbox.send(Message::Engine(Event::Finished(generation)));
            outcome
        });
        generation
    }

    fn finish(&mut self) -> Ending {
        self.stop.raise();
        if self.flaw != Flaw::NotAwaited {
            self.crew.wait();
        }
        let outcomes =
            self.outcomes.iter().map(|outcome| outcome.lock().take().unwrap_or_default());
        let result = SearchResult::new(outcomes.collect());
        let (totals, at) = (Totals::default(), Instant::now());
        Ending { result, totals, faults: Vec::new(), at }
    }

    fn current(&self, _: &Position) -> Option<Current> {
        None
    }

    fn network(&self) -> Option<Arc<Network>> {
        None
    }

    fn change(&mut self, _: &Change) -> Result<Option<String>, EngineError> {
        Ok(None)
    }

    fn begin(&mut self, _: Job) {}

    fn cancel(&self) {}
}

/// Runs a session of these lines as [`heddle::uci::run`] does, except that it never wakes to show
/// the current move, and returns the moves answered.
fn session(flaw: Flaw, lines: &'static [&'static str]) -> Vec<String> {
    let inbox = Inbox::default();
    let engine = Engine {
        flaw,
        crew: Crew::new(1).unwrap(),
        stop: Arc::default(),
        outcomes: Arc::from([]),
        inbox: Arc::clone(&inbox),
        generation: 1,
    };
    let mut protocol = Protocol::new(engine);
    let reader = thread::spawn({
        let inbox = Arc::clone(&inbox);
        move || {
            lines.iter().for_each(|line| inbox.send(Message::Line((*line).into())));
            inbox.send(Message::EndOfInput);
        }
    });
    let mut output = Vec::new();
    let mut now = Instant::now();
    while !protocol.is_over() {
        let deadline = protocol.deadline();
        match inbox.receive(deadline) {
            Some(message) => protocol.handle(message, now),
            None => now = deadline.expect("only a deadline ends a wait"),
        }
        protocol.tick(now);
        output.extend(protocol.take_output());
    }
    reader.join().unwrap();
    drop(protocol);
    output.retain(|line| line.starts_with("bestmove"));
    output
}

#[test]
fn a_stop_and_a_finish_give_one_bestmove() {
    explore("protocol: stop and finish", Bound::MoreIfLong(3, 4), || {
        let answers = session(Flaw::Sound, &["go depth 1", "stop"]);
        assert_eq!(answers.len(), 1, "{answers:?}");
    });
}

#[test]
fn a_stop_in_the_same_write_as_go_is_not_lost() {
    explore("protocol: go infinite and stop", Bound::MoreIfLong(3, 4), || {
        assert_eq!(session(Flaw::Sound, &["go infinite", "stop"]), [STOPPED]);
    });
}

#[test]
fn a_ponderhit_and_a_finish_give_one_bestmove() {
    explore("protocol: ponderhit and finish", Bound::MoreIfLong(3, 4), || {
        let answers = session(Flaw::Sound, &["go ponder depth 1", "ponderhit"]);
        assert_eq!(answers, [LEFT_ALONE], "nobody stopped it");
    });
}

#[test]
fn a_ponderhit_a_stop_and_a_finish_give_one_bestmove() {
    explore("protocol: ponderhit, stop and finish", Bound::Preemptions(3), || {
        let answers = session(Flaw::Sound, &["go ponder depth 1", "ponderhit", "stop"]);
        assert_eq!(answers.len(), 1, "{answers:?}");
    });
}

#[test]
fn a_deadline_and_a_stop_give_one_bestmove() {
    explore("protocol: deadline and stop", Bound::MoreIfLong(3, 4), || {
        assert_eq!(session(Flaw::Sound, &["go movetime 100", "stop"]), [STOPPED]);
    });
}

#[test]
fn the_end_of_input_stops_an_endless_search() {
    explore("protocol: end of input", Bound::MoreIfLong(3, 4), || {
        assert_eq!(session(Flaw::Sound, &["go infinite"]), [STOPPED]);
    });
}

#[test]
fn a_go_that_waits_is_answered_in_its_turn() {
    explore("protocol: a go that waits", Bound::MoreIfLong(2, 3), || {
        let answers = session(Flaw::Sound, &["go depth 1", "go depth 1", "go infinite"]);
        assert_eq!(answers, [LEFT_ALONE, LEFT_ALONE, STOPPED]);
    });
}

/// The end of the first search may be reported after the second one has begun.
const TWO_SEARCHES: &[&str] = &["go depth 1", "stop", "go ponder depth 1", "ponderhit"];

fn two_searches(flaw: Flaw) {
    let answers = session(flaw, TWO_SEARCHES);
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[1], LEFT_ALONE, "the second search was cut short");
}

#[test]
fn a_late_event_does_not_end_the_next_search() {
    explore("protocol: 2 searches", Bound::MoreIfLong(2, 3), || two_searches(Flaw::Sound));
}

#[test]
#[should_panic(expected = "the second search was cut short")]
fn mutant_generation_not_checked() {
    explore("protocol mutant: generation not checked", Bound::Preemptions(2), || {
        two_searches(Flaw::GenerationUnchecked);
    });
}

#[test]
#[should_panic(expected = "the second search was cut short")]
fn mutant_flag_kept() {
    explore("protocol mutant: flag kept", Bound::Preemptions(2), || {
        two_searches(Flaw::FlagKept);
    });
}

#[test]
#[should_panic(expected = "not what the worker found")]
fn mutant_worker_not_awaited() {
    explore("protocol mutant: worker not awaited", Bound::Preemptions(2), || {
        let answers = session(Flaw::NotAwaited, &["go infinite", "stop"]);
        assert_eq!(answers, [STOPPED], "not what the worker found");
    });
}
