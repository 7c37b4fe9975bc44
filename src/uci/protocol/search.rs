//! One search, from `go` to its `bestmove`.

use std::time::{Duration, Instant};

use super::{Host, Input, Protocol, State};
use crate::engine::{Generation, Settings, Totals};
use crate::search::{Line, Outcome};
use crate::time::limits::Limits;
use crate::time::timekeeper::Timekeeper;
use crate::tt::{Bound, Counting};
use crate::uci::command::Go;
use crate::uci::report::{self, Cost};
use crate::uci::strength::Strength;

/// Failed windows are reported only in searches that have lasted this long.
pub(super) const BOUND_DELAY: Duration = Duration::from_secs(3);
/// The move being searched is shown in searches that have lasted this long, ...
pub(super) const CURRENT_DELAY: Duration = Duration::from_secs(3);
/// ... and then no more often than this.
const CURRENT_INTERVAL: Duration = Duration::from_secs(1);
/// Time for a move whose limits could not be read.
const FALLBACK_TIME: Duration = Duration::from_secs(1);

/// The search that is running, or done and waiting to be answered.
pub(super) struct OpenGo {
    generation: Generation,
    limits: Limits,
    keeper: Timekeeper,
    start: Instant,
    /// The main worker is done. The search is still to be answered.
    is_done: bool,
    /// The strength to play with, if it is limited.
    strength: Option<Strength>,
    /// When the move being searched is shown next; never in lockstep, whose output must not depend
    /// on the clock.
    current_due: Option<Instant>,
    /// The line shown last of each rank, the best first.
    shown: Vec<Line>,
    /// The nodes shown last.
    nodes: u64,
}

impl OpenGo {
    /// When it has to be answered, if nothing else happens.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.keeper.deadline()
    }

    /// When something has to be done for it, if nothing else happens.
    pub(super) fn next_tick(&self) -> Option<Instant> {
        let current_due = self.current_due.filter(|_| !self.is_done);
        self.deadline().into_iter().chain(current_due).min()
    }

    /// True if only `stop` or `ponderhit` may end it.
    fn is_held(&self) -> bool {
        self.limits.infinite || self.limits.ponder
    }

    /// It comes to an end by itself.
    fn is_finite(&self) -> bool {
        let Limits { depth, nodes, mate, .. } = &self.limits;
        let has_limit = depth.is_some() || nodes.is_some() || mate.is_some();
        !self.is_held() && (has_limit || self.deadline().is_some())
    }

    fn show(&mut self, line: &Line, totals: &Totals) {
        self.nodes = totals.nodes;
        self.shown.truncate(line.multipv - 1);
        self.shown.push(line.clone());
    }

    /// The line has been shown as it is, and no other of its rank after it.
    fn has_shown(&self, line: &Line) -> bool {
        let is_same = |shown: &Line| {
            (shown.multipv, shown.depth, shown.score, shown.bound)
                == (line.multipv, line.depth, line.score, line.bound)
                && shown.moves == line.moves
        };
        self.shown.iter().any(is_same)
    }
}

/// True if a limit, a clock or `infinite` was given. A single clock is that of both sides.
fn is_limited(limits: &Limits) -> bool {
    let Limits { depth, nodes, mate, move_time, infinite, white, black, .. } = limits;
    let clock = white.remaining.or(black.remaining);
    let is_timed = move_time.is_some() || clock.is_some();
    is_timed || depth.is_some() || nodes.is_some() || mate.is_some() || *infinite
}

impl<H: Host> Protocol<H> {
    /// Starts the search of `go`, whose time counts from `start`.
    pub(super) fn go(&mut self, go: Go, start: Instant) {
        if let Some(complaint) = go.complaint() {
            self.note(complaint);
        }
        if self.is_refused {
            self.note("no search: the last position was refused");
            return self.say(report::NO_MOVE);
        }
        let Go { mut limits, search_moves, errors, .. } = go;
        let position = self.game.position().clone();
        for text in search_moves {
            match position.parse_move(&text) {
                Ok(m) if limits.search_moves.contains(&m) => {}
                Ok(m) => limits.search_moves.push(m),
                Err(error) => self.note(format!("searchmoves ignores {error}")),
            }
        }
        if !errors.is_empty() && !is_limited(&limits) {
            limits.move_time = Some(FALLBACK_TIME);
            self.note(format!("go without a limit: {} ms", FALLBACK_TIME.as_millis()));
        }
        let choices = match limits.search_moves.len() {
            0 => position.legal_moves().len(),
            listed => listed,
        };
        let overhead = self.options.overhead;
        let keeper = Timekeeper::new(&limits, &position, choices, overhead, start);
        let census = if self.debug { Counting::Everything } else { Counting::Nothing };
        let mut settings = Settings { census, ..self.options.settings.clone() };
        let strength = self.options.limited();
        if let Some(strength) = strength {
            strength.restrict(&mut limits, &mut settings);
        }
        let current_due = (!settings.lockstep).then_some(start + CURRENT_DELAY);
        let generation = self.host.start(&self.game, &limits, &settings);
        self.state = State::Searching(Box::new(OpenGo {
            generation,
            limits,
            keeper,
            start,
            is_done: false,
            strength,
            current_due,
            shown: Vec::new(),
            nodes: 0,
        }));
        if self.input == Input::Ended {
            self.answer_if_endless();
        }
    }

    /// The running search, if it is the one that an event belongs to.
    fn search(&mut self, generation: Generation) -> Option<&mut OpenGo> {
        match &mut self.state {
            State::Searching(search) if search.generation == generation => Some(search),
            _ => None,
        }
    }

    /// The main worker has found a line, when the workers had done `totals`.
    pub(super) fn progress(
        &mut self,
        generation: Generation,
        line: &Line,
        totals: Totals,
        at: Instant,
    ) {
        let style = self.style();
        let Settings { multipv, lockstep, .. } = self.options.settings;
        let Some(search) = self.search(generation) else { return };
        let cost = Cost { totals, time: at - search.start };
        let iteration = line.iteration();
        iteration.into_iter().for_each(|iteration| search.keeper.observe(iteration));
        let is_enough = iteration.is_some() && search.keeper.is_enough(at);
        let are_bounds_shown = cost.time >= BOUND_DELAY && !lockstep;
        if line.multipv <= multipv && (line.bound == Bound::Exact || are_bounds_shown) {
            search.show(line, &totals);
            self.say(report::info(line, &cost, style));
        }
        if is_enough {
            self.answer();
        }
    }

    /// The main worker is done.
    pub(super) fn finished(&mut self, generation: Generation) {
        let Some(search) = self.search(generation) else { return };
        search.is_done = true;
        if !search.is_held() {
            self.answer();
        }
    }

    /// The opponent has played the expected move: the search is no longer held, and its own time
    /// begins.
    pub(super) fn ponder_hit(&mut self, at: Instant) {
        let State::Searching(search) = &mut self.state else { return };
        if !search.limits.ponder {
            return;
        }
        search.limits.ponder = false;
        search.keeper.ponder_hit(&search.limits, self.game.position(), self.options.overhead, at);
        if !search.is_held() && (search.is_done || search.keeper.is_enough(at)) {
            self.answer();
        }
    }

    /// Ends a search whose time is up, or shows the move it is searching.
    pub(super) fn watch(&mut self, now: Instant) {
        let State::Searching(search) = &mut self.state else { return };
        if search.deadline().is_some_and(|deadline| now >= deadline) {
            self.answer();
        } else if !search.is_done && search.current_due.is_some_and(|due| now >= due) {
            search.current_due = Some(now + CURRENT_INTERVAL);
            if let Some(current) = self.host.current(self.game.position()) {
                self.say(report::current(&current, self.chess960()));
            }
        }
    }

    /// Answers a search that nobody is left to stop.
    pub(super) fn answer_if_endless(&mut self) {
        if matches!(&self.state, State::Searching(search) if !search.is_finite()) {
            self.answer();
        }
    }

    /// The lines of an outcome, the line to play first: the best one, or the one that limited
    /// strength chooses.
    fn lines(&self, outcome: Option<&Outcome>, strength: Option<Strength>) -> Vec<Line> {
        let lines = outcome.map(|outcome| outcome.lines.clone()).unwrap_or_default();
        let Some(strength) = strength else { return lines };
        strength.arrange(lines, self.game.position().key(), self.options.settings.multipv)
    }

    /// Ends the search and says what it has found.
    pub(super) fn answer(&mut self) {
        let State::Searching(search) = std::mem::replace(&mut self.state, State::Idle) else {
            return;
        };
        let ending = self.host.finish();
        let (chess960, style) = (self.chess960(), self.style());
        let cost = Cost { totals: ending.totals, time: ending.at - search.start };
        for fault in &ending.faults {
            self.note(fault);
        }
        if self.debug {
            self.output.extend(report::workers(&ending.result, style));
            self.output.extend(cost.totals.census.iter().flat_map(report::census));
        }
        let winner = ending.result.winner();
        let lines = self.lines(winner, search.strength);
        // A move that failed high last is the one that is played. Those of a search stopped in its
        // first iteration are not worth telling.
        let has_iterated = winner.is_some_and(|outcome| outcome.depth > 0);
        let told = lines.iter().filter(|line| line.bound == Bound::Exact || has_iterated);
        let news: Vec<&Line> = told.filter(|line| !search.has_shown(line)).collect();
        if news.is_empty() && !search.shown.is_empty() && cost.totals.nodes > search.nodes {
            self.say(report::totals(&cost));
        }
        for line in news {
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
    }
}
