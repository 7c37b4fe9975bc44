//! What all connections of a server share.

use axum::http::HeaderValue;
use heddle::sync::{Arc, Mutex};
use heddle::syzygy::Tablebases;
use tokio::sync::{Semaphore, watch};

use crate::desk::Inbox;
use crate::guard::Guard;
use crate::protocol::Hello;

/// What all connections share.
pub struct Site {
    /// Knows whom to let in.
    pub guard: Guard,
    /// What a page may load.
    pub policy: HeaderValue,
    /// The desk.
    pub inbox: Arc<Inbox>,
    /// The tablebases, for the rules.
    pub tablebases: Tablebases,
    /// What a page hears first.
    pub hello: Hello,
    /// Places for pages.
    pub pages: Arc<Semaphore>,
    /// The number of the next page.
    pub next: Mutex<u64>,
    /// True at the end of the program.
    pub closing: watch::Receiver<bool>,
}
