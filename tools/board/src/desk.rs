//! The thread that owns the engine: it takes one request at a time from any number of pages.
//!
//! While it searches, a request of another page is refused unless that page takes the engine. A
//! page whose connection has ended is gone: its search ends, and nobody else's.

use std::time::Instant;

use heddle::engine::{Engine, EngineError};
use heddle::machine::{max_hash, max_threads};
use heddle::smp::mailbox::Mailbox;
use heddle::sync::Arc;
use heddle_annotate::Openings;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::protocol::{Body, Code, Reason, Refusal, Reply, Request, Size};

/// Messages to a page that may wait until it reads them.
pub const OUTBOX: usize = 128;
/// Of these, what reports of running searches leave free for answers.
const RESERVED: usize = 64;

/// A page, as the desk knows it.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its number, which no other page has had.
    pub number: u64,
    /// What it will read.
    pub outbox: mpsc::Sender<String>,
    /// It does not read what it is sent.
    pub overflow: Arc<Notify>,
}

impl Client {
    /// Sends an answer. A page that has not read the last [`OUTBOX`] messages is cut off.
    pub fn answer(&self, reply: &Reply) {
        let text = serde_json::to_string(reply).expect("strings and numbers are JSON");
        if let Err(TrySendError::Full(_)) = self.outbox.try_send(text) {
            self.overflow.notify_one();
        }
    }

    /// Sends a report, which a later one will replace: not to a page that is slow to read.
    pub fn report(&self, reply: &Reply) {
        if self.outbox.capacity() > RESERVED {
            self.answer(reply);
        }
    }
}

/// A message to the desk.
#[derive(Debug)]
pub enum Message {
    /// A page wants something; the permit is its place among those that wait.
    Request(Client, Request, OwnedSemaphorePermit),
    /// A page has gone.
    Left(u64),
    /// The running search has something to tell.
    Event(heddle::engine::Event),
    /// The program ends.
    Quit,
}

/// What waits for the desk. Bounded: each page has a fixed number of permits.
pub type Inbox = Mailbox<Message>;

/// The messages, and what could not be done at once.
pub struct Queue {
    /// Where they come in.
    pub inbox: Arc<Inbox>,
    /// A request that has ended the search before it.
    next: Option<(Client, Request)>,
    /// The program ends.
    is_quitting: bool,
}

/// What a message means for the running search.
pub enum Interruption {
    /// It ends.
    End(Reason),
    /// A message of its own page, which does not end it.
    Own(Body),
    /// Something from its workers.
    Event(heddle::engine::Event),
    /// Nothing.
    None,
}

impl Queue {
    /// Sorts a message that comes during a search of `owner`.
    pub fn sort(&mut self, message: Message, owner: &Client) -> Interruption {
        match message {
            Message::Event(event) => Interruption::Event(event),
            Message::Quit => {
                self.is_quitting = true;
                Interruption::End(Reason::Stopped)
            }
            Message::Left(number) if number == owner.number => Interruption::End(Reason::Stopped),
            Message::Left(_) => Interruption::None,
            Message::Request(client, request, place) => {
                drop(place);
                self.sort_request(client, request, owner)
            }
        }
    }

    fn sort_request(&mut self, client: Client, request: Request, owner: &Client) -> Interruption {
        let is_own = client.number == owner.number;
        match request.body {
            Body::Stop if is_own => Interruption::End(Reason::Stopped),
            body @ (Body::Step { .. } | Body::Pace(_)) if is_own => Interruption::Own(body),
            Body::Stop | Body::Step { .. } | Body::Pace(_) => Interruption::None,
            _ if is_own || takes(&request.body) => {
                self.next = Some((client, request));
                Interruption::End(if is_own { Reason::Stopped } else { Reason::Taken })
            }
            _ => {
                let message = "the engine is searching for another page";
                client.answer(&Reply::Error(Refusal::new(request.id, Code::Busy, message)));
                Interruption::None
            }
        }
    }

    /// The next request, which comes from outside a search; `None` at the end of the program.
    fn next(&mut self) -> Option<(Client, Request)> {
        loop {
            if self.is_quitting {
                return None;
            }
            if let Some(next) = self.next.take() {
                return Some(next);
            }
            match self.inbox.receive(None)? {
                Message::Request(client, request, place) => {
                    drop(place);
                    return Some((client, request));
                }
                Message::Quit => return None,
                // Late news of a search that has ended.
                Message::Event(_) | Message::Left(_) => {}
            }
        }
    }
}

/// Whether a request ends the search of another page.
fn takes(body: &Body) -> bool {
    match body {
        Body::Analyse(analyse) => analyse.size.take,
        Body::Play(play) => play.size.take,
        Body::Watch(watch) => watch.size.take,
        Body::Judge(judge) => judge.size.take,
        _ => false,
    }
}

/// The engine and what waits for it.
pub struct Desk {
    /// The engine.
    pub engine: Engine,
    /// What waits for it.
    pub queue: Queue,
    /// Names of openings.
    pub openings: Openings,
}

impl Desk {
    /// A desk with an engine that nobody uses yet.
    pub fn new(engine: Engine, inbox: Arc<Inbox>) -> Self {
        let queue = Queue { inbox, next: None, is_quitting: false };
        Self { engine, queue, openings: Openings::new() }
    }

    /// Serves requests until the program ends.
    pub fn run(mut self) {
        while let Some((client, request)) = self.queue.next() {
            let start = Instant::now();
            if let Err(refusal) = self.serve(&client, request, start) {
                client.answer(&Reply::Error(refusal));
            }
        }
    }

    fn serve(&mut self, client: &Client, request: Request, start: Instant) -> Result<(), Refusal> {
        let id = request.id;
        match request.body {
            Body::Analyse(analyse) => self.analyse(client, id, &analyse, start),
            Body::Play(play) => self.play(client, id, &play, start),
            Body::Watch(watch) => self.watch(client, id, &watch, start),
            Body::Judge(judge) => self.judge(client, id, &judge, start),
            Body::Forget => {
                self.engine.clear();
                Ok(())
            }
            // There is nothing to stop, and what needs no engine does not come here.
            _ => Ok(()),
        }
    }

    /// Changes threads and table as a request wants them.
    ///
    /// # Errors
    /// A refusal; the engine stays as it was.
    pub fn resize(&mut self, id: u64, size: Size) -> Result<(), Refusal> {
        let within = |number: usize, most: usize, what: &str| {
            let message = || format!("{what}: not a number from 1 to {most}");
            let is_within = (1..=most).contains(&number);
            is_within.then_some(()).ok_or_else(|| Refusal::new(id, Code::Bounds, message()))
        };
        let refused = |error: EngineError| Refusal::new(id, Code::Engine, error.to_string());
        if let Some(threads) = size.threads.filter(|&threads| threads != self.engine.threads()) {
            within(threads, most_threads(), "threads")?;
            self.engine.set_threads(threads).map_err(refused)?;
        }
        let mebibytes = self.engine.table().mebibytes();
        if let Some(hash) = size.hash.filter(|&hash| hash != mebibytes) {
            within(hash, max_hash(), "hash")?;
            self.engine.set_hash(hash).map_err(refused)?;
        }
        Ok(())
    }
}

/// The most threads of a page: as many as lockstep can show on a screen.
const SHOWN_THREADS: usize = 64;

/// The most threads that a page may ask for.
pub fn most_threads() -> usize {
    max_threads().min(heddle::machine::processors().max(SHOWN_THREADS))
}
