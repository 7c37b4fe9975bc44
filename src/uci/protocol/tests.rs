//! Scripts for the state machine, with an engine that does what the test says.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::*;
use crate::engine::{Current, EngineError, Generation, SearchResult, Settings, Totals};
use crate::eval::nnue::network::Network;
use crate::position::Move;
use crate::score::{Depth, Score};
use crate::search::{Line, Outcome};
use crate::sync::Arc;
use crate::syzygy::Tablebases;
use crate::time::clock::Support;
use crate::time::limits::Limits;
use crate::tt::Bound;
use crate::uci::options::Change;
use crate::wdl::MODEL;

/// The cost of every search whenever it is asked.
pub(super) const TOTALS: Totals = Totals { nodes: 77, hashfull: 3, tb_hits: 5, census: None };

/// An engine whose searches end when the test says so. It keeps a record of what it was asked.
#[derive(Default)]
pub(super) struct Fake {
    pub(super) generation: Generation,
    pub(super) game: Game,
    pub(super) limits: Limits,
    pub(super) settings: Settings,
    pub(super) outcomes: RefCell<Vec<Outcome>>,
    pub(super) winner: Cell<usize>,
    pub(super) faults: RefCell<Vec<String>>,
    /// The cost of the search when it ends, if not the usual.
    pub(super) totals: Option<Totals>,
    /// The script's time.
    pub(super) now: Option<Instant>,
    /// How long the workers take to stop.
    pub(super) delay: Duration,
    record: RefCell<Vec<String>>,
}

impl Fake {
    fn log(&self, text: impl Into<String>) {
        self.record.borrow_mut().push(text.into());
    }
}

impl Host for Fake {
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation {
        self.generation += 1;
        self.game = game.clone();
        self.limits = limits.clone();
        self.settings = settings.clone();
        let moves = game.position().legal_moves();
        let lines = moves.first().map(|&m| line(&[m], 1)).into_iter().collect();
        *self.outcomes.borrow_mut() = vec![Outcome { lines, depth: 1 }];
        self.log("start");
        self.generation
    }

    fn finish(&mut self) -> Ending {
        self.log("stop");
        let mut result = SearchResult::new(self.outcomes.borrow().clone());
        result.vote.winner = self.winner.get();
        Ending {
            result,
            totals: self.totals.unwrap_or(TOTALS),
            faults: std::mem::take(&mut self.faults.borrow_mut()),
            at: self.now.expect("the script tells the time") + self.delay,
        }
    }

    fn current(&self, position: &Position) -> Option<Current> {
        let m = *position.legal_moves().first()?;
        Some(Current { depth: 20, m, move_count: 1 })
    }

    fn network(&self) -> Option<Arc<Network>> {
        None
    }

    fn change(&mut self, change: &Change) -> Result<Option<String>, EngineError> {
        match change {
            Change::Threads(threads) => {
                self.log(format!("threads {threads}"));
                if *threads > 100 {
                    let refused = format!("cannot start {threads} threads: no more");
                    return Err(std::io::Error::other(refused).into());
                }
            }
            Change::Hash(hash) => self.log(format!("hash {hash}")),
            Change::Numa(policy) => self.log(format!("numa {policy:?}")),
            Change::EvalFile(file) => {
                self.log(format!("eval {file:?}"));
                file.load()?;
            }
            Change::Tablebases(path) => {
                self.log(format!("tablebases {path}"));
                return Ok(Some(Tablebases::open(path)?.to_string()));
            }
            Change::Clear => self.log("clear"),
            Change::Margin => self.log("margin"),
        }
        Ok(None)
    }

    fn begin(&mut self, job: Job) {
        self.log(match job {
            Job::Perft { depth, chess960, .. } => {
                format!("perft {depth}{}", if chess960 { " in Chess960" } else { "" })
            }
            Job::Bench(bench::BenchConfig { hash, threads, limit, limit_type, .. }) => {
                format!("bench {hash} {threads} {limit} {limit_type:?}")
            }
            Job::Speedtest(config) => format!("speedtest {}", config.threads),
            Job::Genfens(_) => "genfens".into(),
        });
    }

    fn cancel(&self) {
        self.log("cancel");
    }
}

pub(super) fn line(moves: &[Move], depth: Depth) -> Line {
    Line {
        depth,
        seldepth: 1,
        multipv: 1,
        score: Score::new(20),
        bound: Bound::Exact,
        moves: moves.to_vec(),
        support: Support::default(),
    }
}

/// A protocol and the time that it is told.
pub(super) struct Script {
    pub(super) protocol: Protocol<Fake>,
    pub(super) now: Instant,
}

impl Script {
    pub(super) fn new() -> Self {
        Self { protocol: Protocol::new(Fake::default()), now: Instant::now() }
    }

    /// Sends lines and returns what was written in answer.
    pub(super) fn send(&mut self, lines: &[&str]) -> Vec<String> {
        for line in lines {
            self.tell(Message::Line((*line).to_owned()));
        }
        self.protocol.take_output()
    }

    pub(super) fn tell(&mut self, message: Message) {
        self.protocol.host.now = Some(self.now);
        self.protocol.handle(message, self.now);
        self.protocol.tick(self.now);
    }

    /// The running search comes to its end by itself.
    pub(super) fn finish(&mut self) -> Vec<String> {
        self.tell(Message::Engine(Event::Finished(self.protocol.host.generation)));
        self.protocol.take_output()
    }

    /// The running search reports a line with a legal first move.
    pub(super) fn iterate(&mut self, depth: Depth) -> Vec<String> {
        let best = self.protocol.host.game.position().legal_moves()[0];
        let generation = self.protocol.host.generation;
        self.tell(Message::Engine(Event::Line(generation, line(&[best], depth), TOTALS)));
        self.protocol.take_output()
    }

    pub(super) fn end_input(&mut self) -> Vec<String> {
        self.tell(Message::EndOfInput);
        self.protocol.take_output()
    }

    pub(super) fn wait(&mut self, milliseconds: u64) -> Vec<String> {
        self.now += Duration::from_millis(milliseconds);
        self.protocol.host.now = Some(self.now);
        self.protocol.tick(self.now);
        self.protocol.take_output()
    }

    pub(super) fn record(&self) -> Vec<String> {
        self.protocol.host.record.take()
    }

    pub(super) fn is_over(&self) -> bool {
        self.protocol.is_over()
    }
}

pub(super) fn bestmoves(output: &[String]) -> usize {
    output.iter().filter(|line| line.starts_with("bestmove ")).count()
}

/// The move that the fake engine plays from the initial position.
pub(super) fn uci_first_move() -> String {
    crate::position::uci(Position::default().legal_moves()[0], false)
}

#[test]
fn endgame_tables_are_changed_when_the_search_is_answered() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    assert!(script.send(&["setoption name SyzygyPath value /no such/place"]).is_empty());
    let output = script.send(&["stop"]);
    assert!(output.iter().any(|line| line.starts_with("bestmove ")));
    assert!(output.last().unwrap().starts_with("info string no tablebases: /no such/place: "));
    assert_eq!(script.protocol.host.record.borrow().last().unwrap(), "tablebases /no such/place");
}

#[test]
fn a_fault_of_a_table_is_told_before_the_move() {
    let mut script = Script::new();
    script.send(&["go depth 1"]);
    script.protocol.host.faults.borrow_mut().push("tablebase KQvK.rtbw: corrupt".into());
    let output = script.finish();
    assert_eq!(output[0], "info string tablebase KQvK.rtbw: corrupt");
    assert!(output.last().unwrap().starts_with("bestmove "));
}

/// A score of the initial position as GUIs are told it.
pub fn shown(centipawns: i32) -> String {
    MODEL.normalised(Score::new(centipawns), 78).to_string()
}

#[test]
fn a_stop_in_the_same_write_as_go_is_answered_once() {
    let mut script = Script::new();
    let output = script.send(&["go infinite", "stop"]);
    assert_eq!(bestmoves(&output), 1);
    assert_eq!(script.record(), ["start", "stop"]);
    assert!(script.finish().is_empty(), "a late event of the stopped search");
    assert!(script.send(&["stop", "ponderhit"]).is_empty(), "nothing is running");
}

#[test]
fn a_finished_search_is_answered_with_its_line_and_move() {
    let mut script = Script::new();
    assert!(script.send(&["go depth 1"]).is_empty());
    let info = script.iterate(1);
    assert!(info[0].starts_with(&format!(
        "info depth 1 seldepth 1 multipv 1 score cp {} nodes 77 nps ",
        shown(20)
    )));
    let best = uci_first_move();
    assert!(info[0].ends_with(&format!(" pv {best}")), "{info:?}");
    assert_eq!(script.finish(), [format!("bestmove {best}")]);
}

#[test]
fn isready_is_answered_at_once_in_every_state() {
    let mut script = Script::new();
    assert_eq!(script.send(&["isready"]), ["readyok"]);
    for start in ["go depth 9", "go ponder wtime 1000", "go infinite", "perft 5"] {
        script.send(&[start]);
        assert_eq!(script.send(&["isready"]), ["readyok"], "{start}");
        if start != "perft 5" {
            script.finish();
            assert_eq!(script.send(&["isready"]), ["readyok"], "{start}, finished");
        }
        script.send(&["stop"]);
        script.tell(Message::Done(String::new()));
    }
}

#[test]
fn a_late_event_is_dropped() {
    let mut script = Script::new();
    script.send(&["go infinite", "stop", "go depth 5"]);
    let old = script.protocol.host.generation - 1;
    let best = Position::default().legal_moves()[0];
    script.tell(Message::Engine(Event::Line(old, line(&[best], 9), TOTALS)));
    script.tell(Message::Engine(Event::Finished(old)));
    assert!(script.protocol.take_output().is_empty());
    assert_eq!(bestmoves(&script.finish()), 1);
}

#[test]
fn an_infinite_search_that_is_done_waits_for_stop() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    assert!(script.finish().is_empty());
    assert!(script.send(&["ponderhit"]).is_empty(), "it does not ponder");
    assert_eq!(script.protocol.deadline(), None);
    assert_eq!(bestmoves(&script.send(&["stop"])), 1);
}

#[test]
fn pondering_ends_with_ponderhit_and_has_no_clock_before() {
    let mut script = Script::new();
    script.send(&["go ponder wtime 60000 btime 60000 movetime 100"]);
    assert_eq!(script.protocol.deadline(), None);
    assert_eq!(bestmoves(&script.wait(1_000_000)), 0);
    assert!(script.send(&["ponderhit"]).is_empty());
    let deadline = script.protocol.deadline().unwrap();
    assert!(script.now < deadline && deadline <= script.now + Duration::from_millis(100));
    assert_eq!(bestmoves(&script.wait(100)), 1);
}

#[test]
fn time_runs_from_ponderhit_however_long_it_pondered() {
    let go = "go ponder wtime 1000 btime 1000 winc 20 binc 20";
    let budget = {
        let mut direct = Script::new();
        direct.send(&["go wtime 1000 btime 1000 winc 20 binc 20"]);
        direct.protocol.deadline().unwrap() - direct.now
    };
    for pondered in [0, 5, 100, 60_000] {
        let mut script = Script::new();
        script.send(&[go]);
        script.wait(pondered);
        // No iteration is done yet, so there is nothing to play and the search goes on.
        assert_eq!(bestmoves(&script.send(&["ponderhit"])), 0, "{pondered} ms");
        assert_eq!(script.protocol.deadline(), Some(script.now + budget), "{pondered} ms");
        assert_eq!(bestmoves(&script.wait(budget.as_millis() as u64 + 1)), 1, "{pondered} ms");
    }
}

#[test]
fn a_move_that_was_pondered_on_for_long_is_played_at_once() {
    for (pondered, answers) in [(1, 0), (10_000, 1)] {
        let mut script = Script::new();
        script.send(&["go ponder wtime 1000 btime 1000 winc 20 binc 20"]);
        script.wait(pondered);
        assert_eq!(bestmoves(&script.iterate(9)), 0, "never before the hit");
        assert_eq!(bestmoves(&script.send(&["ponderhit"])), answers, "{pondered} ms");
        assert_eq!(script.protocol.deadline().is_none(), answers == 1);
        assert_eq!(bestmoves(&script.send(&["stop", "ponderhit"])), 1 - answers);
    }
}

#[test]
fn a_first_iteration_too_late_after_the_hit_is_played() {
    let mut script = Script::new();
    script.send(&["go ponder wtime 1000 btime 1000"]);
    script.wait(10_000);
    assert_eq!(bestmoves(&script.send(&["ponderhit"])), 0);
    assert_eq!(bestmoves(&script.iterate(1)), 1);
}

#[test]
fn pondering_that_is_done_is_answered_at_ponderhit_or_stop() {
    for word in ["ponderhit", "stop"] {
        let mut script = Script::new();
        script.send(&["go ponder depth 3"]);
        script.iterate(3);
        assert!(script.finish().is_empty());
        assert_eq!(bestmoves(&script.send(&[word])), 1, "{word}");
        assert!(script.send(&[word]).is_empty(), "{word} twice");
    }
}

#[test]
fn an_infinite_search_stays_so_after_ponderhit() {
    let mut script = Script::new();
    script.send(&["go ponder infinite"]);
    script.finish();
    assert!(script.send(&["ponderhit"]).is_empty());
    assert_eq!(bestmoves(&script.send(&["stop"])), 1);
}

#[test]
fn the_deadline_ends_a_search() {
    let mut script = Script::new();
    script.send(&["go movetime 500"]);
    let deadline = script.protocol.deadline().unwrap();
    assert!(deadline <= script.now + Duration::from_millis(500));
    assert_eq!(bestmoves(&script.wait(1)), 0);
    assert_eq!(bestmoves(&script.wait(500)), 1);
    assert_eq!(script.protocol.deadline(), None);
    assert!(script.finish().is_empty());
}

#[test]
fn a_forced_move_is_not_thought_about_under_a_clock() {
    let forced = "position fen 7k/8/5K2/8/8/8/8/6R1 b - - 0 1";
    let mut script = Script::new();
    script.send(&[forced, "go wtime 600000 btime 600000"]);
    assert_eq!(bestmoves(&script.iterate(30)), 1);
    script.send(&["go infinite"]);
    assert_eq!(bestmoves(&script.iterate(30)), 0);
}

#[test]
fn quit_answers_what_runs_and_ends() {
    let mut script = Script::new();
    assert!(!script.is_over());
    let output = script.send(&["go infinite", "position startpos", "quit", "isready", "go"]);
    assert_eq!(bestmoves(&output), 1);
    assert_eq!(output.len(), 2, "nothing after quit");
    assert!(script.is_over());
    let mut script = Script::new();
    script.send(&["bench", "quit"]);
    assert_eq!(script.record().last().unwrap(), "cancel");
    assert!(script.is_over());
}

#[test]
fn the_end_of_input_waits_for_what_ends_by_itself() {
    let mut script = Script::new();
    script.end_input();
    assert!(script.is_over(), "idle");
    for finite in ["go depth 5", "go nodes 100", "go movetime 50"] {
        let mut script = Script::new();
        script.send(&[finite]);
        assert!(script.end_input().is_empty() && !script.is_over(), "{finite}");
        assert_eq!(bestmoves(&script.finish()), 1, "{finite}");
        assert!(script.is_over(), "{finite}");
    }
    let mut script = Script::new();
    script.send(&["go depth 5", "perft 2"]);
    script.end_input();
    script.finish();
    assert!(!script.is_over(), "perft has still to be done");
    script.tell(Message::Done(String::new()));
    assert!(script.is_over());
}

#[test]
fn the_end_of_input_stops_what_does_not_end_by_itself() {
    for unbounded in ["go infinite", "go", "go ponder depth 5", "go infinite depth 5"] {
        for done in [false, true] {
            let mut script = Script::new();
            script.send(&[unbounded]);
            if done {
                script.protocol.handle(
                    Message::Engine(Event::Finished(script.protocol.host.generation)),
                    script.now,
                );
            }
            script.end_input();
            assert!(script.is_over(), "{unbounded}");
        }
    }
}
