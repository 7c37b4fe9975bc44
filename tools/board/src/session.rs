//! One page: what it asks and what it is told, until its socket closes.

use std::time::Duration;

use axum::extract::ws::{Message as Frame, WebSocket};
use heddle::sync::Arc;
use serde::Deserialize;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::timeout;

use crate::desk::{Client, Message, OUTBOX};
use crate::games;
use crate::protocol::{Body, Code, Hello, Refusal, Reply, Request};
use crate::rules;
use crate::site::Site;

/// Requests of a page that may wait for the engine.
const MAX_WAITING: usize = 32;
/// How long a page may take to read a message.
const READING: Duration = Duration::from_secs(10);

/// Serves a page until its socket closes.
pub async fn attend(mut socket: WebSocket, site: &Site, number: u64) {
    let (outbox, mut letters) = mpsc::channel(OUTBOX);
    let overflow = Arc::<Notify>::default();
    let client = Client { number, outbox, overflow: Arc::clone(&overflow) };
    let waiting = Arc::new(Semaphore::new(MAX_WAITING));
    let mut closing = site.closing.clone();
    client.answer(&Reply::Hello(Hello { ..site.hello }));
    loop {
        tokio::select! {
            letter = letters.recv() => {
                // The client holds the other end.
                let Some(letter) = letter else { break };
                let sent = timeout(READING, socket.send(Frame::Text(letter.into()))).await;
                if !matches!(sent, Ok(Ok(()))) {
                    break;
                }
            }
            frame = socket.recv() => match frame {
                Some(Ok(Frame::Text(text))) => hear(&client, site, &waiting, text.as_str()).await,
                Some(Ok(Frame::Binary(_))) => {
                    let message = "messages are text";
                    client.answer(&Reply::Error(Refusal::new(None, Code::Request, message)));
                }
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                Some(Ok(Frame::Close(_)) | Err(_)) | None => break,
            },
            () = overflow.notified() => break,
            _ = closing.changed() => {
                let _ = timeout(READING, socket.send(Frame::Close(None))).await;
                break;
            }
        }
    }
    site.inbox.send(Message::Left(number));
}

/// Answers a message, or hands it to the desk.
async fn hear(client: &Client, site: &Site, waiting: &Arc<Semaphore>, text: &str) {
    let request = match serde_json::from_str::<Request>(text) {
        Ok(request) => request,
        Err(error) => {
            /// What can be said of a message that is no request.
            #[derive(Deserialize)]
            struct Numbered {
                id: u64,
            }
            let id = serde_json::from_str::<Numbered>(text).ok().map(|numbered| numbered.id);
            return client.answer(&Reply::Error(Refusal::new(
                id,
                Code::Request,
                error.to_string(),
            )));
        }
    };
    let Request { id, body } = request;
    let answer = match body {
        Body::Position { game, word } => {
            let at = rules::at(id, &game, word.as_deref(), &site.tablebases);
            at.map(|at| Reply::Position(Box::new(at)))
        }
        Body::Read { text, game } => aside(id, move || games::answer(id, &text, game)).await,
        Body::Write(record) => aside(id, move || games::write(id, &record)).await,
        body => match Arc::clone(waiting).try_acquire_owned() {
            Ok(permit) => {
                let request = Request { id, body };
                return site.inbox.send(Message::Request(client.clone(), request, permit));
            }
            Err(_) => Err(Refusal::new(id, Code::Busy, "too many requests at once")),
        },
    };
    client.answer(&answer.unwrap_or_else(Reply::Error));
}

/// Does work that takes a while beside the other pages.
async fn aside(
    id: u64,
    work: impl FnOnce() -> Result<Reply, Refusal> + Send + 'static,
) -> Result<Reply, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Refusal::new(id, Code::Text, error.to_string())))
}
