//! One search: started, shown while it runs, and answered.

use std::time::{Duration, Instant};

use heddle::engine::{Event, Generation, SearchResult, Settings, Totals};
use heddle::position::{Game, Position, uci};
use heddle::search::Line;
use heddle::sync::Arc;
use heddle::text::show;
use heddle::time::limits::{Limits, SideClock};
use heddle::time::timekeeper::Timekeeper;
use heddle::tt::Bound;
use heddle::uci::strength::Strength;

use crate::desk::{Client, Desk, Interruption, Message};
use crate::protocol::{Analyse, Code, Done, Found, Info, Play, Reason, Refusal, Reply, Work};
use crate::rules;
use crate::turns::Turns;

/// The time between two reports.
pub const INTERVAL: Duration = Duration::from_millis(100);
/// What a move costs beside the search, on the engine's clock.
const OVERHEAD: Duration = Duration::from_millis(10);
/// The time for a move without a clock, in milliseconds.
const MOVETIME: u64 = 1000;
/// The most lines of an analysis.
pub const MAX_LINES: usize = 5;
/// The moves of a line that are sent.
const MAX_LINE: usize = 24;

/// What is searched, and how.
pub struct Order {
    /// The game, whose last position is searched.
    pub game: Game,
    /// The limits.
    pub limits: Limits,
    /// The settings.
    pub settings: Settings,
    /// The strength, if it is limited.
    pub strength: Option<Strength>,
    /// The lines that are shown.
    pub shown: usize,
    /// The workers are shown.
    pub is_watched: bool,
    /// The turns of the workers, in lockstep.
    pub turns: Option<Turns>,
}

impl Order {
    /// A search of `game` at full strength.
    pub fn new(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            settings: Settings::default(),
            strength: None,
            shown: 1,
            is_watched: false,
            turns: None,
        }
    }
}

/// A search that runs.
pub struct Running {
    /// What is searched.
    pub order: Order,
    /// The request.
    pub id: u64,
    start: Instant,
    generation: Generation,
    keeper: Timekeeper,
    /// The last line of each rank.
    lines: Vec<Line>,
    /// Something is not reported yet.
    is_news: bool,
    reported: Option<Instant>,
}

impl Desk {
    /// Serves `analyse`.
    ///
    /// # Errors
    /// A refusal.
    pub fn analyse(
        &mut self,
        client: &Client,
        id: u64,
        analyse: &Analyse,
        start: Instant,
    ) -> Result<(), Refusal> {
        let game = rules::game(id, &analyse.game)?;
        if !(1..=MAX_LINES).contains(&analyse.lines) {
            let message = format!("lines: not a number from 1 to {MAX_LINES}");
            return Err(Refusal::new(id, Code::Bounds, message));
        }
        self.resize(id, analyse.size)?;
        let mut order = Order::new(game, Limits { infinite: true, ..Limits::default() });
        order.settings.multipv = analyse.lines;
        order.shown = analyse.lines;
        self.search(client, id, order, start);
        Ok(())
    }

    /// Serves `play`.
    ///
    /// # Errors
    /// A refusal.
    pub fn play(
        &mut self,
        client: &Client,
        id: u64,
        play: &Play,
        start: Instant,
    ) -> Result<(), Refusal> {
        let game = rules::game(id, &play.game)?;
        self.resize(id, play.size)?;
        let side = |milliseconds| SideClock {
            remaining: Some(Duration::from_millis(milliseconds)),
            increment: Duration::from_millis(play.increment),
        };
        let mut limits = match play.clock {
            Some([white, black]) => {
                Limits { white: side(white), black: side(black), ..Limits::default() }
            }
            None => {
                let time = Duration::from_millis(play.movetime.unwrap_or(MOVETIME));
                Limits { move_time: Some(time), ..Limits::default() }
            }
        };
        let strength = play.elo.map(Strength::new);
        let mut settings = Settings::default();
        if let Some(strength) = strength {
            strength.restrict(&mut limits, &mut settings);
        }
        let order = Order { strength, settings, ..Order::new(game, limits) };
        self.search(client, id, order, start);
        Ok(())
    }

    /// Searches, reports and answers.
    pub fn search(&mut self, client: &Client, id: u64, order: Order, start: Instant) {
        let position = order.game.position();
        let choices = position.legal_moves().len();
        let keeper = Timekeeper::new(&order.limits, position, choices, OVERHEAD, start);
        let report = {
            let inbox = Arc::clone(&self.queue.inbox);
            move |event| inbox.send(Message::Event(event))
        };
        if let Some(turns) = &order.turns {
            turns.attach(&mut self.engine);
        }
        let generation = self.engine.start(&order.game, &order.limits, &order.settings, report);
        let (lines, is_news, reported) = (Vec::new(), order.is_watched, None);
        let mut running =
            Running { order, id, start, generation, keeper, lines, is_news, reported };
        let reason = self.attend(client, &mut running);
        self.engine.stop();
        if let Some(turns) = &running.order.turns {
            turns.release();
        }
        let result = self.engine.result();
        if let Some(turns) = &running.order.turns {
            turns.detach(&mut self.engine);
        }
        self.conclude(client, &running, &result, reason);
    }

    /// Follows a search to its end.
    fn attend(&mut self, client: &Client, running: &mut Running) -> Reason {
        loop {
            let now = Instant::now();
            if running.keeper.deadline().is_some_and(|deadline| now >= deadline) {
                return Reason::Complete;
            }
            if running.order.turns.as_mut().is_some_and(|turns| turns.advance(now)) {
                running.is_news = true;
            }
            if running.is_due(now) {
                self.tell(client, running);
            }
            let Some(message) = self.queue.inbox.receive(running.wake()) else { continue };
            match self.queue.sort(message, client) {
                Interruption::End(reason) => return reason,
                Interruption::Event(event) => {
                    if running.hear(event) {
                        return Reason::Complete;
                    }
                }
                Interruption::Own(body) => {
                    if let Some(turns) = &mut running.order.turns {
                        turns.order(&body);
                        (running.is_news, running.reported) = (true, None);
                    }
                }
                Interruption::None => {}
            }
        }
    }

    fn tell(&self, client: &Client, running: &mut Running) {
        let position = running.order.game.position();
        let reply = if running.order.is_watched {
            Reply::Threads(self.threads(running, None))
        } else {
            Reply::Info(running.info(&running.lines, position, self.engine.totals()))
        };
        client.report(&reply);
        running.is_news = false;
        running.reported = Some(Instant::now());
    }

    /// The last report of a search, and its end.
    fn conclude(&self, client: &Client, running: &Running, result: &SearchResult, reason: Reason) {
        let position = running.order.game.position();
        let mut lines = result.winner().map(|winner| winner.lines.clone()).unwrap_or_default();
        if let Some(strength) = running.order.strength {
            lines = strength.arrange(lines, position.key(), running.order.shown);
        }
        let best = lines.first().map(|line| rules::moved(position, Some(line.moves[0])));
        let reply = if running.order.is_watched {
            Reply::Threads(self.threads(running, Some(result)))
        } else {
            Reply::Info(running.info(&lines, position, self.engine.totals()))
        };
        client.answer(&reply);
        let time = running.start.elapsed().as_millis() as u64;
        client.answer(&Reply::Done(Done { id: running.id, reason, best, time }));
    }
}

impl Running {
    /// When it has something to do, if no message comes before.
    fn wake(&self) -> Option<Instant> {
        let turn = self.order.turns.as_ref().and_then(Turns::due);
        let report = self.is_reporting().then(|| match self.reported {
            Some(reported) => reported + INTERVAL,
            None => Instant::now(),
        });
        [self.keeper.deadline(), turn, report].into_iter().flatten().min()
    }

    /// There is, or will be, something to report.
    fn is_reporting(&self) -> bool {
        let is_free = self.order.turns.as_ref().is_none_or(Turns::is_free);
        self.is_news || self.order.is_watched && is_free
    }

    fn is_due(&self, now: Instant) -> bool {
        self.is_reporting() && self.reported.is_none_or(|reported| now >= reported + INTERVAL)
    }

    /// Takes note of an event; true at the end.
    fn hear(&mut self, event: Event) -> bool {
        match event {
            Event::Finished(generation) => generation == self.generation,
            Event::Line(generation, line, _) if generation == self.generation => {
                let iteration = line.iteration();
                if line.bound == Bound::Exact {
                    self.note(line);
                }
                let Some(iteration) = iteration else { return false };
                self.keeper.observe(iteration);
                self.keeper.is_enough(Instant::now())
            }
            Event::Line(..) => false,
        }
    }

    fn note(&mut self, line: Line) {
        if line.multipv > self.order.shown {
            return;
        }
        self.is_news = true;
        match self.lines.get_mut(line.multipv - 1) {
            Some(last) => *last = line,
            None => self.lines.push(line),
        }
    }

    /// The work so far.
    pub fn work(&self, totals: Totals) -> Work {
        Work {
            time: self.start.elapsed().as_millis() as u64,
            nodes: totals.nodes,
            hashfull: totals.hashfull,
            tbhits: totals.tb_hits,
        }
    }

    /// The main worker's line.
    pub fn line(&self) -> Option<Found> {
        self.lines.first().map(|line| found(line, self.order.game.position()))
    }

    fn info(&self, lines: &[Line], position: &Position, totals: Totals) -> Info {
        // A search that was stopped in its first iteration has found nothing worth telling.
        let told = lines.iter().filter(|line| line.depth > 0);
        let lines = told.map(|line| found(line, position)).collect();
        Info { id: self.id, work: self.work(totals), lines }
    }
}

/// A line as the page shows it.
fn found(line: &Line, position: &Position) -> Found {
    let moves = &line.moves[..line.moves.len().min(MAX_LINE)];
    let chess960 = position.is_chess960();
    Found {
        scored: rules::scored(line.score, line.depth, position),
        seldepth: line.seldepth,
        moves: moves.iter().map(|&m| uci(m, chess960)).collect(),
        text: show::line(position, moves),
    }
}
