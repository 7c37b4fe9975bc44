//! This rank's own engine.

use heddle::engine::{EngineError, Settings};
use heddle::position::Game;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::build;
use heddle::time::limits::Limits;
use heddle::uci::Inbox;
use heddle::uci::engine_host::EngineHost;
use heddle::uci::options::Change;
use heddle::uci::protocol::Host;
use heddle_exchange::{Filter, Outgoing};

/// Depth of the search that tells versions apart, in plies: it takes milliseconds.
const TRIAL_DEPTH: i32 = 7;
/// Bytes of a network's checksum, at its end.
const CHECKSUM: usize = 4;

/// An engine that is one rank of several.
pub struct Local {
    /// The engine.
    pub host: EngineHost,
    filter: Filter,
    tables: String,
    /// The nodes of a search with the defaults.
    trial: u64,
}

impl Local {
    /// An engine with the options' defaults, and what its workers send.
    ///
    /// # Errors
    /// [`EngineError`], when it cannot be set up.
    pub fn new(inbox: Arc<Inbox>, filter: Filter) -> Result<(Self, Arc<Outgoing>), EngineError> {
        let mut host = EngineHost::new(inbox)?;
        let trial = trial(&mut host);
        let mut local = Self { host, filter, tables: String::new(), trial };
        let outgoing = local.connect();
        Ok((local, outgoing))
    }

    /// Carries out `change`; also returns what other workers send, if there are others now.
    ///
    /// # Errors
    /// [`EngineError`]; the engine stays as it was.
    pub fn change(
        &mut self,
        change: &Change,
    ) -> Result<(Option<String>, Option<Arc<Outgoing>>), EngineError> {
        let summary = self.host.change(change)?;
        if let (Change::Tablebases(_), Some(summary)) = (change, &summary) {
            // What was left out is named with its path, which may be another on each machine.
            self.tables = summary.split(';').next().unwrap_or_default().to_owned();
        }
        let outgoing = matches!(change, Change::Threads(_)).then(|| self.connect());
        Ok((summary, outgoing))
    }

    /// What has to be the same on all ranks that search together.
    pub fn state(&self) -> String {
        let bytes = self.host.network().map(|network| network.to_bytes()).unwrap_or_default();
        let checksum = &bytes[bytes.len().saturating_sub(CHECKSUM)..];
        format!("network {checksum:x?}, {}", self.tables)
    }

    /// A number that is the same on all ranks if version, network and what they send are.
    pub fn digest(&self) -> u64 {
        let Self { filter, trial, .. } = self;
        let text = format!("{} {trial} {filter:?} {}", build::NAME, self.state());
        crc32fast::hash(text.as_bytes()).into()
    }

    /// Lets somebody listen to the workers there are.
    fn connect(&mut self) -> Arc<Outgoing> {
        let engine = self.host.engine();
        let outgoing = Arc::new(Outgoing::new(engine.threads(), self.filter));
        engine.set_store_hook(Some(outgoing.hook()));
        outgoing
    }
}

/// The nodes of a short search, by which two versions of the search are told apart.
fn trial(host: &mut EngineHost) -> u64 {
    let limits = Limits { depth: Some(TRIAL_DEPTH), ..Limits::default() };
    let (game, settings, stop) = (Game::default(), Settings::default(), StopFlag::default());
    host.engine().search(&game, &limits, &settings, &stop, |_, _, _| {});
    let nodes = host.engine().nodes();
    host.engine().clear();
    nodes
}
