//! Listens, bounds what comes, and serves the pages.

use std::future::Future;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::header::{REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use heddle::engine::{Engine, EngineError};
use heddle::machine::max_hash;
use heddle::streams;
use heddle::sync::{Arc, Mutex, thread};
use heddle::syzygy::{TablebaseError, Tablebases};
use heddle::text::build;
use heddle::uci::strength;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::args::Args;
use crate::assets;
use crate::desk::{Desk, Inbox, Message, most_threads};
use crate::guard::{Guard, TokenError};
use crate::protocol::{Hello, VERSION};
use crate::session;
use crate::site::Site;

/// Connections at the same time; more wait until one ends.
const MAX_CONNECTIONS: usize = 64;
/// Pages at the same time.
pub const MAX_SESSIONS: usize = 8;
/// How long the head of a request may take.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a connection may last that is no socket.
const CONNECTION_TIME: Duration = Duration::from_secs(30);
/// The most bytes of a head.
const MAX_HEAD: usize = 16 << 10;
/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// The longest message of a page, in bytes: a file of some thousand games.
const MAX_MESSAGE: usize = 4 << 20;
/// How long the end waits for the pages to hear of it.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long accepting rests after an error, such as too many open files.
const REST: Duration = Duration::from_millis(100);

/// Why there is no board.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The engine cannot allocate its table or start its threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The tablebases cannot be opened.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
    /// The system gives no random bytes.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The port is in use, or may not be listened on.
    #[error("cannot listen on 127.0.0.1, port {port}: {source}")]
    Listen {
        /// The port asked for; 0 for any.
        port: u16,
        /// The error from the system.
        source: io::Error,
    },
    /// The server cannot be started, or its address not be printed.
    #[error("cannot serve: {0}")]
    Serve(#[from] io::Error),
}

/// A server that listens.
pub struct Server {
    listener: std::net::TcpListener,
    site: Arc<Site>,
    closing: watch::Sender<bool>,
    desk: thread::JoinHandle<()>,
}

/// Serves the board until Ctrl-C.
///
/// # Errors
/// [`BoardError`].
pub fn run(args: &Args) -> Result<(), BoardError> {
    let server = Server::start(args)?;
    let address = server.address();
    server.run(async {
        // Before anybody knows that there is something to interrupt.
        let interrupt = Interrupt::new()?;
        let mut output = streams::output();
        writeln!(output, "Heddle's board: {address}\nCtrl-C ends it.")?;
        output.flush()?;
        if !args.no_open && open::that_detached(&address).is_err() {
            writeln!(output, "No browser was found: open that address yourself.")?;
            output.flush()?;
        }
        interrupt.wait().await
    })
}

/// Ctrl-C, or a request of the system to end.
#[cfg(unix)]
struct Interrupt([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Interrupt {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    async fn wait(self) -> io::Result<()> {
        let [mut interrupt, mut terminate] = self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Interrupt;

#[cfg(not(unix))]
impl Interrupt {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn wait(self) -> io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}

impl Server {
    /// Listens, and starts the engine.
    ///
    /// # Errors
    /// [`BoardError`].
    pub fn start(args: &Args) -> Result<Self, BoardError> {
        let refused = |source| BoardError::Listen { port: args.port, source };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, args.port));
        let listener = listener.map_err(refused)?;
        listener.set_nonblocking(true)?;
        let guard = Guard::new(listener.local_addr()?.port())?;
        let mut engine = Engine::new(args.threads, args.hash)?;
        let path = args.syzygy.as_deref().unwrap_or_default();
        engine.set_tablebases(path)?;
        let tablebases = Tablebases::open(path)?;
        let hello = Hello {
            protocol: VERSION,
            program: build::NAME,
            threads: args.threads,
            max_threads: most_threads(),
            hash: args.hash,
            max_hash: max_hash(),
            elo: [*strength::RANGE.start(), *strength::RANGE.end()],
            tablebases: tablebases.max_pieces(),
        };
        let inbox = Arc::<Inbox>::default();
        let desk = Desk::new(engine, Arc::clone(&inbox));
        let (closing, is_closing) = watch::channel(false);
        let policy = guard.policy().parse().expect("the policy is printable");
        let site = Arc::new(Site {
            guard,
            policy,
            inbox,
            tablebases,
            hello,
            pages: Arc::new(Semaphore::new(MAX_SESSIONS)),
            next: Mutex::new(0),
            closing: is_closing,
        });
        let desk = thread::Builder::new().name("desk".to_owned()).spawn(|| desk.run())?;
        Ok(Self { listener, site, closing, desk })
    }

    /// The address of the pages.
    pub fn address(&self) -> String {
        self.site.guard.address()
    }

    /// Serves until `end`, then ends the search and every connection.
    ///
    /// # Errors
    /// [`BoardError`].
    pub fn run(self, end: impl Future<Output = io::Result<()>>) -> Result<(), BoardError> {
        let Self { listener, site, closing, desk } = self;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            let ended = tokio::select! {
                () = accept(&listener, &site) => Ok(()),
                ended = end => ended,
            };
            site.inbox.send(Message::Quit);
            let _ = closing.send(true);
            // Each page gives its place back when it has said goodbye.
            let all = site.pages.acquire_many(MAX_SESSIONS as u32);
            let _ = timeout(FAREWELL, all).await;
            ended
        });
        runtime.shutdown_background();
        let _ = desk.join();
        Ok(served?)
    }
}

/// Accepts connections for ever.
async fn accept(listener: &TcpListener, site: &Arc<Site>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let router = Router::new().fallback(answer).with_state(Arc::clone(site));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(REST).await;
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            let _place = place;
            let _ = timeout(CONNECTION_TIME, connection(stream, router)).await;
        });
    }
}

/// Serves one connection to its end, or until it is a socket.
async fn connection(stream: TcpStream, router: Router) {
    // An answer should not wait for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS);
    let served = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    // A broken connection is the business of its other end.
    let _ = served.await;
}

/// Answers a request.
async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let mut response = match site.guard.admit(&path, &parts.headers) {
        Err(status) => status.into_response(),
        Ok(_) if parts.method != Method::GET => {
            let allow = (ALLOW, HeaderValue::from_static("GET"));
            (StatusCode::METHOD_NOT_ALLOWED, [allow]).into_response()
        }
        Ok("socket") => match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => page(&site, upgrade),
            Err(refused) => refused.into_response(),
        },
        Ok(name) => match assets::find(name) {
            Some(asset) => {
                ([(CONTENT_TYPE, asset.kind)], Body::from(asset.content)).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, site.policy.clone());
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        // The token must not outlive the program in a cache.
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Opens the socket of a page, if there is a place for it.
fn page(site: &Arc<Site>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(place) = Arc::clone(&site.pages).try_acquire_owned() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let number = {
        let mut next = site.next.lock();
        *next += 1;
        *next
    };
    let site = Arc::clone(site);
    upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).on_upgrade(
        move |socket| async move {
            session::attend(socket, &site, number).await;
            drop(place);
        },
    )
}
