//! The protocol as a state machine: lines, engine events and the time go in, lines come out.
//!
//! It reads no input, writes no output and looks at no clock, so that a test can put it into any
//! state. It is idle, searching, pondering, waiting (the search is done but may not be answered
//! before `stop` or `ponderhit`) or working (on a `perft` or a `bench`). What can be answered at
//! any time is answered at once; what changes the engine waits, in order, until it is idle. A
//! search is stopped by waiting for its workers, a matter of milliseconds, so that after `stop`
//! the state is idle and whatever follows in the same write finds it so.

mod host;
#[cfg(test)]
mod input_tests;
#[cfg(test)]
mod output_tests;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::command::{self, Command, Go};
use super::options::{self, Options, Setting};
use super::report::{self, Cost, Style};
use super::strength::{self, Strength};
use super::{about, flip};
use crate::commands::{bench, build, show, speedtest, system};
use crate::engine::{Event, Generation, Settings, Totals};
use crate::position::{Game, Position};
use crate::search::{Line, Outcome, params};
use crate::time::limits::Limits;
use crate::time::timekeeper::Timekeeper;
use crate::tt::Bound;
use crate::wdl;

pub use host::{Host, Job, JobEvent, Message};

/// Failed windows are reported only in searches that have lasted this long.
const BOUND_DELAY: Duration = Duration::from_secs(3);
/// The move being searched is shown in searches that have lasted this long, ...
const CURRENT_DELAY: Duration = Duration::from_secs(3);
/// ... and then no more often than this.
const CURRENT_INTERVAL: Duration = Duration::from_secs(1);
/// The longest `info string`, in characters.
const MAX_NOTE: usize = 200;

/// The search that is running, or done and waiting to be answered.
struct Search {
    generation: Generation,
    limits: Limits,
    keeper: Timekeeper,
    start: Instant,
    is_done: bool,
    /// The strength to play with, if it is limited.
    strength: Option<Strength>,
    /// When the move being searched is shown next; in lockstep, where nothing follows the clock
    /// that need not, it never is.
    current_due: Option<Instant>,
}

impl Search {
    /// It may be answered without being asked to.
    fn may_answer(&self) -> bool {
        !self.limits.infinite && !self.limits.ponder
    }

    /// It comes to an end by itself.
    fn is_finite(&self) -> bool {
        let Limits { depth, nodes, mate, .. } = &self.limits;
        self.may_answer()
            && (depth.is_some()
                || nodes.is_some()
                || mate.is_some()
                || self.keeper.deadline().is_some())
    }
}

enum State {
    Idle,
    Searching(Box<Search>),
    Working,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Input {
    Open,
    Ended,
    Quit,
}

/// The state machine.
pub struct Protocol<H> {
    host: H,
    options: Options,
    game: Game,
    state: State,
    queue: VecDeque<Command>,
    input: Input,
    debug: bool,
    output: Vec<String>,
}

impl<H: Host> Protocol<H> {
    /// Idle, in the initial position.
    #[must_use]
    pub fn new(host: H) -> Self {
        Self {
            host,
            options: Options::default(),
            game: Game::default(),
            state: State::Idle,
            queue: VecDeque::new(),
            input: Input::Open,
            debug: false,
            output: Vec::new(),
        }
    }

    /// When the search has to be answered, if nothing else happens.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Searching(search) => search.keeper.deadline(),
            _ => None,
        }
    }

    /// When [`Protocol::tick`] has to be called, if nothing else happens.
    #[must_use]
    pub fn next_tick(&self) -> Option<Instant> {
        let current_due = match &self.state {
            State::Searching(search) if !search.is_done => search.current_due,
            _ => None,
        };
        self.deadline().into_iter().chain(current_due).min()
    }

    /// The program should end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.input {
            Input::Open => false,
            Input::Ended => self.is_idle() && self.queue.is_empty(),
            Input::Quit => true,
        }
    }

    /// The lines that have to be written since this was last called.
    pub fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    /// Takes in a message.
    pub fn handle(&mut self, message: Message, now: Instant) {
        match message {
            _ if self.input == Input::Quit => {}
            Message::Line(line) => self.line(&line, now),
            Message::LongLine => self.note("the line is too long"),
            Message::EndOfInput => {
                self.input = Input::Ended;
                if matches!(&self.state, State::Searching(search) if !search.is_finite()) {
                    self.answer(now);
                }
            }
            Message::Engine(Event::Line(generation, line, totals)) => {
                self.progress(generation, &line, totals, now);
            }
            Message::Engine(Event::Finished(generation)) => self.finished(generation, now),
            Message::Job(JobEvent::Output(line)) => self.output.push(line),
            Message::Job(JobEvent::Done) => {
                self.state = State::Idle;
                self.catch_up(now);
            }
        }
    }

    /// Ends a search whose time is up, or says what it is at.
    pub fn tick(&mut self, now: Instant) {
        let State::Searching(search) = &mut self.state else { return };
        if search.keeper.deadline().is_some_and(|deadline| now >= deadline) {
            self.answer(now);
        } else if !search.is_done && search.current_due.is_some_and(|due| now >= due) {
            search.current_due = Some(now + CURRENT_INTERVAL);
            if let Some(current) = self.host.current(self.game.position()) {
                self.say(report::current(&current, self.chess960()));
            }
        }
    }

    fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Castling is written as the king taking its rook: if the GUI wants it, or the position has
    /// castling that could not be written otherwise.
    fn chess960(&self) -> bool {
        self.options.chess960 || self.game.position().is_chess960()
    }

    /// How lines are written.
    fn style(&self) -> Style {
        Style {
            chess960: self.chess960(),
            material: wdl::material(self.game.position()),
            chances: self.options.show_wdl,
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.output.push(text.into());
    }

    fn note(&mut self, text: impl std::fmt::Display) {
        let text = text.to_string();
        let shown: String = text.chars().filter(|c| !c.is_control()).take(MAX_NOTE).collect();
        self.say(format!("info string {shown}"));
    }

    fn line(&mut self, line: &str, now: Instant) {
        let (unknown, rest) = command::skip_unknown(line);
        if !unknown.is_empty() {
            self.note(command::CommandError::Unknown(command::quote(unknown)));
        }
        if rest.is_empty() {
            return;
        }
        match rest.parse() {
            Ok(command) => self.command(command, now),
            Err(error) => self.note(error),
        }
    }

    /// Answers what can be answered at any time; the rest waits its turn.
    fn command(&mut self, command: Command, now: Instant) {
        match command {
            Command::Uci => {
                self.output.extend(about::identity());
                self.output.extend(options::listing());
                self.say("uciok");
            }
            Command::IsReady => self.say("readyok"),
            Command::Stop => self.stop(now),
            Command::PonderHit => self.ponder_hit(now),
            Command::Quit => self.quit(now),
            Command::Debug(on) => self.debug = on,
            Command::Register => {}
            Command::Help => self.output.extend(about::help()),
            Command::Compiler => self.say(build::compiler()),
            Command::License => self.say(build::LICENSE),
            Command::Go(_) if !self.is_idle() => self.note("go ignored: busy, send stop first"),
            other if self.is_idle() => self.execute(other, now),
            other => self.queue.push_back(other),
        }
    }

    /// Executes a command that needs the engine to be idle.
    fn execute(&mut self, command: Command, now: Instant) {
        match command {
            Command::NewGame => self.host.clear(),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::SetOption { name, value } => match options::parse(&name, value.as_deref()) {
                Ok(setting) => self.set_option(setting),
                Err(error) => self.note(error),
            },
            Command::Go(go) => self.go(*go, now),
            Command::Display => self.say(show::board(self.game.position())),
            Command::Eval => {
                let network = self.host.network();
                self.say(show::evaluation(self.game.position(), network.as_deref()));
            }
            Command::Flip => match flip::flipped(self.game.position()) {
                Ok(position) => self.game = Game::new(position),
                Err(error) => self.note(error),
            },
            Command::Perft(depth) => {
                let position = Box::new(self.game.position().clone());
                self.begin(Job::Perft { position, depth });
            }
            Command::Bench(words) => {
                let words = words.iter().map(String::as_str);
                match bench::Config::read(words, self.game.position(), system::bounds()) {
                    Ok(config) => self.begin(Job::Bench(config)),
                    Err(error) => self.note(error),
                }
            }
            Command::Speedtest(words) => {
                let words = words.iter().map(String::as_str);
                match speedtest::Config::read(words, system::bounds()) {
                    Ok(config) => self.begin(Job::Speedtest(config)),
                    Err(error) => self.note(error),
                }
            }
            immediate => self.command(immediate, now),
        }
    }

    /// Executes what has waited until the engine was idle.
    fn catch_up(&mut self, now: Instant) {
        while self.is_idle() {
            let Some(command) = self.queue.pop_front() else { break };
            self.execute(command, now);
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let position = match fen.map_or_else(|| Ok(Position::default()), Position::from_fen) {
            Ok(position) => position,
            Err(error) => return self.note(format!("position unchanged: {error}")),
        };
        let mut game = Game::new(position);
        for text in moves {
            match game.position().parse_move(text) {
                Ok(m) => game.play(m),
                Err(error) => return self.note(format!("position unchanged: {error}")),
            }
        }
        self.game = game;
    }

    fn set_option(&mut self, setting: Setting) {
        let done = match setting {
            Setting::Threads(threads) => self.host.set_threads(threads),
            Setting::Hash(hash) => self.host.set_hash(hash),
            Setting::EvalFile(file) => self.host.set_eval_file(&file),
            Setting::ClearHash => {
                self.host.clear();
                Ok(())
            }
            Setting::Param(index, value) => {
                params::tunable()[index].set(value);
                self.host.clear(); // tables are made from it
                Ok(())
            }
            Setting::SyzygyPath(path) => {
                self.host.set_tablebases(&path).map(|summary| self.note(summary))
            }
            other => {
                self.options.set(&other);
                Ok(())
            }
        };
        if let Err(error) = done {
            self.note(error);
        }
    }

    fn begin(&mut self, job: Job) {
        self.state = State::Working;
        self.host.begin(job);
    }

    fn go(&mut self, go: Go, now: Instant) {
        let Go { mut limits, search_moves, unknown } = go;
        if !unknown.is_empty() {
            self.note(format!("go ignores {}", command::quote(&unknown.join(" "))));
        }
        for text in search_moves {
            match self.game.position().parse_move(&text) {
                Ok(m) if limits.search_moves.contains(&m) => {}
                Ok(m) => limits.search_moves.push(m),
                Err(error) => self.note(format!("searchmoves ignores {error}")),
            }
        }
        let strength = self.options.limited();
        let mut granted = limits.clone();
        let mut settings = Settings { census: self.debug, ..self.options.settings.clone() };
        if let Some(strength) = strength {
            granted.nodes = Some(granted.nodes.unwrap_or(u64::MAX).min(strength.nodes()));
            settings.multipv = settings.multipv.max(strength::LINES);
        }
        let generation = self.host.start(&self.game, &granted, &settings);
        let position = self.game.position();
        let choices = match limits.search_moves.len() {
            0 => position.legal_moves().len(),
            listed => listed,
        };
        let keeper = Timekeeper::new(&limits, position.turn(), choices, self.options.overhead, now);
        let limits = granted;
        let current_due = (!settings.lockstep).then_some(now + CURRENT_DELAY);
        let search = Search {
            generation,
            limits,
            keeper,
            start: now,
            is_done: false,
            strength,
            current_due,
        };
        self.state = State::Searching(Box::new(search));
    }

    /// The running search, if it is the one that an event belongs to.
    fn search(&mut self, generation: Generation) -> Option<&mut Search> {
        match &mut self.state {
            State::Searching(search) if search.generation == generation => Some(search),
            _ => None,
        }
    }

    fn progress(&mut self, generation: Generation, line: &Line, totals: Totals, now: Instant) {
        let Some(search) = self.search(generation) else { return };
        let time = now - search.start;
        let iteration = line.iteration();
        iteration.into_iter().for_each(|iteration| search.keeper.observe(iteration));
        let is_enough = iteration.is_some() && search.keeper.is_enough(now);
        let settings = &self.options.settings;
        let are_bounds_shown = time >= BOUND_DELAY && !settings.lockstep;
        if line.multipv <= settings.multipv && (line.bound == Bound::Exact || are_bounds_shown) {
            self.say(report::info(line, &Cost { totals, time }, self.style()));
        }
        if is_enough {
            self.answer(now);
        }
    }

    fn finished(&mut self, generation: Generation, now: Instant) {
        let Some(search) = self.search(generation) else { return };
        search.is_done = true;
        if search.may_answer() {
            self.answer(now);
        }
    }

    fn stop(&mut self, now: Instant) {
        match self.state {
            State::Idle => {}
            State::Searching(_) => self.answer(now),
            State::Working => self.host.cancel(),
        }
    }

    fn ponder_hit(&mut self, now: Instant) {
        let turn = self.game.position().turn();
        let State::Searching(search) = &mut self.state else { return };
        if !search.limits.ponder {
            return;
        }
        search.limits.ponder = false;
        search.keeper.ponder_hit(&search.limits, turn, self.options.overhead, now);
        if search.may_answer() && (search.is_done || search.keeper.is_enough(now)) {
            self.answer(now);
        }
    }

    fn quit(&mut self, now: Instant) {
        self.queue.clear();
        self.stop(now);
        self.input = Input::Quit;
    }

    /// The lines that are shown, the one that is played first: the best, or the one that a player
    /// of limited strength takes for it.
    fn lines(&self, outcome: Option<&Outcome>, strength: Option<Strength>) -> Vec<Line> {
        let lines = outcome.map(|outcome| outcome.lines.clone()).unwrap_or_default();
        let Some(strength) = strength else { return lines };
        strength.arrange(lines, self.game.position().key(), self.options.settings.multipv)
    }

    /// Ends the search, says what it has found and goes on with what has waited for that.
    fn answer(&mut self, now: Instant) {
        let State::Searching(search) = std::mem::replace(&mut self.state, State::Idle) else {
            return;
        };
        self.host.stop();
        let result = self.host.result();
        let (chess960, style) = (self.chess960(), self.style());
        let cost = Cost { totals: self.host.totals(), time: now - search.start };
        for fault in self.host.take_faults() {
            self.note(fault);
        }
        if self.debug {
            self.output.extend(report::workers(&result, style));
            self.output.extend(cost.totals.census.iter().flat_map(report::census));
        }
        let lines = self.lines(result.winner(), search.strength);
        // The best line comes last: it is the one that is played. A search stopped in its first
        // iteration has none that is worth telling.
        for line in lines.iter().rev().filter(|line| line.bound == Bound::Exact) {
            self.say(report::info(line, &cost, style));
        }
        let legal = self.game.position().legal_moves();
        if legal.is_empty() {
            self.say(report::game_over(self.game.position(), style));
        }
        let best = lines.first().map_or(&[][..], |line| &line.moves);
        let any = search.limits.search_moves.first().or(legal.first());
        let answer = if best.is_empty() { any.map_or(best, std::slice::from_ref) } else { best };
        self.say(report::bestmove(answer, chess960));
        self.catch_up(now);
    }
}
