//! The protocol as a state machine: messages and the time go in, lines come out.
//!
//! It reads no input, writes no output and looks at no clock, so that a test can put it into any
//! state.
//!
//! ```text
//!              go                    its end, its deadline, stop: bestmove
//!         ┌──────────► Searching ────────────────────────────────────────────┐
//!   Idle ─┤                                                                  ├─► Idle
//!         └──────────► Working ──────────────────────────────────────────────┘
//!              perft, bench, speedtest              its end; stop asks for it
//! ```
//!
//! A search that is `infinite` or ponders is *held*: neither its end nor a deadline answers it,
//! only `stop` does; `ponderhit` turns pondering into a search that is not held. The answer waits
//! for the workers, a matter of milliseconds, so that what follows a `stop` in the same write finds
//! the state idle.
//!
//! Commands are of two kinds. An [`Immediate`] one is answered in any state. A [`Queued`] one is
//! executed when the state is idle, in the order of the lines; until then it waits in a
//! [`CommandQueue`] of bounded size, beyond which it is refused with a line. `stop` ends what runs,
//! and what waits comes next.
//!
//! Two things end the program. `quit` stops what runs and forgets what waits. The end of input does
//! the rest of the work first, except that nobody is left to answer what has no end: such a search
//! is answered at once.

mod host;
#[cfg(test)]
mod input_tests;
#[cfg(test)]
mod output_tests;
mod queue;
mod search;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod waiting_tests;

use std::time::Instant;

use super::command::{self, Command, CommandError, Immediate, Queued};
use super::options::{self, Options};
use super::report::Style;
use crate::commands::{bench, genfens, speedtest};
use crate::engine::Event;
use crate::machine;
use crate::paths;
use crate::position::{FenError, Game, MoveError, Position};
use crate::text::{build, show};
use crate::wdl;
use queue::CommandQueue;
use search::OpenGo;

pub use host::{Ending, Host, Job, Message};

/// The longest `info string`, in characters, ...
const MAX_NOTE: usize = 200;
/// ... of which this many are kept from its end, where the reason is.
const NOTE_END: usize = 90;

enum State {
    Idle,
    Searching(Box<OpenGo>),
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
    /// The last `position` was refused: `game` is not the GUI's.
    is_refused: bool,
    state: State,
    queue: CommandQueue,
    input: Input,
    debug: bool,
    output: Vec<String>,
}

impl<H: Host> Protocol<H> {
    /// Idle, in the initial position.
    pub fn new(host: H) -> Self {
        Self {
            host,
            options: Options::default(),
            game: Game::default(),
            is_refused: false,
            state: State::Idle,
            queue: CommandQueue::default(),
            input: Input::Open,
            debug: false,
            output: Vec::new(),
        }
    }

    /// When the search has to be answered, if nothing else happens.
    pub fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Searching(search) => search.deadline(),
            _ => None,
        }
    }

    /// When [`Protocol::tick`] has to be called, if nothing else happens.
    pub fn next_tick(&self) -> Option<Instant> {
        match &self.state {
            State::Searching(search) => search.next_tick(),
            _ => None,
        }
    }

    /// There will be no more lines: what runs is the last of the work.
    pub fn has_input_ended(&self) -> bool {
        self.input != Input::Open
    }

    /// The program should end.
    pub fn is_over(&self) -> bool {
        match self.input {
            Input::Open => false,
            Input::Ended => self.is_idle() && self.queue.is_empty(),
            Input::Quit => true,
        }
    }

    /// The file to which all lines should be appended; empty for none.
    pub fn log_file(&self) -> &str {
        &self.options.log_file
    }

    /// The file cannot be opened: tells so, and wants none.
    pub fn refuse_log(&mut self, error: impl std::fmt::Display) {
        self.options.log_file.clear();
        self.note(error);
    }

    /// The lines that have to be written since this was last called.
    pub fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    /// Takes in a message that was sent `at` that time. [`Protocol::tick`] has to follow.
    pub fn handle(&mut self, message: Message, at: Instant) {
        match message {
            _ if self.input == Input::Quit => {}
            Message::Line(line) => self.line(&line, at),
            // It may have been a position.
            Message::LongLine => self.queued(Queued::Refused(CommandError::LongLine), "", at),
            Message::EndOfInput => {
                self.input = Input::Ended;
                self.answer_if_endless();
            }
            Message::Engine(Event::Line(generation, line, totals)) => {
                self.progress(generation, &line, totals, at);
            }
            Message::Engine(Event::Finished(generation)) => self.finished(generation),
            Message::Output(line) => self.say(line),
            Message::Done(line) => {
                self.say(line);
                self.state = State::Idle;
            }
        }
    }

    /// Does what is due: a search is answered when its time is up, and commands that have waited
    /// are executed as soon as the state is idle.
    pub fn tick(&mut self, now: Instant) {
        self.watch(now);
        while self.is_idle() {
            let Some(command) = self.queue.pop() else { break };
            self.execute(command, now);
            self.watch(now); // its time may be up already
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

    /// Says something on one line; of a long one the middle is left out.
    fn note(&mut self, text: impl std::fmt::Display) {
        let text = paths::shown(&text.to_string());
        let mut shown: Vec<char> = text.chars().filter(|c| !c.is_control()).collect();
        if shown.len() > MAX_NOTE {
            let end = shown.len() - NOTE_END;
            shown.splice(MAX_NOTE - NOTE_END - 1..end, ['…']);
        }
        self.say(format!("info string {}", shown.iter().collect::<String>()));
    }

    fn line(&mut self, line: &str, at: Instant) {
        let (unknown, rest) = command::skip_unknown(line);
        if !unknown.is_empty() {
            self.note(CommandError::Unknown(command::quote(unknown)));
        }
        if rest.is_empty() {
            return;
        }
        match rest.parse() {
            Ok(Command::Immediate(command)) => self.reply(&command, at),
            Ok(Command::Queued(command)) => self.queued(command, rest, at),
            Err(error) if command::is_position(rest) => {
                self.queued(Queued::Refused(error), rest, at);
            }
            Err(error) => self.note(error),
        }
    }

    /// Executes a command, whose `text` arrived `at` that time, or lets it wait for its turn.
    fn queued(&mut self, command: Queued, text: &str, at: Instant) {
        if self.is_idle() && self.queue.is_empty() {
            self.execute(command, at);
        } else if !self.queue.push(command, text.len()) {
            let start = command::quote(text);
            self.note(format!("too many commands are waiting: ignored {start}"));
        }
    }

    /// Answers what can be answered in any state.
    fn reply(&mut self, command: &Immediate, at: Instant) {
        match command {
            Immediate::Uci => {
                self.say(format!("id name {}", build::NAME));
                self.say("id author the Heddle authors");
                self.output.extend(options::listing());
                self.say("uciok");
            }
            Immediate::IsReady => self.say("readyok"),
            Immediate::Stop => self.stop(),
            Immediate::PonderHit => self.ponder_hit(at),
            Immediate::Quit => {
                self.queue.clear();
                self.stop();
                self.input = Input::Quit;
            }
            Immediate::Debug(on) => self.debug = *on,
            Immediate::Register => {}
            Immediate::Help => {
                self.say(format!("{} speaks UCI. Commands:", build::NAME));
                self.output.extend(command::help());
                self.say("Options:");
                self.output.extend(options::help(false));
            }
            Immediate::Compiler => self.say(build::compiler()),
            Immediate::License => self.say(build::LICENSE),
        }
    }

    /// Executes a command that needs the engine to be idle, which it is. Time counts from `start`.
    fn execute(&mut self, command: Queued, start: Instant) {
        match command {
            Queued::NewGame => self.change(&options::Change::Clear),
            Queued::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Queued::Refused(error) => {
                self.is_refused = true;
                self.note(error);
            }
            Queued::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Queued::Go(go) => self.go(*go, start),
            Queued::Display => self.say(show::board(self.game.position())),
            Queued::Eval => {
                let network = self.host.network();
                self.say(show::evaluation(self.game.position(), network.as_deref()));
            }
            Queued::Flip => self.game = Game::new(self.game.position().mirrored()),
            Queued::Perft(_) if self.is_refused => {
                self.note("go perft: the last position was refused");
            }
            Queued::Perft(depth) => {
                let position = Box::new(self.game.position().clone());
                self.begin(Job::Perft { position, depth, chess960: self.chess960() });
            }
            Queued::Bench(words) => {
                let words = words.iter().map(String::as_str);
                match bench::BenchConfig::read(words, self.game.position(), machine::bounds()) {
                    Ok(config) => self.begin(Job::Bench(config)),
                    Err(error) => self.note(format!("bench: {error}")),
                }
            }
            Queued::Genfens(words) => {
                match genfens::GenfensConfig::read(words.iter().map(String::as_str)) {
                    Ok(config) => self.begin(Job::Genfens(config)),
                    Err(error) => self.note(format!("genfens: {error}")),
                }
            }
            Queued::Speedtest(words) => {
                let words = words.iter().map(String::as_str);
                match speedtest::SpeedtestConfig::read(words, machine::bounds()) {
                    Ok(config) => self.begin(Job::Speedtest(config)),
                    Err(error) => self.note(format!("speedtest: {error}")),
                }
            }
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let game = read_game(fen, moves);
        self.is_refused = game.is_err();
        match game {
            Ok(game) => self.game = game,
            Err(error) => self.note(format!("position unchanged: {error}")),
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Ok(Some(change)) => self.change(&change),
            Ok(None) => {}
            Err(error) => self.note(error),
        }
    }

    fn change(&mut self, change: &options::Change) {
        match self.host.change(change) {
            Ok(Some(summary)) => self.note(summary),
            Ok(None) => {}
            Err(error) => self.note(error),
        }
    }

    fn begin(&mut self, job: Job) {
        self.state = State::Working;
        self.host.begin(job);
    }

    /// Ends the search, or asks the job to end.
    fn stop(&mut self) {
        match self.state {
            State::Idle => {}
            State::Searching(_) => self.answer(),
            State::Working => self.host.cancel(),
        }
    }
}

/// The game of a `position`.
fn read_game(fen: Option<&str>, moves: &[String]) -> Result<Game, RefusedPosition> {
    let mut game = Game::new(fen.map_or_else(|| Ok(Position::default()), Position::from_record)?);
    for text in moves {
        game.play(game.position().parse_move(text)?);
    }
    Ok(game)
}

/// Why a `position` is refused.
#[derive(Debug, thiserror::Error)]
enum RefusedPosition {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Move(#[from] MoveError),
}
