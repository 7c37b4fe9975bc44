//! The command line.

use heddle::cli::{ANALYSIS_HASH, hash, threads, word};
use heddle::machine::{max_hash, processors};

/// Play, analyse and watch the threads think, in your browser.
///
/// Serves pages on 127.0.0.1 to this machine alone and opens the browser. Everything is in the
/// program: it works offline. Ctrl-C ends it.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: heddle board --port 8080 --syzygy /srv/syzygy")]
pub struct Args {
    /// The port to listen on [default: a free one]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print the address without opening the browser
    #[arg(long)]
    pub no_open: bool,
    /// Search threads, until a page changes them
    #[arg(long, value_name = "N", default_value_t = processors(), value_parser = threads)]
    pub threads: usize,
    /// Size of the transposition table in MiB, until a page changes it
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = ANALYSIS_HASH.min(max_hash()),
        value_parser = hash
    )]
    pub hash: usize,
    /// Directories of Syzygy tablebases, separated by : (on Windows by ;)
    #[arg(long, value_name = "PATH", value_parser = word())]
    pub syzygy: Option<String>,
}
