//! Runs scripts through the state machine with a random engine: lines, ends and moves arrive at
//! random times, including late ones from earlier searches, and time jumps.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use heddle::commands::bench;
use heddle::engine::{Current, EngineError, Event, Generation, SearchResult, Settings, Totals};
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Move, Position};
use heddle::score::{Depth, Score};
use heddle::search::{Line, Outcome};
use heddle::smp::vote::Vote;
use heddle::sync::Arc;
use heddle::time::clock::Support;
use heddle::time::limits::Limits;
use heddle::tt::Bound;
use heddle::uci::options::Change;
use heddle::uci::protocol::{Ending, Host, Job, Message, Protocol};

use super::judge::judge;
use super::script::{End, Random, Script, Step};

/// Longer than any search in a script can take.
const LONG: Duration = Duration::from_secs(3600);

/// The state of the random engine.
struct Dice {
    random: Random,
    generation: Generation,
    position: Position,
    limits: Limits,
    /// The search has begun and its result has not been taken.
    is_searching: bool,
    /// The main worker has reported that it is done.
    is_finished: bool,
    /// `ponderhit` came since the search began.
    is_hit: bool,
    /// A `stop`, a `quit` or the end of input came since the search began.
    is_stopped: bool,
    is_working: bool,
    /// Nobody is left who could stop a search.
    is_input_over: bool,
}

impl Dice {
    /// Whether the search may end now: it is done, was told to stop, or its time is up.
    fn may_be_answered(&self) -> bool {
        let waits = self.limits.infinite || self.limits.ponder && !self.is_hit;
        self.is_stopped || self.is_input_over || !waits
    }

    /// A line of legal moves from the root.
    fn line(&mut self, depth: Depth, bound: Bound) -> Line {
        let mut position = self.position.clone();
        let mut moves = Vec::new();
        for ply in 0..1 + self.random.below(4) {
            let legal = position.legal_moves();
            let wanted: Vec<Move> = legal
                .into_iter()
                .filter(|m| {
                    let listed = &self.limits.search_moves;
                    ply > 0 || listed.is_empty() || listed.contains(m)
                })
                .collect();
            let Some(last) = wanted.len().checked_sub(1) else { break };
            let m = wanted[self.random.below(last + 1)];
            position = position.play(m);
            moves.push(m);
        }
        let score = Score::new(self.random.below(400) as i32 - 200);
        Line { depth, seldepth: 1, multipv: 1, score, bound, moves, support: Support::default() }
    }
}

#[derive(Clone)]
struct DiceHost(Rc<RefCell<Dice>>);

impl Host for DiceHost {
    fn start(&mut self, game: &Game, limits: &Limits, _: &Settings) -> Generation {
        let mut dice = self.0.borrow_mut();
        assert!(!dice.is_searching && !dice.is_working, "started while busy");
        dice.generation += 1;
        dice.position = game.position().clone();
        dice.limits = limits.clone();
        (dice.is_searching, dice.is_finished) = (true, false);
        (dice.is_hit, dice.is_stopped) = (false, false);
        dice.generation
    }

    fn finish(&mut self) -> Ending {
        let mut dice = self.0.borrow_mut();
        assert!(dice.is_searching, "stopped without a search");
        assert!(dice.may_be_answered(), "answered before its time");
        dice.is_searching = false;
        let outcomes: Vec<Outcome> = (0..3)
            .map(|_| {
                let depth = dice.random.below(9) as Depth;
                let bound = dice.random.pick(&[Bound::Exact, Bound::Exact, Bound::Upper]);
                let line = dice.line(depth, bound);
                let is_empty = line.moves.is_empty() || dice.random.one_in(5);
                Outcome { lines: if is_empty { vec![] } else { vec![line] }, depth }
            })
            .collect();
        let winner = dice.random.below(outcomes.len());
        let is_corrupt = dice.random.one_in(9);
        let fault = is_corrupt.then(|| "tablebase KQvK.rtbw: corrupt".into());
        let faults = fault.into_iter().collect();
        let result = SearchResult { outcomes, vote: Vote { winner, weights: vec![None; 3] } };
        Ending { result, totals: Totals::default(), faults, at: Instant::now() }
    }

    fn current(&self, position: &Position) -> Option<Current> {
        let m = *position.legal_moves().first()?;
        Some(Current { depth: 1, m, move_count: 1 })
    }

    fn network(&self) -> Option<Arc<Network>> {
        None
    }

    fn change(&mut self, change: &Change) -> Result<Option<String>, EngineError> {
        self.assert_idle();
        let is_refused = self.0.borrow_mut().random.one_in(9);
        match change {
            Change::Threads(threads) if is_refused => {
                let refused = format!("cannot start {threads} threads: the dice say no");
                Err(std::io::Error::other(refused).into())
            }
            Change::Tablebases(_) => Ok(Some("no tablebases".into())),
            _ => Ok(None),
        }
    }

    fn begin(&mut self, job: Job) {
        self.assert_idle();
        if let Job::Bench(bench::BenchConfig { threads, hash, .. }) = job {
            assert!(threads > 0 && hash > 0);
        }
        self.0.borrow_mut().is_working = true;
    }

    fn cancel(&self) {
        assert!(self.0.borrow().is_working, "cancelled without a job");
    }
}

impl DiceHost {
    /// The engine is about to be changed, which is only allowed when it is idle.
    fn assert_idle(&self) {
        let dice = self.0.borrow();
        assert!(!dice.is_searching && !dice.is_working, "changed while busy");
    }
}

/// One run of a script.
struct Run {
    protocol: Protocol<DiceHost>,
    dice: Rc<RefCell<Dice>>,
    random: Random,
    now: Instant,
    output: Vec<String>,
}

/// Runs `script` and judges the output.
pub fn run(script: &Script) -> Result<(), String> {
    let dice = Rc::new(RefCell::new(Dice {
        random: Random::new(!script.seed),
        generation: 0,
        position: Position::default(),
        limits: Limits::default(),
        is_searching: false,
        is_finished: false,
        is_hit: false,
        is_stopped: false,
        is_working: false,
        is_input_over: false,
    }));
    let protocol = Protocol::new(DiceHost(Rc::clone(&dice)));
    let random = Random::new(script.seed ^ 0x5EED);
    let mut run = Run { protocol, dice, random, now: Instant::now(), output: Vec::new() };
    for step in &script.steps {
        match step {
            Step::Send(bytes) => run.lines(bytes)?,
            Step::Pause => (0..4).try_for_each(|_| run.event())?,
        }
    }
    if script.end == End::EndOfInput {
        run.tell(Message::EndOfInput)?;
    }
    run.end()?;
    judge(script, &run.output)
}

impl Run {
    /// Sends lines, occasionally with an event in between.
    fn lines(&mut self, bytes: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(bytes);
        for line in text.split_terminator('\n') {
            let message =
                if line.len() > 1 << 20 { Message::LongLine } else { Message::Line(line.into()) };
            self.tell(message)?;
            if self.random.one_in(4) {
                self.event()?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, message: Message) -> Result<(), String> {
        let word = match &message {
            Message::Line(line) => line.split_whitespace().next().unwrap_or_default().to_owned(),
            Message::EndOfInput => "end of input".to_owned(),
            _ => String::new(),
        };
        let is_quit = word == "quit";
        let ends = is_quit || word == "stop" || word == "end of input";
        let generation = {
            let mut dice = self.dice.borrow_mut();
            dice.is_stopped |= ends;
            dice.is_input_over |= word == "end of input";
            dice.is_hit |= word == "ponderhit";
            dice.is_searching.then_some(dice.generation)
        };
        self.protocol.handle(message, self.now);
        self.protocol.tick(self.now);
        let dice = self.dice.borrow();
        let goes_on = generation.is_some_and(|of| dice.is_searching && dice.generation == of);
        if goes_on && (is_quit || word == "stop") {
            return Err(format!("{word} does not end the search"));
        }
        let waits = dice.limits.infinite || dice.limits.ponder && !dice.is_hit;
        if goes_on && dice.is_finished && (!waits || word == "end of input") {
            return Err(format!("a finished search is not answered after {word:?}"));
        }
        drop(dice);
        self.hear();
        Ok(())
    }

    fn hear(&mut self) {
        self.output.extend(self.protocol.take_output());
    }

    /// Something other than a line: time passes, or a worker or a job reports.
    fn event(&mut self) -> Result<(), String> {
        let (generation, is_searching, is_working) = {
            let dice = self.dice.borrow();
            (dice.generation, dice.is_searching && !dice.is_finished, dice.is_working)
        };
        match self.random.below(8) {
            0 => self.wait(Duration::from_millis(self.random.clone().below(30) as u64)),
            1 => self.wait_for_deadline(),
            2 if generation > 1 => self.late_event(generation - 1),
            3 if is_searching => self.finish(generation),
            4..=6 if is_searching => self.report(generation),
            _ if is_working && self.random.one_in(2) => self.end_job(),
            _ if is_working => self.tell(Message::Output("e2e4: 1".into())),
            _ => Ok(()),
        }
    }

    /// An event of a search that has already been answered, which must be ignored.
    fn late_event(&mut self, old: Generation) -> Result<(), String> {
        let is_searching = self.dice.borrow().is_searching;
        let (deadline, said) = (self.protocol.deadline(), self.output.len());
        let line = self.dice.borrow_mut().line(3, Bound::Exact);
        if !line.moves.is_empty() {
            self.tell(Message::Engine(Event::Line(old, line, Totals::default())))?;
        }
        self.tell(Message::Engine(Event::Finished(old)))?;
        let is_same = is_searching == self.dice.borrow().is_searching
            && deadline == self.protocol.deadline()
            && said == self.output.len();
        if is_same { Ok(()) } else { Err("a late event has an effect".into()) }
    }

    fn report(&mut self, generation: Generation) -> Result<(), String> {
        let depth = 1 + self.random.below(20) as Depth;
        let bound = self.random.pick(&[Bound::Exact, Bound::Lower, Bound::Upper]);
        let line = self.dice.borrow_mut().line(depth, bound);
        if line.moves.is_empty() {
            return Ok(());
        }
        self.tell(Message::Engine(Event::Line(generation, line, Totals::default())))
    }

    fn finish(&mut self, generation: Generation) -> Result<(), String> {
        self.dice.borrow_mut().is_finished = true;
        self.tell(Message::Engine(Event::Finished(generation)))
    }

    fn end_job(&mut self) -> Result<(), String> {
        self.dice.borrow_mut().is_working = false;
        self.tell(Message::Done("done".into()))
    }

    fn wait(&mut self, time: Duration) -> Result<(), String> {
        self.now += time;
        let was_due = self.protocol.deadline().is_some_and(|deadline| deadline <= self.now);
        let generation = self.dice.borrow().generation;
        self.protocol.tick(self.now);
        self.hear();
        let dice = self.dice.borrow();
        if was_due && dice.is_searching && dice.generation == generation {
            return Err("a search continues after its deadline".into());
        }
        Ok(())
    }

    fn wait_for_deadline(&mut self) -> Result<(), String> {
        let Some(deadline) = self.protocol.deadline() else { return Ok(()) };
        self.wait(deadline.saturating_duration_since(self.now))
    }

    /// The end of input: whatever still runs ends by itself, and then the program ends.
    fn end(&mut self) -> Result<(), String> {
        while !self.protocol.is_over() {
            let (generation, is_searching, is_working) = {
                let dice = self.dice.borrow();
                (dice.generation, dice.is_searching, dice.is_working)
            };
            if is_searching {
                self.finish(generation)?;
            } else if is_working {
                self.end_job()?;
            } else {
                return Err("it waits for nothing".into());
            }
        }
        let before = self.output.len();
        self.wait(LONG)?;
        if self.output.len() > before {
            Err("it writes output after the end".into())
        } else {
            Ok(())
        }
    }
}
