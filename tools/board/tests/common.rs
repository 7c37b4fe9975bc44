//! A board that serves on a free port, and a page without a browser.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::net::TcpStream;
use std::time::{Duration, Instant};

use clap::Parser;
use heddle::sync::thread;
use heddle_board::{Args, Server};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::StatusCode;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// How long an answer may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

/// A board that serves until it is dropped.
pub struct Board {
    pub address: String,
    end: Option<oneshot::Sender<()>>,
    server: Option<thread::JoinHandle<()>>,
}

impl Board {
    pub fn new() -> Self {
        let words = ["board", "--no-open", "--threads", "2", "--hash", "8"];
        let server = Server::start(&Cli::parse_from(words).args).unwrap();
        let (end, ended) = oneshot::channel();
        let address = server.address();
        let server = thread::spawn(|| {
            let end = async {
                ended.await.unwrap_or_default();
                Ok(())
            };
            server.run(end).unwrap();
        });
        Self { address, end: Some(end), server: Some(server) }
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        self.address.split('/').nth(2).unwrap()
    }

    /// The path with the token, and `name` after it.
    pub fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.address.split('/').nth(3).unwrap())
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Opens the socket at `path` with an origin; the status if it is refused.
    pub fn socket(&self, path: &str, origin: &str) -> Result<WebSocket<TcpStream>, StatusCode> {
        let mut request = format!("ws://{}{path}", self.host()).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(socket),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status()),
            Err(error) => panic!("{error}"),
        }
    }

    /// A page that has been greeted.
    pub fn page(&self) -> Page {
        let origin = format!("http://{}", self.host());
        let socket = self.socket(&self.path("socket"), &origin).unwrap();
        let mut page = Page { socket, last: 0 };
        let hello = page.hear();
        assert_eq!((&hello["type"], &hello["protocol"]), (&json!("hello"), &json!(1)));
        page
    }

    /// Ends the server; it panics if that takes too long.
    pub fn close(&mut self) -> Duration {
        let start = Instant::now();
        drop(self.end.take());
        if let Some(server) = self.server.take() {
            server.join().unwrap();
        }
        start.elapsed()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.close();
    }
}

/// A page without a browser.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    last: u64,
}

impl Page {
    /// Sends a request and returns its number.
    pub fn send(&mut self, mut request: Value) -> u64 {
        self.last += 1;
        request["id"] = self.last.into();
        self.say(&request.to_string());
        self.last
    }

    pub fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// The next message.
    pub fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// The next answer to request `id`.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let reply = self.hear();
            if reply["id"] == id {
                return reply;
            }
        }
    }

    /// Sends a request and returns its first answer.
    pub fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request);
        self.answer(id)
    }

    /// The answers to request `id` up to `done` or `error`.
    pub fn end_of(&mut self, id: u64) -> Vec<Value> {
        let mut replies = vec![self.answer(id)];
        while !["done", "error"].contains(&replies.last().unwrap()["type"].as_str().unwrap()) {
            replies.push(self.answer(id));
        }
        replies
    }
}
